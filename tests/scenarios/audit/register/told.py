"""Numbers of an audit, from its JSON: for whoever tests them.

    pentimento audit ... --json | python3 told.py [MINIMA...]

prints "below_k alone certain" by all releases together, and how many guesses are wrong; with minima also whether each number is as large.
"""

import json
import sys

report = json.load(sys.stdin)
numbers = {attack["attack"]: attack["numbers"] or {} for attack in report["attacks"]}
told = [numbers["A3"].get("joint_classes.below_k"), numbers["A3"].get("joint_classes.alone"), numbers["A4"].get("disease.certain")]
print("below alone certain:", *told)
print("wrong:", report["guesses"] and report["guesses"]["wrong"])
if len(sys.argv) > 1:
    print("as large:", all(number is not None and number >= int(least) for number, least in zip(told, sys.argv[1:])))
