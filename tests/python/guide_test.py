"""The examples of docs/guide/python.md do what the page says."""

import contextlib
import io
import os
import re
import tempfile
import unittest

from people import ROOT

PAGE = ROOT / "docs" / "guide" / "python.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)


class GuideTest(unittest.TestCase):
    def test_the_examples_print_what_the_page_shows(self):
        names, printed, shown = {}, "", 0
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
                    if language == "text":
                        expected = ".*".join(re.escape(part) for part in text.split("..."))
                        self.assertRegex(printed, f"^{expected}$")
                        shown += 1
                        continue
                    out = io.StringIO()
                    with contextlib.redirect_stdout(out):
                        exec(compile(text, str(PAGE), "exec"), names)
                    printed = out.getvalue()
            finally:
                os.chdir(before)
        self.assertEqual(shown, 2)


if __name__ == "__main__":
    unittest.main()
