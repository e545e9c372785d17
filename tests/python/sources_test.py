#!/usr/bin/python3
"""plumbline_techniques.sources: which files and which tuned kernels belong to a source. Needs no torch."""

import importlib.util
import pathlib
import sys
import tempfile
import textwrap
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "harness/backends/python/plumbline_techniques"
spec = importlib.util.spec_from_file_location("sources", PACKAGE / "sources.py")
sources = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sources)

TUNED = """
    class Tuned:
        def __init__(self, size):
            self.size = size

        def __call__(self, more=0):
            self.best_config = f"SIZE: {self.size + more}"
"""


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        known, path = set(sys.modules), list(sys.path)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in set(sys.modules) - known])
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), path))

    def opened(self, name, text=""):
        self.plant(name, text)
        source = sources.Source(str(self.folder / name))
        source.enter()
        return source

    def plant(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def names(self, source):
        return [str(pathlib.Path(file).relative_to(self.folder)) for file in source.files()]

    def test_a_source_of_the_same_folder_is_no_part_of_another(self):
        self.plant("tuned.py", TUNED)
        first = self.opened("first.py", "from tuned import Tuned\nadd_kernel = Tuned(1024)\n")
        second = self.opened("second.py", "import tuned\nsoftmax_kernel = tuned.Tuned(64)\n")
        third = self.opened("third.py")
        self.assertEqual(self.names(first), ["first.py", "tuned.py"])
        self.assertEqual(self.names(second), ["second.py", "tuned.py"])
        self.assertEqual(self.names(third), ["third.py"])

    def test_a_plan_names_the_tuned_kernels_that_its_function_launched(self):
        self.plant("tuned.py", TUNED)
        both = self.opened("both.py", "from tuned import Tuned\nadd = Tuned(1024)\nsoftmax = Tuned(64)\n")
        self.opened("other.py", "import tuned\nmul = tuned.Tuned(8)\n").module.mul()
        with both.watched_tuning() as of_add:
            both.module.add()
        with both.watched_tuning() as of_softmax:
            both.module.softmax()
        with both.watched_tuning() as of_another_size:
            both.module.add(1)
        with both.watched_tuning() as of_none:
            pass
        self.assertEqual(of_add, [("add", "SIZE: 1024")])
        self.assertEqual(of_softmax, [("softmax", "SIZE: 64")])
        self.assertEqual(of_another_size, [("add", "SIZE: 1025")])
        self.assertEqual(of_none, [])
        self.assertEqual(both.module.softmax.best_config, "SIZE: 64")  # left as it was

    def test_what_is_imported_through_others_in_packages_and_late_is_part_of_it(self):
        self.plant("kernels/__init__.py", "from . import adds\n")
        self.plant("kernels/adds.py", "from .deeper import sums\n")
        self.plant("kernels/deeper.py", "import constants\nsums = constants.SIZE\n")
        self.plant("constants.py", "SIZE = 1\n")
        self.plant("late.py", "")
        self.plant("named.py", "")
        self.plant("stranger.py", "")
        source = self.opened("ops.py", """
            import importlib
            import kernels.adds
            importlib.import_module("named")

            def call():
                import late
        """)
        self.opened("other.py", "import stranger\n")
        source.named("call")()
        expected = ["constants.py", "kernels/__init__.py", "kernels/adds.py", "kernels/deeper.py", "late.py", "named.py",
                    "ops.py"]  # fmt: skip
        self.assertEqual(self.names(source), expected)


if __name__ == "__main__":
    unittest.main()
