"""60 made-up people; with an argument: others, whose ids begin with it."""
import random
import sys

draw = random.Random(4)
prefix = sys.argv[1] if len(sys.argv) > 1 else "p"
print("person,sex,town,floor,disease,ward")
for number in range(60):
    disease = draw.choice(["flu", "flu", "asthma", "fever", "measles", "hiv"])
    print(f"{prefix}{number},{draw.choice('FM')},{draw.randrange(100)},{draw.randrange(100)},{disease},w{draw.randrange(5)}")
