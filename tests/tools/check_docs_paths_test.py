"""Plants wrong paths in small trees, and sees each caught."""

import unittest
from pathlib import Path

from script_on_tree import load, run_on

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_docs_paths"

TABLE = "# Architecture\n\n## To change X, look at Y\n\n| to change | look at |\n|---|---|\n"
README = ("**`base/`** is below. Read [result.h](base/result.h), see [the picture](../ARCHITECTURE.md#layers).\n\n"
          "**`engine/`** is the order;\n`series/` is for registers.\n")
CLEAN_TREE = {
    "src/base/result.h": "",
    "src/engine/publish.cc": "",
    "src/engine/release_steps.cc": "",
    "src/engine/series/publish_series.cc": "",
    "src/engine/series/same.h": "",
    "src/base/same.h": "",
    "docs/table.md": "",
    "src/README.md": README,
    "ARCHITECTURE.md": TABLE + "| the order | `src/engine/publish.cc`; of a series `series/publish_series.cc`; alike `release_steps.cc` |\n",
}


check_docs_paths = load(SCRIPT)


def check(changes):
    return run_on(check_docs_paths, CLEAN_TREE | changes)


class CheckDocsPathsTest(unittest.TestCase):
    def assert_row(self, look_at, *wrong):
        code, output = check({"ARCHITECTURE.md": TABLE + f"| something | {look_at} |\n"})
        self.assertEqual(code, 1 if wrong else 0, output)
        for part in wrong:
            self.assertIn(part, output)
        if wrong:
            self.assertIn(f"docs paths: {len(wrong)} wrong", output)

    def test_a_clean_tree_passes(self):
        self.assertEqual(check({}), (0, "docs paths: the maps of the code are right\n"))

    def test_a_path_that_does_not_exist_is_caught_with_its_line(self):
        self.assert_row("`src/engine/gone.cc`", "ARCHITECTURE.md:7: `src/engine/gone.cc` does not exist")
        self.assert_row("`src/gone/`, `src/engine/publish.cc`", "`src/gone/`")

    def test_a_bare_name_is_looked_for_beside_what_the_cell_names_before_it(self):
        self.assert_row("`src/engine/series/publish_series.cc`, `same.h`")
        self.assert_row("`src/engine/series/`, `same.h`; `src/base/`; `engine/`")

    def test_a_bare_name_is_found_anywhere_where_it_is_unique(self):
        self.assert_row("`publish_series.cc`")
        self.assert_row("`same.h`", "`same.h` does not exist")

    def test_a_bare_name_that_exists_nowhere_is_caught(self):
        self.assert_row("`src/engine/publish.cc`, `gone.cc`, `gone/publish_series.cc`", "`gone.cc`", "`gone/publish_series.cc`")

    def test_a_cell_knows_nothing_of_the_cell_above(self):
        code, output = check({"ARCHITECTURE.md": TABLE + "| one | `src/engine/series/` |\n| two | `same.h` |\n"})
        self.assertEqual(code, 1)
        self.assertIn("ARCHITECTURE.md:8: `same.h`", output)

    def test_words_that_are_no_paths_are_left_alone(self):
        self.assert_row('with `method = "specialize"` and `alpha-k-anonymity`, `Verify`')

    def test_links_are_followed_without_their_anchor(self):
        self.assert_row("[table.md](docs/table.md#cells), [elsewhere](https://example.org/gone.md)")
        self.assert_row("[table.md](docs/gone.md#cells)", "the link to docs/gone.md#cells leads nowhere")

    def test_a_table_that_is_missing_is_a_mistake_and_not_a_pass(self):
        code, output = check({"ARCHITECTURE.md": "# Architecture\n"})
        self.assertEqual(code, 1)
        self.assertIn("there is no table", output)

    def test_a_folder_that_the_readme_does_not_name_is_caught(self):
        for name in ("src/table/table.h", "src/engine/query/parse.cc", "src/engine/series/deep/a.h"):
            with self.subTest(name):
                code, output = check({name: ""})
                self.assertEqual(code, 1)
                self.assertIn(f"{Path(name).parent}/ is not named", output)

    def test_a_subfolder_is_named_whole_or_in_the_paragraph_of_its_folder(self):
        query = {"src/engine/query/parse.cc": ""}
        self.assertEqual(check(query | {"src/README.md": README + "\nCounts are asked in `engine/query/`.\n"})[0], 0)
        self.assertEqual(check(query | {"src/README.md": README + "\nSee [parse.cc](engine/query/parse.cc).\n"})[0], 0)
        self.assertEqual(check(query | {"src/README.md": README + "`query/` asks.\n"})[0], 0)
        self.assertEqual(check(query | {"src/README.md": README + "\n`query/` of some other folder.\n"})[0], 1)

    def test_a_folder_without_code_needs_no_name(self):
        self.assertEqual(check({"src/notes/page.md": ""})[0], 0)

    def test_a_link_of_the_readme_that_leads_nowhere_is_caught(self):
        code, output = check({"src/README.md": README + "Read [it](engine/gone.h).\n"})
        self.assertEqual(code, 1)
        self.assertIn("src/README.md:5: the link to engine/gone.h leads nowhere", output)


if __name__ == "__main__":
    unittest.main()
