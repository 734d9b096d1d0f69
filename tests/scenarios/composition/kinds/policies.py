"""Writes NAME-KIND.toml and NAME-KIND-no-id.toml for each kind of release: policies.py NAME COLUMN... [KEY=VALUE...]

All are about people.csv. An xy release has another sensitive column than the rest, and is joined with the release
'first', if its own name is another one. KEY=VALUE are lines of the policy.
"""
import sys

NUMBER, SEX = "domain = [0, 99]", 'values = ["F", "M"]'
GUARANTEES = {
    "k": 'type = "k-anonymity"\nk = 3',
    "incremental": 'type = "incremental-k-anonymity"\nk = 3\nseries = "NAME-series"',
    "xy": 'type = "xy-linkability"\nagainst = [AGAINST]\nx = [X]\ny = [{ column = "ward", at_most = "2/3" }]',
    "alpha-k": 'type = "alpha-k-anonymity"\nk = 3\nalpha = "2/3"',
    "two-tables": 'type = "alpha-k-anonymity"\nk = 3\nalpha = "2/3"\n[publish]\nform = "two-tables"',
    "global": 'type = "global-guarantee"\nl = 2\nk = 3\nreleases = 2\nmost_loss = 1\nseries = "NAME-series"',
    "history": 'type = "history"\nk = 3',
    "import": 'type = "k-anonymity"\nk = 3',
}
name, *more = sys.argv[1:]
columns = [one for one in more if "=" not in one]
lines = [one.replace("=", " = ", 1) for one in more if "=" in one]
for kind, guarantee in GUARANTEES.items():
    sensitive = "ward" if kind == "xy" else "disease"
    joined = kind == "xy" and name != "first"
    x = columns + (["first:sex"] if joined else [])
    guarantee = guarantee.replace("NAME", name).replace("AGAINST", '"first"' if joined else "")
    guarantee = guarantee.replace("X", ", ".join(f'"{column}"' for column in x))
    for suffix in ("", "-no-id"):
        policy = ["version = 1", f'release = "{name}"', *lines]
        policy += ["[input]", 'path = "people.csv"'] if kind != "import" else []
        policy += ["[columns]"]
        policy += ['person = { role = "id" }'] if not suffix and kind != "import" else []
        policy += [f'{column} = {{ role = "quasi-identifier", {SEX if column == "sex" else NUMBER} }}' for column in columns]
        policy += [f'{sensitive} = {{ role = "sensitive"{", values = [%shiv%s]" % (chr(34), chr(34)) if kind == "global" else ""} }}']
        with open(f"{name}-{kind}{suffix}.toml", "w", encoding="utf-8") as file:
            file.write("\n".join([*policy, "[[guarantee]]", guarantee, ""]))
