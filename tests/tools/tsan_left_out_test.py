"""Nothing is left out under ThreadSanitizer by accident: neither a test that was renamed, nor a folder that has threads by now."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNTESTED = re.compile(r"set\(PENTIMENTO_UNTESTED_FOLDERS (?P<folders>[a-z ]+)\)")
THREADS = re.compile(r"base/parallel\.h|base/side_task\.h|std::j?thread|std::async")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)


class TsanLeftOutTest(unittest.TestCase):
    def test_every_test_that_is_left_out_exists(self):
        known = {".".join(test) for path in (ROOT / "src").rglob("*_test.cc") for test in TEST.findall(path.read_text(encoding="utf-8"))}
        lines = (ROOT / "tests" / "tools" / "tsan_left_out.txt").read_text(encoding="utf-8").splitlines()
        named = [line for line in lines if line and not line.startswith("#")]
        self.assertTrue(named)
        self.assertEqual([name for name in named if name not in known], [], "rename them in tests/tools/tsan_left_out.txt, too")

    def test_folders_that_are_left_out_start_no_threads(self):
        folders = UNTESTED.search((ROOT / "cmake" / "Folder.cmake").read_text(encoding="utf-8"))["folders"].split()
        self.assertTrue(folders)
        files = [path for folder in folders for path in (ROOT / "src" / folder).rglob("*") if path.suffix in (".h", ".cc")]
        self.assertTrue(files)
        found = [str(path.relative_to(ROOT)) for path in files if THREADS.search(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [], "take the folder out of PENTIMENTO_UNTESTED_FOLDERS in cmake/Folder.cmake")


if __name__ == "__main__":
    unittest.main()
