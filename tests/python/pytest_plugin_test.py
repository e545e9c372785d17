#!/usr/bin/python3
"""pytest --plumbline: a user's benchmarks are recorded, compared and accepted; what is refused; names of cases.

Argument: the program plumbline. Exit code 77 if there is no pytest.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMBLINE = pathlib.Path(sys.argv.pop(1)).absolute()
PACKAGE = ROOT / "harness/python"
sys.path.insert(0, str(PACKAGE))

if importlib.util.find_spec("pytest") is None:
    print("skipped: no pytest")
    sys.exit(77)

import plumbline_gpu as pl

OPS = "def work(n):\n    return sum(i * i for i in range({}))\n"
BENCH = """
    import pytest
    from ops import work

    @pytest.mark.parametrize("n", [2000, 8000])
    def test_squares(plumbline_bench, n):
        assert plumbline_bench(work, n) > 0

    def test_sort(plumbline_bench):
        numbers = list(range(20000, 0, -1))
        assert plumbline_bench(sorted, numbers)[0] == 1
"""
# Only ten times the work counts: a busy machine may take twice as long for the same.
WIDE = ("--threshold", "90%", "--margin", "90%")
SQUARES = "squares/python/n=8000/test=bench_ops.test_squares"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumbline-pytest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(textwrap.dedent(text))

    def pytest(self, code, *words):
        environment = os.environ | {"PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-p", "plumbline_gpu.pytest_plugin", "-p", "no:cacheprovider"]
        done = subprocess.run([*command, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def plumbline(self, *words):
        done = subprocess.run([PLUMBLINE, *words], cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def verdicts(self, old, new, *words):
        code, told = self.plumbline("compare", old, new, "-o", "c.json", *words)
        self.assertNotIn("error", told)
        verdicts = pl.read_run(self.folder / new, self.folder / "c.json").verdicts
        return code, {row["case"]: row["verdict"] for row in verdicts}


class EndToEnd(Folder):
    def test_unchanged_code_is_not_slower_and_code_made_slower_is(self):
        self.write("ops.py", OPS.format("n"))
        self.write("bench_ops.py", BENCH)
        for name in ("old", "new"):
            told = self.pytest(0, "bench_ops.py", "--plumbline", f"runs/{name}")
            self.assertRegex(told, rf"{re.escape(SQUARES)}  [0-9.]+ (µs|ms)")
            self.assertIn(f"runs/{name}: 3 cases, 3 rounds; plumbline compare BASE runs/{name}", told)
        _, verdicts = self.verdicts("runs/old", "runs/new", "--trust-screen", *WIDE)
        self.assertEqual(len(verdicts), 3)
        self.assertTrue(set(verdicts.values()) <= {"SAME", "UNRESOLVED", "FASTER"}, verdicts)

        self.write("ops.py", OPS.format("10 * n"))
        self.pytest(0, "bench_ops.py", "--plumbline", "runs/slow")
        code, verdicts = self.verdicts("runs/old", "runs/slow", "--trust-screen", *WIDE)
        self.assertEqual((code, verdicts[SQUARES]), (1, "SLOWER"))
        self.assertNotIn(verdicts["sort/python/test=bench_ops.test_sort"], ("SLOWER", "BROKEN"))
        code, told = self.plumbline("compare", "runs/old", "runs/slow", *WIDE)
        self.assertEqual(code, 3)  # with only two runs, either may have had a bad night
        self.assertIn("source file ops.py", told)
        self.assertIn("Measure both again with pytest --plumbline", told)
        self.assertNotIn("plumbline check", told)

        self.assertEqual(self.plumbline("report", "c.json", "-o", "page.html")[0], 0)
        self.assertIn("test=bench_ops.test_squares", (self.folder / "page.html").read_text())
        code, told = self.plumbline("accept", "runs/old", "--baselines", "baselines", "--even-so", "a test")
        self.assertEqual(code, 0, told)
        code, told = self.plumbline("compare", "baselines", "runs/slow", "--trust-screen", *WIDE)
        self.assertEqual(code, 1, told)

    def test_files_of_pytest_benchmarks_form_need_no_change(self):
        self.write("test_form.py", """
            import pytest

            def test_call(benchmark):
                assert benchmark(max, 3, 4, key=lambda x: -x) == 3
                assert benchmark.disabled or benchmark.stats["min"] > 0

            def test_decorated(benchmark):
                @benchmark
                def result():
                    return 7
                assert result == 7

            @pytest.mark.benchmark(group="joining", min_rounds=3)
            def test_setup(benchmark):
                made = []
                def setup():
                    made.append(1)
                    return (["a"] * 100,), {}
                benchmark.extra_info["letters"] = 100
                assert benchmark.pedantic("".join, setup=setup, rounds=12, warmup_rounds=1) == "a" * 100
                assert len(made) in (1, 13)
        """)  # fmt: skip
        self.pytest(0, "--plumbline", "run", "--plumbline-benchmark", "--plumbline-rounds", "2")
        run = pl.read_run(self.folder / "run")
        setup = "joining/python/test=test_form.test_setup"
        self.assertEqual(sorted(set(run.visits["case"])), sorted({
            "call/python/test=test_form.test_call", "decorated/python/test=test_form.test_decorated", setup}))
        self.assertEqual(set(run.visits["status"]), {"OK"})
        self.assertEqual(run.info["extra_info"], {setup: {"letters": 100}})
        of_setup = [row for row in run.samples if row["case"] == setup]
        self.assertEqual((len(of_setup), {row["block"] for row in of_setup}), (24, {0, 1}))
        self.assertIn("3 passed", self.pytest(0, "--plumbline-benchmark"))  # without --plumbline

    def test_each_round_is_a_process_and_has_each_case_once(self):
        self.write("test_a.py", "def test_a(plumbline_bench): plumbline_bench(len, [])\ndef test_other(): pass\n")
        self.pytest(0, "--plumbline", "run", "--plumbline-rounds", "4", "--junitxml", "j.xml")
        run = pl.read_run(self.folder / "run")
        self.assertEqual((run.visits["round"], len(set(run.visits["worker"]))), ([0, 1, 2, 3], 4))
        self.assertEqual({w["name"] for w in run.info["workers"]}, set(run.visits["worker"]))
        self.assertEqual(run.warnings, [])
        self.assertIn("test_other", (self.folder / "j.xml").read_text())  # from the first round

    def test_without_the_option_a_callable_is_called_once(self):
        self.write("test_a.py", """
            def test_a(plumbline_bench):
                calls = []
                plumbline_bench(calls.append, 1)
                assert calls == [1] and plumbline_bench.disabled and plumbline_bench.stats is None
        """)  # fmt: skip
        self.pytest(0)


class Failures(Folder):
    def test_a_wrong_result_and_an_exception_have_no_time_and_are_broken(self):
        text = """
            def test_wrong(plumbline_bench):
                assert plumbline_bench(len, "ab") == {}
            def test_raising(plumbline_bench):
                plumbline_bench(lambda: 1 / {})
        """  # fmt: skip
        self.write("test_a.py", text.format(2, 1))
        self.pytest(0, "--plumbline", "old")
        self.write("test_a.py", text.format(3, 0))
        told = self.pytest(1, "--plumbline", "new")
        self.assertIn("CRASHED (ZeroDivisionError: division by zero)", told)
        states = {row["case"]: (row["status"], row["reason"]) for row in pl.read_run(self.folder / "new").visits}
        self.assertEqual(states["raising/python/test=test_a.test_raising"][0], "CRASHED")
        status, reason = states["wrong/python/test=test_a.test_wrong"]
        self.assertEqual(status, "WRONG")
        self.assertIn("the test failed: ", reason)
        code, verdicts = self.verdicts("old", "new")
        self.assertEqual((code, set(verdicts.values())), (1, {"BROKEN"}))

    def test_a_round_that_fails_in_a_process_of_its_own_is_shown(self):
        self.write("test_a.py", """
            import os
            def test_a(plumbline_bench):
                plumbline_bench(len, "")
                assert os.environ.get("PLUMBLINE_PYTEST_ROUND") != "1", "only there"
        """)  # fmt: skip
        told = self.pytest(1, "--plumbline", "run")
        self.assertIn("round 2 failed, in a process of its own (exit code 1):", told)
        self.assertIn("only there", told)

    def test_a_run_that_was_stopped_is_not_finished(self):
        self.write("test_a.py", "def test_a(plumbline_bench): plumbline_bench(len, '')\n"
                                "def test_b(): raise KeyboardInterrupt\n")  # fmt: skip
        self.assertIn("run is not finished: pytest was stopped", self.pytest(2, "--plumbline", "run"))
        self.assertIsNone(pl.read_run(self.folder / "run").info["finished_at"])

    def test_nonsense_is_refused_in_words(self):
        self.write("test_a.py", "def test_a(plumbline_bench): plumbline_bench(len, '')\n")
        (self.folder / "there").mkdir()
        (self.folder / "there/x").write_text("")
        told = self.pytest(4, "--plumbline", "there")
        self.assertIn("--plumbline there: it is there already; name a new folder", told)
        for rounds in ("0", "many", "-1"):
            told = self.pytest(4, "--plumbline", "r", f"--plumbline-rounds={rounds}")
            self.assertIn(f"--plumbline-rounds {rounds}: expected an integer from 1", told)
        self.write("test_b.py", "def test_b(): pass\n")
        self.assertIn("nothing was measured: no test that ran uses", self.pytest(0, "test_b.py", "--plumbline", "r"))
        self.assertFalse((self.folder / "r").exists())
        self.write("test_c.py", """
            import pytest
            @pytest.mark.parametrize("n", ["a b", "a_b"])
            def test_c(plumbline_bench, n): plumbline_bench(len, n)
        """)  # fmt: skip
        told = self.pytest(4, "test_c.py", "--plumbline", "r")
        self.assertIn("test_c.py::test_c[a_b] and test_c.py::test_c[a b] are one case, 'c/python/n=a_b/", told)

    def test_a_fixture_is_for_one_callable(self):
        for call, words in (
            ("plumbline_bench(len, ''); plumbline_bench(len, '')", "the fixture was used already"),
            ("plumbline_bench(3)", "found 3, expected a callable"),
            ("plumbline_bench.pedantic(len, rounds=0)", "rounds: found 0, expected an integer from 1"),
            ("plumbline_bench.pedantic(len, setup=print, iterations=2)", "it needs iterations=1"),
            ("plumbline_bench.pedantic(len, args=(1,), setup=print)", "args and kwargs must be empty"),
        ):
            with self.subTest(call):
                self.write("test_a.py", f"def test_a(plumbline_bench): {call}\n")
                self.assertIn(words, self.pytest(1))


class CaseNames(Folder):
    def test_groups_parameters_classes_and_folders_are_in_the_id(self):
        (self.folder / "sub").mkdir()
        self.write("sub/test_names.py", """
            import pytest
            class Odd:
                pass
            @pytest.mark.parametrize("f", [len, sum])
            @pytest.mark.parametrize("n", [1, 2.5])
            def test_f(plumbline_bench, n, f): plumbline_bench(int)
            class TestX:
                @pytest.mark.benchmark(group="a group/x=1")
                def bench_y(self, plumbline_bench): plumbline_bench(int)
            @pytest.mark.parametrize("o", [Odd(), pytest.param(Odd(), id="named")])
            def test_o(plumbline_bench, o): plumbline_bench(int)
        """)  # fmt: skip
        self.write("pytest.ini", "[pytest]\npython_functions = test_* bench_*\nplumbline_suite = mine\n")
        self.pytest(0, "--plumbline", "run", "--plumbline-rounds", "1")
        run = pl.read_run(self.folder / "run")
        self.assertEqual(set(run.visits["suite"]), {"mine"})
        self.assertEqual(sorted(run.visits["case"]), sorted([
            *(f"f/python/f={f}/n={n}/test=sub.test_names.test_f" for f in ("len", "sum") for n in ("1", "2.5")),
            "a_group_x_1/python/test=sub.test_names.TestX.bench_y",
            "o/python/id=o0/test=sub.test_names.test_o",
            "o/python/id=named/test=sub.test_names.test_o",
        ]))  # fmt: skip


class Documentation(Folder):
    def test_its_example_is_measured_compared_and_found_slower(self):
        section = (ROOT / "docs/python.md").read_text(encoding="utf-8").split("## Benchmarks in pytest")[1]
        (self.folder / "test_ops.py").write_text(section.split("```python\n")[1].split("```")[0])
        commands = [line.split("#")[0].split() for line in section.split("```sh\n")[1].split("```")[0].splitlines()]
        self.assertEqual([words[0] for words in commands], ["pytest", "pytest", "plumbline"])
        for words in commands[:2]:
            self.pytest(0, *words[1:])
        code, told = self.plumbline(*commands[2][1:])
        self.assertIn(code, (0, 3), told)
        self.assertRegex(told, "SAME|UNRESOLVED|LOOKS_")  # the last on a busy machine


if __name__ == "__main__":
    unittest.main()
