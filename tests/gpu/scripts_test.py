#!/usr/bin/python3
"""The evidence scripts are programs: they can be called, describe themselves, and report what is missing. The page of this
folder has every test. Needs no GPU."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = "aa agreement bandwidth cases collectives_table crosscheck custom_speed do_bench_table eviction long_run pairs peers speed"


def called(*words):
    return subprocess.run(words, capture_output=True, encoding="utf-8", timeout=60)


class Scripts(unittest.TestCase):
    def test_each_can_be_called_and_says_what_it_is(self):
        for name in SCRIPTS.split():
            with self.subTest(name):
                script = HERE / f"{name}.py"
                self.assertTrue(os.access(script, os.X_OK), "it is not executable")
                done = called(script, "--help")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"usage: {name}.py", done.stdout)

    def test_each_ends_with_2_where_there_is_no_run(self):
        for name in "aa agreement bandwidth crosscheck custom_speed eviction speed".split():
            with self.subTest(name):
                runs = ["/nowhere"] * (2 if name == "aa" else 1)
                done = called(HERE / f"{name}.py", *runs)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("error: /nowhere", done.stderr)

    def test_a_peer_without_its_package_ends_with_2_and_names_it(self):
        for peer, package in (("do_bench", "torch and no triton"), ("nvbench", "torch and no cuda.bench")):
            with self.subTest(peer):  # -S: a Python without installed packages
                done = called(sys.executable, "-S", HERE / "peers.py", "--peer", peer, "--out", os.devnull)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"error: found no {package}", done.stderr)


class Page(unittest.TestCase):
    def test_it_has_every_test(self):
        page = (HERE / "README.md").read_text(encoding="utf-8")
        names = [path.stem.removesuffix("_test") for path in HERE.glob("*_test.py")]
        self.assertEqual([name for name in names if f"`gpu.{name}`" not in page and f"`{name}_test.py`" not in page], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
