"""Tests the scenario runner with a fake command: right expectations hold, wrong ones fail."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import line_patterns
import run_scenarios

RUNNER = Path(run_scenarios.__file__)

FAKE_COMMAND = """#!/usr/bin/env bash
# fake CODE [OUT [ERR]]: prints OUT and ERR and exits with CODE.
printf '%b' "${2:-}"
printf '%b' "${3:-}" >&2
exit "$1"
"""


class RunnerTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.command = self.place / "fake"
        self.command.write_text(FAKE_COMMAND)
        self.command.chmod(0o755)

    def problem(self, text, keep=False):
        """Runs one scenario in this process. Nothing when it holds, otherwise what is wrong."""
        tools = self.place / "tools"
        if not tools.exists():
            tools.mkdir()
            (tools / "pentimento").symlink_to(self.command)
        scenario = self.place / "scenario.txt"
        scenario.write_text(text)
        return run_scenarios.run_scenario(scenario, tools, keep)

    def assert_holds(self, text):
        self.assertIsNone(self.problem(text))

    def assert_fails(self, text, *parts):
        problem = self.problem(text)
        self.assertIsNotNone(problem, f"must fail:\n{text}")
        self.assertNotIn("the scenario itself is wrong", problem)
        for part in parts:
            self.assertIn(part, problem)

    def assert_wrong(self, text, *parts):
        problem = self.problem(text)
        self.assertIsNotNone(problem, f"must be refused:\n{text}")
        self.assertIn("the scenario itself is wrong", problem)
        for part in parts:
            self.assertIn(part, problem)


class ExpectationTest(RunnerTest):
    def test_the_expected_exit_code_holds_and_another_fails(self):
        self.assert_holds("run pentimento 3\nexit 3\n")
        self.assert_fails("run pentimento 3\nexit 2\n", "line 2", "exit code 3, expected 2", "pentimento 3")
        self.assert_holds("run pentimento 3\nexit nonzero\n")
        self.assert_fails("run pentimento 0\nexit nonzero\n")

    def test_a_run_without_an_exit_step_must_exit_with_0(self):
        self.assert_holds("run pentimento 0\n")
        self.assert_fails("run pentimento 1 '' 'what went wrong'\n", "exit code 1, expected 0", "what went wrong")
        self.assert_fails("run pentimento 1\nrun pentimento 0\n", "exit code 1")
        self.assert_fails("run pentimento 1\nstdout\n", "exit code 1")

    def test_a_death_by_signal_is_an_exit_code_above_128(self):
        self.assert_holds("run kill -9 $$\nexit 137\n")

    def test_lines_of_a_stream_are_compared(self):
        self.assert_holds("run pentimento 0 'a\\nb\\n' 'c\\n'\nstdout\n| a\n| b\nstderr\n| c\n")
        self.assert_fails("run pentimento 0 'a\\nb\\n'\nstdout\n| a\n| x\n", "-x", "+b")
        self.assert_fails("run pentimento 0 'a\\nb\\n'\nstdout\n| a\n", "+b")
        self.assert_fails("run pentimento 0 'a\\n'\nstdout\n| a\n| b\n", "-b")

    def test_a_failed_comparison_shows_the_other_stream_too(self):
        self.assert_fails("run pentimento 2 '' 'the reason\\n'\nstdout\n| a\n", "the reason", "exit code 2")

    def test_a_stream_without_a_block_must_be_empty(self):
        self.assert_holds("run pentimento 0\nstdout\nstderr\n")
        self.assert_fails("run pentimento 0 '' 'x\\n'\nstderr\n", "+x")

    def test_exact_counts_every_byte(self):
        self.assert_holds("run pentimento 0 'a ...\\n'\nstdout exact\n| a ...\n")
        self.assert_fails("run pentimento 0 'a'\nstdout exact\n| a\n")
        self.assert_fails("run pentimento 0 'a b\\n'\nstdout exact\n| a ...\n")
        self.assert_holds("run pentimento 0\nstdout exact\n")

    def test_contains_and_lacks(self):
        run = "run pentimento 0 'one two\\n' 'three\\nfour\\n'\n"
        self.assert_holds(run + "stdout contains ne tw\nstderr contains\n| three\n| our\nstderr lacks two\n")
        self.assert_fails(run + "stdout contains three\n", "stdout lacks: three", "one two")
        self.assert_fails(run + "stderr contains\n| three\n| five\n", "stderr lacks: five")
        self.assert_fails(run + "stderr lacks thr\n", "stderr contains: thr")

    def test_bytes_that_are_no_text_are_shown(self):
        self.assert_holds("run printf '\\xff\\n'\nstdout\n| \\xff\n")

    def test_files_exist_or_are_absent(self):
        run = "run mkdir out; touch out/a.csv\n"
        self.assert_holds(run + "exists out/a.csv out\nexists out/*.csv\nabsent out/b.csv\nabsent *.db\n")
        self.assert_fails(run + "exists out/b.csv\n", "out/b.csv does not exist", "out/a.csv")
        self.assert_fails(run + "absent out/*\n", "out/* exists")

    def test_the_content_of_a_file_is_compared(self):
        run = "run printf 'a,b\\n1,2\\n' > x.csv\n"
        self.assert_holds(run + "content x.csv\n| a,b\n| ...\ncontent x.csv contains 1,2\ncontent x.csv lacks 3\n")
        self.assert_fails(run + "content x.csv\n| a,b\n", "+1,2")
        self.assert_fails(run + "content x.csv contains 3\n")
        self.assert_fails(run + "content y.csv contains 3\n", "must be one file")

    def test_files_and_folders_are_the_same(self):
        run = "run mkdir p q; echo 1 > p/a; echo 1 > q/a; echo 2 > b\n"
        self.assert_holds(run + "same p/a q/a\nsame p q\n")
        self.assert_fails(run + "same p/a b\n", "not the same")
        self.assert_fails(run + "same p/a c\n", "c does not exist")
        self.assert_fails(run + "run touch q/new\nsame p q\n", "new is in one of them only")

    def test_a_scenario_that_takes_too_long_fails_and_its_children_die(self):
        with mock.patch.object(run_scenarios, "TIMEOUT_SECONDS", 1):
            self.assert_fails(f"run echo begun; (sleep 3; touch {self.place}/late) & sleep 30\n", "longer than", "begun")
        subprocess.run(["sleep", "3"], check=True)
        self.assertFalse((self.place / "late").exists())


class FileTest(RunnerTest):
    def test_blocks_are_taken_as_they_stand(self):
        self.assert_holds("file a/b.txt\n| # no comment\n|\n|  \\x {i} | x\nrun cat a/b.txt\nstdout exact\n"
                          "| # no comment\n|\n|  \\x {i} | x\n")

    def test_escapes_make_any_byte(self):
        self.assert_holds("file x escaped\n| \\xEF\\xBB\\xBFa\\r\n| \\xff\\t\\0\\\\\n| end\\\n"
                          "run od -An -tx1 x | tr -d ' \\n'\nstdout\n| efbbbf610d0aff09005c0a656e64\n")

    def test_a_backslash_that_ends_a_line_joins_it_with_the_next(self):
        self.assert_holds("file x escaped\n| a\\\n| b\nrun cat x\nstdout exact\n| ab\n")

    def test_append_and_repeat_generate_files(self):
        self.assert_holds("file x\n| id,age\nappend x repeat 3\n| {i},{i%2+30}\n| {i*10/4} {j}\nrun cat x\nstdout\n"
                          "| id,age\n| 0,30\n| 0 {j}\n| 1,31\n| 2 {j}\n| 2,30\n| 5 {j}\n")

    def test_files_beside_the_scenario_are_copied(self):
        (self.place / "shared").mkdir()
        (self.place / "shared" / "job.csv").write_text("Nurse;*\n")
        self.assert_holds("copy shared/job.csv\ncopy shared\nrun cat job.csv shared/job.csv\nstdout\n| Nurse;*\n| Nurse;*\n")

    def test_each_scenario_has_a_fresh_folder_that_goes_away(self):
        self.assert_holds(f"run pwd > {self.place}/where; ls -A\nstdout\n")
        self.assertFalse(Path((self.place / "where").read_text().strip()).exists())

    def test_a_locked_folder_goes_away_too(self):
        self.assert_holds(f"run pwd > {self.place}/where; mkdir -p a/b; touch a/b/c; chmod 000 a/b a\n")
        self.assertFalse(Path((self.place / "where").read_text().strip()).exists())

    def test_a_failing_scenario_is_kept_on_request(self):
        problem = self.problem("run touch trace; false\n", keep=True)
        kept = Path(re.search(r"kept: (.*)", problem)[1])
        self.assertTrue((kept / "trace").exists())
        run_scenarios.remove_folder(kept.parent)

    def test_the_environment_holds_no_surprises(self):
        with mock.patch.dict(os.environ, {"PENTIMENTO_FAILPOINT": "x", "LC_NUMERIC": "de_DE"}):
            self.assert_holds("run echo $PENTIMENTO_FAILPOINT$LC_NUMERIC-$LC_ALL; ls -A ~; cat\nstdout\n| -C.UTF-8\n")


class MistakeTest(RunnerTest):
    def test_mistakes_in_a_scenario_are_reported_with_their_line(self):
        self.assert_wrong("run true\n\nexpect 3\n", "line 3", "unknown step 'expect'")
        self.assert_wrong("| x\nrun true\n", "line 1", "belongs to no step")
        self.assert_wrong("stdout\n| x\nrun true\n", "line 1", "needs a run before it")
        self.assert_wrong("run true\nexit soon\n", "line 2")
        self.assert_wrong("run true\nstdout holds x\n", "line 2")
        self.assert_wrong("run true\nstdout contains\n", "contains what?")
        self.assert_wrong("file x once\nrun true\n", "no option")
        self.assert_wrong("file x escaped\n| \\q\nrun true\n", "backslash")
        self.assert_wrong("file ../x\nrun true\n", "outside")
        self.assert_wrong("run true\nstdout\n| /(/\n", "regular expression")
        self.assert_wrong("copy nothing.csv\nrun true\n", "no ")
        self.assert_wrong("run\n", "needs a command")

    def test_a_scenario_that_runs_nothing_is_no_scenario(self):
        self.assert_wrong("# only words\n", "nothing is run")


class PatternTest(unittest.TestCase):
    def test_wildcard_lines_stand_for_any_number_of_lines(self):
        for patterns, lines, expected in [
            (["..."], [], True),
            (["..."], ["a", "b"], True),
            (["a", "..."], ["a"], True),
            (["...", "b"], ["a", "b", "b"], True),
            (["...", "b", "...", "c"], ["b", "x", "b", "c"], True),
            (["...", "b"], ["b", "a"], False),
            (["a", "...", "a"], ["a"], False),
            ([], [], True),
            ([], ["a"], False),
            (["a"], [], False),
        ]:
            with self.subTest(patterns=patterns, lines=lines):
                self.assertEqual(line_patterns.matches(patterns, lines), expected)

    def test_wildcards_inside_a_line_and_regular_expressions(self):
        self.assertTrue(line_patterns.matches(["took ... s."], ["took 1.25 s."]))
        self.assertFalse(line_patterns.matches(["took ... s."], ["took 1.25 ms"]))
        self.assertFalse(line_patterns.matches(["a.c"], ["abc"]))
        self.assertTrue(line_patterns.matches([r"/\d+ rows?/"], ["12 rows"]))
        self.assertFalse(line_patterns.matches([r"/\d+/"], ["12 rows"]))


class CommandLineTest(RunnerTest):
    def run_runner(self, *arguments):
        result = subprocess.run([sys.executable, RUNNER, "--command", self.command, *arguments],
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout, result.stderr

    def test_the_last_line_counts_and_the_exit_code_tells(self):
        folder = self.place / "scenarios" / "deep"
        folder.mkdir(parents=True)
        (folder / "good.txt").write_text("# All is well\nrun pentimento 0\n")
        code, output, _ = self.run_runner(folder.parent)
        self.assertEqual((code, output), (0, "1 passed, 0 failed\n"))
        (folder / "bad.txt").write_text("# Something is off\nrun pentimento 5\nexit 4\n")
        code, output, _ = self.run_runner(folder.parent)
        self.assertEqual(code, 1)
        self.assertEqual(output.splitlines()[-1], "1 passed, 1 failed")
        self.assertIn("bad.txt: Something is off", output)
        self.assertEqual(self.run_runner(folder.parent, "--filter", "is well")[0], 0)
        self.assertEqual(self.run_runner(folder.parent, "--filter", "bad.txt")[0], 1)

    def test_running_nothing_is_a_failure(self):
        (self.place / "empty").mkdir()
        for arguments in ([self.place / "empty"], [self.place / "gone"]):
            code, _, errors = self.run_runner(*arguments)
            self.assertEqual(code, 2, errors)

    def test_a_command_that_is_not_there_is_a_failure(self):
        self.command.unlink()
        self.assertEqual(self.run_runner(self.place)[0], 2)


if __name__ == "__main__":
    unittest.main()
