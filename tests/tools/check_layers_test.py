"""Plants violations of the layers in small trees, and sees each caught."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from script_on_tree import load, run_on

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "scripts" / "check_layers"

CLEAN_TREE = {
    "src/base/result.h": "#pragma once\n#include <string>\n#include <utility>\n",
    "src/base/parallel.cc": "#include <tbb/parallel_for.h>\n#include <xxhash.h>\n#include <sodium.h>\n",
    "src/table/table.h": '#include "base/result.h"\n',
    "src/policy/policy.cc": '#include <toml++/toml.h>\n#include "fmt/core.h"\n#include "policy/policy.h"\n',
    "src/policy/policy.h": '#include "base/result.h"\n',
    "src/guarantee/verifier.h": '#include "table/table.h"\n',
    "src/anonymize/maker.h": '#include "table/table.h"\n',
    "src/audit/attack.h": '#include "table/table.h"\n',
    "src/io/cells.h": '#include "table/table.h"\n',
    "src/files/reader.h": "",
    "src/files/reader.cc": '#include <arrow/api.h>\n#include <parquet/file_reader.h>\n#include "io/cells.h"\n',
    "src/ledger/ledger.cc": "#include <sqlite3.h>\n#include <nlohmann/json.hpp>\n",
    "src/cli/main.cc": '#include <CLI/CLI.hpp>\n#include "anonymize/maker.h"\n',
    "src/README.md": "The folders in the order data flows.\n",
    "tests/oracle/oracle.h": '#include "table/table.h"\n',
    "tests/oracle/oracle_test.cc": '#include <gtest/gtest.h>\n#include "oracle/oracle.h"\n#include "tests/oracle/oracle.h"\n',
    "tests/property/verifier_test.cc": '#include "guarantee/verifier.h"\n',
}


check_layers = load(CHECK_LAYERS)


def check(changes):
    """The exit code and the output of check_layers on the clean tree with the given files changed."""
    return run_on(check_layers, CLEAN_TREE | changes)


class CheckLayersTest(unittest.TestCase):
    def assert_caught(self, name, text, *expected):
        code, output = check({name: text})
        self.assertEqual(code, 1, f"not caught: {name}: {text}\n{output}")
        for part in (name, *expected, "layers: 1 violations"):
            self.assertIn(part, output)

    def test_a_clean_tree_passes(self):
        self.assertEqual(check({}), (0, "layers: all includes point down, none in a circle, every type has a name of its own\n"))

    def test_an_include_that_points_up_is_caught(self):
        self.assert_caught("src/base/a.h", '#include <vector>\n#include "table/table.h"\n', "a.h:2:", "points up")
        self.assert_caught("src/guarantee/a.cc", '#include "anonymize/maker.h"\n', "points up")
        self.assert_caught("src/io/a.cc", '#include "files/reader.h"\n', "points up")

    def test_an_include_that_points_sideways_is_caught(self):
        self.assert_caught("src/audit/a.cc", '#include "anonymize/maker.h"\n', "points sideways")
        self.assert_caught("src/table/a.cc", '#include "policy/policy.h"\n', "points sideways")

    def test_a_test_beside_the_code_is_held_to_the_same_order(self):
        self.assert_caught("src/table/a_test.cc", '#include "guarantee/verifier.h"\n', "points up")

    def test_angle_brackets_and_odd_spacing_do_not_hide_an_include(self):
        self.assert_caught("src/base/a.h", "  #  include<table/table.h>\n", "points up")

    def test_a_subfolder_has_the_layer_of_its_folder(self):
        self.assert_caught("src/guarantee/deep/a.cc", '#include "anonymize/maker.h"\n', "points up")

    def test_third_party_headers_outside_their_home_are_caught(self):
        headers = {
            "arrow/api.h": "files",
            "parquet/types.h": "files",
            "sqlite3.h": "ledger",
            "toml++/toml.h": "policy",
            "tbb/task_group.h": "base",
            "sodium.h": "base",
            "sodium/crypto_hash.h": "base",
            "xxhash.h": "base",
            "CLI/CLI.hpp": "cli",
        }
        for header, home in headers.items():
            with self.subTest(header):
                self.assert_caught("src/engine/a.cc", f"#include <{header}>\n", f"src/{home} alone")
                self.assert_caught("src/engine/a.cc", f'#include "{header}"\n', f"src/{home} alone")
        self.assert_caught("tests/property/a_test.cc", "#include <arrow/api.h>\n", "src/files alone")
        self.assert_caught("src/io/a.cc", "#include <arrow/api.h>\n", "src/files alone")

    def test_json_in_a_header_is_caught(self):
        self.assert_caught("src/report/a.h", "#include <nlohmann/json.hpp>\n", ".cc files only")
        self.assertEqual(check({"src/report/a.cc": "#include <nlohmann/json.hpp>\n"})[0], 0)

    def test_names_that_say_nothing_are_caught(self):
        for name in ("src/base/util.h", "src/table/table_utils.cc", "src/io/misc_test.cc", "tests/property/helpers.h"):
            with self.subTest(name):
                self.assert_caught(name, "", "attracts everything")
        code, output = check({"src/io/common/reader.h": ""})
        self.assertEqual(code, 1)
        self.assertIn("src/io/common:", output)

    def test_words_that_only_hold_a_vague_name_pass(self):
        self.assertEqual(check({"src/utility/common_ancestor.h": "", "src/utility/metrics.h": ""})[0], 0)

    def test_an_oracle_that_shares_code_with_the_judged_is_caught(self):
        for header in ("guarantee/verifier.h", "anonymize/maker.h", "audit/attack.h", "src/guarantee/verifier.h"):
            with self.subTest(header):
                self.assert_caught("tests/oracle/a.h", f'#include "{header}"\n', "shares no code")

    def test_a_header_that_does_not_exist_is_caught(self):
        self.assert_caught("src/base/a.cc", '#include "base/gone.h"\n', "does not exist")
        self.assert_caught("src/base/a.cc", '#include "result.h"\n', "does not exist")
        self.assert_caught("src/base/a.cc", '#include "base/../table/table.h"\n', "does not exist")
        self.assert_caught("src/base/a.cc", "#include <base/gone.h>\n", "does not exist")

    def test_an_include_hidden_in_a_macro_is_caught(self):
        self.assert_caught("src/base/a.cc", "#include SOME_HEADER\n", "a macro hides it")

    def assert_equal_names_caught(self, first, second, name):
        code, output = check({"src/table/a.h": first, "src/guarantee/b.h": second})
        self.assertEqual(code, 1, f"not caught: {first} and {second}")
        for part in ("layers: 1 violations", "src/table/a.h", "src/guarantee/b.h", f" {name} is defined in "):
            self.assertIn(part, output)

    def test_two_types_of_one_qualified_name_are_caught(self):
        first = "namespace pentimento {\nclass Index {\n public:\n  int a;\n};\n}\n"
        for second in (
            "namespace pentimento {\nstruct Index {};\n}\n",
            "namespace pentimento {\n// It's a comment: {\nstruct Index final : Base<int> {\n};\n}\n",
            'namespace pentimento {\n#define OPEN {\ninline auto a = R"x({")x";\nenum class Index : char { kA };\n}\n',
            "namespace other { struct A {}; }\nnamespace pentimento {\n"
            "template <class T, typename U>\nstruct alignas(64) Index {};\n}\n",
            "namespace pentimento {\ninline int F() { return '{' + 1'000; }\nclass [[nodiscard]] Index {};\n}\n",
        ):
            with self.subTest(second):
                self.assert_equal_names_caught(first, second, "pentimento::Index")
        self.assert_equal_names_caught(
            "namespace a::b { struct Outer { int x; struct Inner { int y; }; }; }\n",
            "namespace a { namespace b { struct Outer; struct Outer::Inner {}; } }\n", "a::b::Outer::Inner")

    def test_types_that_only_look_equal_pass(self):
        first = "namespace pentimento { struct Index { struct Node {}; }; }\n"
        for second in (
            "namespace pentimento { class Index; struct Index* Find(); }\n",
            "namespace pentimento::join { struct Index {}; struct Node {}; }\n",
            "namespace pentimento { namespace { struct Index {}; } }\n",
            "namespace pentimento { inline void F() { struct Index {}; } struct Other { struct Node {}; }; }\n",
            "namespace pentimento { inline struct Index F() { return {}; } template <> struct Index<int> {}; }\n",
            'namespace pentimento { inline const char* a = "struct Index {"; // struct Index {\n}\n',
        ):
            with self.subTest(second):
                self.assertEqual(check({"src/table/a.h": first, "src/guarantee/b.h": second})[0], 0)

    def assert_circles(self, files, *circles):
        code, output = check(files)
        self.assertEqual(code, 1, output)
        for circle in circles:
            self.assertIn(circle, output)
        self.assertIn(f"layers: {len(circles)} violations", output)
        return output

    def test_two_subfolders_that_include_each_other_are_caught(self):
        output = self.assert_circles({
            "src/engine/series/a.h": "#pragma once\n",
            "src/engine/series/a.cc": '#include <vector>\n#include "engine/query/b.h"\n',
            "src/engine/query/b.h": '#include "engine/series/a.h"\n',
        }, "src/engine/query -> src/engine/series -> src/engine/query")
        self.assertIn('    src/engine/series/a.cc:2: "engine/query/b.h"', output)
        self.assertIn('    src/engine/query/b.h:1: "engine/series/a.h"', output)

    def test_a_folders_own_files_count_as_a_subfolder(self):
        self.assert_circles({
            "src/engine/publish.h": '#include "engine/series/a.h"\n',
            "src/engine/series/a.h": "",
            "src/engine/series/a.cc": '#include "engine/publish.h"\n',
        }, "src/engine -> src/engine/series -> src/engine")

    def test_a_longer_circle_is_caught_once(self):
        output = self.assert_circles({
            "src/engine/a/a.h": '#include "engine/b/b.h"\n',
            "src/engine/b/b.h": '#include "engine/c/c.h"\n',
            "src/engine/c/c.h": "",
            "src/engine/c/d.h": '#include "engine/a/a.h"\n',
        }, "src/engine/a -> src/engine/b -> src/engine/c -> src/engine/a")
        self.assertEqual(output.count("\n    "), 3)

    def test_circles_that_share_a_subfolder_are_all_told(self):
        self.assert_circles({
            "src/engine/a/a.h": '#include "engine/b/b.h"\n#include "engine/c/c.h"\n',
            "src/engine/a/z.h": "",
            "src/engine/b/b.h": '#include "engine/a/z.h"\n',
            "src/engine/c/c.h": '#include "engine/a/z.h"\n',
        }, "src/engine/a -> src/engine/b -> src/engine/a", "src/engine/a -> src/engine/c -> src/engine/a")

    def test_a_subfolder_of_a_subfolder_is_one_of_its_own(self):
        self.assert_circles({
            "src/engine/a/a.h": '#include "engine/a/deep/b.h"\n',
            "src/engine/a/deep/b.h": "",
            "src/engine/a/deep/c.h": '#include "engine/a/a.h"\n',
        }, "src/engine/a -> src/engine/a/deep -> src/engine/a")

    def test_tests_and_includes_in_one_direction_make_no_circle(self):
        self.assertEqual(check({
            "src/engine/publish.h": '#include "engine/series/a.h"\n#include "engine/query/b.h"\n',
            "src/engine/series/a.h": '#include "engine/query/b.h"\n#include "engine/series/c.h"\n',
            "src/engine/series/c.h": "",
            "src/engine/query/b.h": "",
            "src/engine/query/b_test.cc": '#include "engine/series/a.h"\n#include "engine/publish.h"\n',
        })[0], 0)

    def test_code_outside_every_layer_is_caught(self):
        self.assert_caught("src/a.cc", "", "lives in a folder")
        code, output = check({"src/elsewhere/a.cc": ""})
        self.assertEqual(code, 1)
        self.assertIn("src/elsewhere: this folder has no layer", output)

    def test_a_root_without_sources_is_a_mistake_and_not_a_pass(self):
        with tempfile.TemporaryDirectory() as root:
            result = subprocess.run([sys.executable, CHECK_LAYERS, root], capture_output=True, check=False)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
