"""A test that was renamed must not run, or be left out, under ThreadSanitizer by accident."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)


class TsanLeftOutTest(unittest.TestCase):
    def test_every_test_that_is_left_out_exists(self):
        known = {".".join(test) for path in (ROOT / "src").rglob("*_test.cc") for test in TEST.findall(path.read_text(encoding="utf-8"))}
        lines = (ROOT / "tests" / "tools" / "tsan_left_out.txt").read_text(encoding="utf-8").splitlines()
        named = [line for line in lines if line and not line.startswith("#")]
        self.assertTrue(named)
        self.assertEqual([name for name in named if name not in known], [], "rename them in tests/tools/tsan_left_out.txt, too")


if __name__ == "__main__":
    unittest.main()
