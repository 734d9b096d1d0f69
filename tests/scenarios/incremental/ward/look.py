"""Compares what a series of the ward publishes with what was handed in, by the note that nobody shares.

    look.py rows  RELEASE-DIR... --batches CSV...   whole tables: cells, boxes and names of everybody, release by release
    look.py delta BEFORE CHANGES AFTER              the changes, applied to BEFORE, are AFTER, case by case
    look.py refined RELEASE-DIR...                  how many cases have a smaller box than in the release before

Prints a line per release, and what is wrong. incremental_oracle.py and published_oracle.py stand beside it.
"""
import csv
import re
import sys
from pathlib import Path

sys.path.insert(0, ".")
import incremental_oracle  # noqa: E402

CELLS = ("disease", "outcome", "note")


def complain(*words):
    print("WRONG:", *words)


def text(cell):
    return "" if cell is None else str(cell)


def people_of(batches):
    """{note: person}, with the number of the batch."""
    people = {}
    for number, batch in enumerate(batches):
        with open(batch, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                people[row["note"]] = (number, row)
    return people


def load(folders):
    releases = [incremental_oracle.Release(Path(folder)) for folder in folders]
    kinds, boxes = incremental_oracle.read_tables(releases)
    return releases, kinds, boxes


def inside(kind, inner, outer):
    return kind.intersect(inner, outer) == inner


def holds(kinds, columns, box, person):
    return all(inside(kind, kind.read(person[column]), value) for kind, column, value in zip(kinds, columns, box))


def count_refined(kinds, before, now):
    refined = 0
    for case, box in before.items():
        if case not in now:
            complain("case", case, "is gone")
        elif not all(inside(kind, new, old) for kind, new, old in zip(kinds, now[case], box)):
            complain("the box of case", case, "does not lie in the one before")
        else:
            refined += now[case] != box
    return refined


def rows(folders, batches):
    releases, kinds, boxes = load(folders)
    people, case_of, order = people_of(batches), {}, list(people_of(batches))
    for number, release in enumerate(releases):
        withdrawn, notes = 0, []
        for row in release.rows:
            case, note = row["case_id"], text(row["note"])
            if not re.fullmatch("[0-9a-f]{16}", case):
                complain("a case_id is no 16 hex digits")
            if note == "":
                withdrawn += 1
                if any(text(row[cell]) for cell in CELLS):
                    complain("a withdrawn row has cells")
                continue
            notes.append(note)
            if note not in people:
                complain("nobody handed in the note of case", case)
                continue
            arrived, person = people[note]
            if case_of.setdefault(note, case) != case:
                complain(release.folder, note, "has another case_id than before")
            if [text(row[cell]) for cell in CELLS] != [person[cell] for cell in CELLS]:
                complain(release.folder, note, "has cells of somebody else")
            if arrived > number:
                complain(release.folder, note, "is published before it came")
            if not holds(kinds, release.columns, boxes[number][case], person):
                complain(release.folder, note, "does not lie in its box")
        if len(set(notes)) < len(notes):
            complain(release.folder, "has somebody twice")
        if len(notes) > 5 and notes == sorted(notes, key=order.index):
            complain(release.folder, "is in the order of arrival")
        new = len(boxes[number].keys() - (boxes[number - 1].keys() if number else set()))
        refined = count_refined(kinds, boxes[number - 1], boxes[number]) if number else 0
        print(f"{release.folder.name}: {len(release.rows)} rows, {new} new, {withdrawn} withdrawn,",
              "some refined" if refined else "none refined")


def by_case(release):
    return {row["case_id"]: {name: text(cell) for name, cell in row.items() if name != "case_id"}
            for row in release.rows}


def delta(before, changes, after):
    before, changes, after = (incremental_oracle.Release(Path(folder)) for folder in (before, changes, after))
    table = by_case(before)
    new = refined = 0
    for case, row in by_case(changes).items():
        change = row.pop("change")
        if change == "new":
            new += 1
            if case in table:
                complain("case", case, "is not new")
            table[case] = row
        elif change == "refined":
            refined += 1
            if any(row[cell] for cell in row if cell not in changes.columns):
                complain("refined case", case, "repeats cells that were published before")
            box = {column: row[column] for column in changes.columns}
            if case not in table or box.items() <= table[case].items():
                complain("case", case, "is not refined")
            table[case] = table[case] | box
        else:
            complain("unknown change", change)
    gone = changes.folder / "withdrawn.csv"
    names = gone.read_text(encoding="utf-8").split("\n")[1:-1] if gone.exists() else []
    for case in names:
        table[case] = {name: cell if name in changes.columns else "" for name, cell in table[case].items()}
    if table != by_case(after):
        complain("the changes do not lead to", after.folder)
    print(f"{changes.folder.name}: {new} new, {'some' if refined else 'none'} refined, {len(names)} withdrawn,",
          f"{len(table)} rows with them")


def refined(folders):
    _, kinds, boxes = load(folders)
    for before, now in zip(boxes, boxes[1:]):
        print(count_refined(kinds, before, now))


def main(command, *words):
    if command == "rows":
        split = words.index("--batches")
        rows(words[:split], words[split + 1:])
    elif command == "delta":
        delta(*words)
    else:
        refined(words)


main(*sys.argv[1:])
