"""Writes people.csv, truth.csv, and policies for releases of other columns of it: a5, a10 and a5-again (age, zip, sex, job), b5 (hours
instead of job), c5 (hours instead of sex), ak-a and ak-b with alpha = 1/2; people.toml for --as.

    python3 make.py [PEOPLE]
"""

import random
import sys

DISEASES = ["angina", "asthma", "cancer", "cold", "flu", "gout", "HIV", "none", "SARS", "ulcer"]
JOBS = ["Baker", "Clerk", "Cook", "Driver", "Judge", "Lawyer", "Nurse", "Smith"]
COLUMNS = {"age": "domain = [18, 89]", "zip": "domain = [1000, 1999]", "sex": 'values = ["F", "M"]', "job": f"values = {JOBS}".replace("'", '"'),
           "hours": "domain = [10, 70]"}
VIEWS = {"a": ["age", "zip", "sex", "job"], "b": ["age", "zip", "sex", "hours"], "c": ["age", "zip", "job", "hours"]}


def write_policy(name, columns, guarantee):
    described = "".join(f'{column} = {{ role = "quasi-identifier", {COLUMNS[column]} }}\n' for column in columns)
    with open(f"{name}.toml", "w", encoding="utf-8") as file:
        file.write(f'version = 1\nrelease = "{name}"\noverlap = "measure"\n[input]\npath = "people.csv"\n[columns]\nid = {{ role = "id" }}\n'
                   f'{described}disease = {{ role = "sensitive" }}\n[[guarantee]]\n{guarantee}\n')
    # The same table as another tool would have made it, described for import.
    with open(f"{name}-import.toml", "w", encoding="utf-8") as file:
        file.write(f'version = 1\nrelease = "{name}"\n[columns]\n{described}disease = {{ role = "sensitive" }}\n[[guarantee]]\n{guarantee}\n')


def main():
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    draw = random.Random(7)
    with open("people.csv", "w", encoding="utf-8") as file:
        file.write("id,age,zip,sex,job,hours,disease\n")
        for number in range(people):
            file.write(f"{number},{draw.randint(18, 89)},{draw.randint(1000, 1999)},{draw.choice('FM')},{draw.choice(JOBS)},"
                       f"{draw.randint(10, 70)},{draw.choice(DISEASES)}\n")
    k5, k10 = ('type = "k-anonymity"\nk = %d' % k for k in (5, 10))
    alpha = 'type = "alpha-k-anonymity"\nk = 5\nalpha = "1/2"'
    write_policy("people", list(COLUMNS), k5)
    for name, view, guarantee in (("a5", "a", k5), ("a10", "a", k10), ("a5-again", "a", k5), ("b5", "b", k5), ("c5", "c", k5),
                                  ("ak-a", "a", alpha), ("ak-b", "b", alpha)):
        write_policy(name, VIEWS[view], guarantee)


if __name__ == "__main__":
    main()
