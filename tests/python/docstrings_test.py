"""The examples of the docstrings are true."""

import doctest
import importlib
import pkgutil
import unittest

import pentimento


def load_tests(loader, tests, pattern):
    for module in pkgutil.iter_modules(pentimento.__path__, "pentimento."):
        tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name), optionflags=doctest.ELLIPSIS))
    tests.addTests(doctest.DocTestSuite(pentimento))
    return tests


class StubsTest(unittest.TestCase):
    def test_everything_in_the_module_is_in_its_stub(self):
        import ast
        from pathlib import Path

        from pentimento import _core

        stub = ast.parse((Path(pentimento.__file__).parent / "_core.pyi").read_text())
        told = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        told |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(told, {name for name in dir(_core) if not name.startswith("_")})


if __name__ == "__main__":
    unittest.main()
