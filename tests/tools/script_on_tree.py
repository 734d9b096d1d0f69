"""For tests of scripts that look at a source tree: loads one, and runs it on a small tree."""

import contextlib
import importlib.machinery
import importlib.util
import io
import tempfile
from pathlib import Path


def load(path):
    """The script as a module: it has no .py to import it by."""
    spec = importlib.util.spec_from_loader(path.name, importlib.machinery.SourceFileLoader(path.name, str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_on(script, tree):
    """The exit code and the output of the script's main() on a tree of these files: texts by path."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in tree.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = script.main([root])
        return code, printed.getvalue()
