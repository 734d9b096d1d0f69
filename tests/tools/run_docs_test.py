"""Tests that documents are run as they are read: what is true passes, what is not fails."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import run_docs

FAKE_COMMAND = """#!/usr/bin/env bash
echo "pentimento $*"
echo "a word on stderr" >&2
[[ $1 != refused ]]
"""


def console(*lines):
    return "\n".join(["```console", *lines, "```", ""])


def sh(*lines):
    return "\n".join(["```sh", *lines, "```", ""])


class RunDocsTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.document = Path(place.name, "guide.md")
        self.command = Path(place.name, "fake")
        self.command.write_text(FAKE_COMMAND)
        self.command.chmod(0o755)

    def run_text(self, text):
        """How many blocks were run, and what was printed; raises Failed where the document is wrong."""
        self.document.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            done = run_docs.run_document(self.document, self.command)
        return done, printed.getvalue()

    def assert_holds(self, text, blocks=1):
        self.assertEqual(self.run_text(text), (blocks, ""))

    def assert_fails(self, text, *parts):
        with self.assertRaises(run_docs.Failed) as caught:
            self.run_text(text)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_shown_output_is_compared_with_standard_error_included(self):
        self.assert_holds(console("$ pentimento demo", "pentimento demo", "a word on stderr", "$ build/pentimento x", "..."))
        self.assert_fails("# Title\n\n" + console("$ pentimento demo", "something else", "a word on stderr"),
                          "line 4: $ pentimento demo", "-something else", "+pentimento demo")
        self.assert_fails(console("$ pentimento demo"), "+pentimento demo")
        self.assert_fails(console("$ true", "words"), "-words")

    def test_wildcards_leave_things_open(self):
        self.assert_holds(console("$ seq 5", "1", "...", "5"))
        self.assert_holds(console("$ echo took 3 s", "took ... s"))
        self.assert_fails(console("$ seq 5", "1", "...", "6"))

    def test_blank_lines_before_a_command_are_for_the_eye(self):
        self.assert_holds(console("$ echo a", "a", "", "$ echo b", "b"))

    def test_a_failing_command_must_show_its_exit_code(self):
        self.assert_fails(console("$ false"), "exit code 1")
        self.assert_fails(console("$ false", "$ true"), "exit code 1")
        self.assert_holds(console("$ pentimento refused", "...", "$ echo $?", "1", "$ true"))
        self.assert_fails(console("$ pentimento refused", "...", "$ echo $?", "0"), "-0", "+1")

    def test_commands_go_on_over_several_lines(self):
        self.assert_holds(console("$ cat <<'EOF'", "> a", "> b", "> EOF", "a", "b", "$ echo c \\", ">   d", "c d"))

    def test_blocks_of_one_document_share_folder_and_variables(self):
        self.assert_holds(sh("mkdir sub; cd sub", "word=here") + "Text.\n\n" + console("$ basename $PWD; echo $word", "sub", "here"),
                          blocks=2)

    def test_a_script_block_stops_at_its_first_error(self):
        self.assert_holds(sh("true", "if false; then exit 1; fi"))
        self.assert_fails(sh("false", "true"), "line 1", "exit code 1")
        self.assert_fails(sh("echo said before; pentimento refused"), "said before")
        self.assert_fails(sh("no-such-command"), "exit code 127")

    def test_a_failing_command_before_a_script_block_does_no_harm(self):
        self.assert_holds(console("$ (exit 3)", "$ echo $?", "3") + sh("true"), blocks=2)

    def test_a_skipped_block_is_printed_with_its_reason(self):
        done, printed = self.run_text("<!-- not run: builds for minutes -->\n" + sh("false"))
        self.assertEqual(done, 0)
        self.assertIn("guide.md:2: builds for minutes", printed)
        self.assert_fails("<!-- not run: -->\n" + sh("true"), "needs a reason")

    def test_a_mark_counts_for_the_next_block_alone(self):
        self.assert_fails("<!-- not run: once -->\n" + sh("true") + sh("false"), "exit code 1")
        self.assert_fails("<!-- not run: too far -->\nText.\n" + sh("false"), "exit code 1")

    def test_a_marked_block_becomes_a_file(self):
        self.assert_holds("<!-- file: in/policy.toml -->\n\n```toml\nversion = 1\n```\n" +
                          console("$ cat in/policy.toml", "version = 1"), blocks=2)

    def test_other_blocks_are_only_shown(self):
        self.assert_holds("```\nfalse\n```\n~~~toml\nfalse\n~~~\n````text\n```sh\nfalse\n```\n````\n", blocks=0)

    def test_blocks_in_lists_are_run_too(self):
        self.assert_fails("1. First\n\n   ```sh\n   false\n   ```\n", "exit code 1")

    def test_blocks_that_only_seem_to_be_run_are_mistakes(self):
        self.assert_fails("```bash\ntrue\n```\n", "call it sh or console")
        self.assert_fails(console("true"), "begins with")
        self.assert_fails("```sh\ntrue\n", "has no end")

    def test_a_command_that_hangs_fails(self):
        with mock.patch.object(run_docs, "TIMEOUT_SECONDS", 1):
            self.assert_fails(console("$ sleep 30"), "longer than 1 s")

    def test_commands_find_no_standard_input(self):
        self.assert_holds(console("$ cat"))

    def test_the_exit_code_tells(self):
        for text, code, last in [
            (sh("true"), 0, "documents: 1 hold, 0 do not (1 blocks run)"),
            (sh("false"), 1, "documents: 0 hold, 1 do not (0 blocks run)"),
        ]:
            self.document.write_text(text)
            result = subprocess.run([sys.executable, run_docs.__file__, "--command", self.command, self.document],
                                    capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (code, last))

    def test_a_document_that_is_not_there_fails(self):
        result = subprocess.run([sys.executable, run_docs.__file__, "--command", self.command, "gone.md"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
