"""compare.py LINE FIRST SECOND ORIGINAL: prints where the oracle does not count what the line tells."""
import pathlib
import re
import sys

from composition_oracle import Release, certain_values, joint_classes, smallest_crowds

line, *places = sys.argv[1:]
original = pathlib.Path(places.pop())
releases = [Release(pathlib.Path(place), original, "person") for place in places]
everybody = releases[0].people
told = re.search(r"(\d+) of (\d+) people have a crowd below (\d+).*; (\d+) for whoever knows", line)
below, people, k, joint = map(int, told.groups())
crowds = [least for least, most in smallest_crowds(releases, everybody).values()]
sizes = [len(members) for members in joint_classes(releases, everybody).values()]
counted = (sum(crowd < k for crowd in crowds), len(everybody), sum(size for size in sizes if size < k))
if counted != (below, people, joint):
    print("  the oracle counts", *counted)
certain = re.search(r"The value of '(\w+)' is certain for (?:at least )?(\w+)", line)
if certain:
    values = certain_values(releases, everybody, certain[1])
    if values != int(certain[2].replace("nobody", "0")):
        print("  for the oracle is certain:", values)
