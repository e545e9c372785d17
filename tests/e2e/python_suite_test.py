#!/usr/bin/python3
"""A suite in Python on the CPU: listed, measured, verified, compared with an earlier version; messages about
mistakes."""

import json
import os
import subprocess
import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch
QUICK = ("--rounds", "2", "--blocks-min", "2", "--blocks-max", "4", "--samples", "3", "--budget-s", "0.01")

OPS = """
    import torch

    import helper
    import plumbline_gpu as pl

    @pl.case(sweep={"n": [1000, 2000], "dtype": [torch.float32, torch.bfloat16]}, reference=lambda x, y: x + y)
    def add(n, dtype):
        x, y = torch.randn(n, dtype=dtype, device=pl.device()), torch.randn(n, dtype=dtype, device=pl.device())
        return torch.add, x, y

    def exact(x, y):
        assert x.dtype == torch.float64
        return 2 * x + y

    def off_in_one(x, y):
        result = helper.doubled(x) + y
        result[3] = 0
        return result

    KEPT = {}

    def kept(x, y):
        return KEPT.setdefault("result", helper.doubled(x) + y)

    def raises(x, y):
        raise ValueError("no such luck")

    @pl.case(sweep={"n": [1000], "function": [off_in_one, kept, raises]}, reference=exact, name="planted", tags=["bad"])
    def planted_functions(n, function):
        return function, torch.randn(n), torch.randn(n)

    def into(x, out):
        torch.mul(x, 2, out=out)

    @pl.case(sweep={"n": [1000]}, writes=["out"], reference=lambda x, out: 2 * x)
    def written(n):
        return into, torch.randn(n), torch.zeros(n)

    @pl.case(sweep={"n": [100]}, reference=lambda parts, dim: torch.cat(parts, dim), cost={"bytes": "16 * n"})
    def joined(n):
        return torch.cat, [torch.randn(n, 2), torch.randn(2, n).t()], 1

    def of_ranges(x, offsets):
        return torch.stack([x[a:b].sum() for a, b in zip(offsets[:-1], offsets[1:])])

    @pl.case(sweep={"n": [1000]}, keep=["offsets"], reference=of_ranges)
    def ranges(n):
        return of_ranges, torch.randn(n), torch.tensor([0, 10, n])

    @pl.case(sweep={"n": [10000]}, reference=lambda index, table: table[index])
    def lookup(n):
        return torch.nn.functional.embedding, torch.randint(0, 300, (n,)), torch.randn(300, 4)

    @pl.case(sweep={"n": [1000, 2000]})
    def small_ones_only(n):
        if n > 1000:
            raise NotImplementedError(f"{n} is too large")
        return torch.relu, torch.randn(n)

    @pl.case(sweep={"n": [1000]}, devices=["cuda"])
    def on_a_gpu(n):
        return torch.relu, torch.randn(n, device=pl.device())
"""
HELPER = """
    def doubled(x):
        return x * 2
"""
WORK = """
    import time

    import plumbline_gpu as pl
    import torch

    def worked(x):
        until = time.perf_counter() + 0.0003
        while time.perf_counter() < until:
            pass
        return x * 2

    @pl.case(sweep={"n": [1000]}, reference=lambda x: x * 2)
    def work(n):
        return worked, torch.randn(n)
"""
ADDED = {f"add/custom/dtype={dtype}/n={n}" for dtype in ("float32", "bfloat16") for n in (1000, 2000)}


class PythonSuite(planted.Planted):
    def setUp(self):
        super().setUp()
        self.ops = self.write("own/ops.py", OPS)
        self.write("own/helper.py", HELPER)
        self.empty = self.folder / "empty"
        self.empty.mkdir()
        # One of the user's own settings would hide that Python writes beside the file.
        self.usual = {"PLUMBLINE_PYTHON": PYTHON, "PYTHONDONTWRITEBYTECODE": "", "cwd": self.empty}

    def write(self, name, text):
        return self.plant(name, textwrap.dedent(text))

    def call(self, code, *words, **more):
        return self.expect(code, self.plumbline(*words, **self.usual | more))

    def measured(self, code, *more, **variables):
        run = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        self.call(code, "run", self.ops, "--device", "cpu", "-o", run, *QUICK, *more, **variables)
        return run, {row["case"]: row for row in planted.read_rows(run) if row["metric"] != "compile_time"}

    def assert_nothing_is_left(self):
        self.assertEqual({path.name for path in self.ops.parent.iterdir()}, {"ops.py", "helper.py"})
        self.assertEqual(list(self.empty.iterdir()), [])

    def test_its_cases_are_listed_wherever_it_is_named(self):
        for words, folder in ((self.ops, self.empty), ("ops.py", self.ops.parent), ("../own/ops.py", self.empty)):
            listed = self.call(0, "list", words, "--filter", "add/*", cwd=folder)
            self.assertEqual(set(listed.stdout.split()), ADDED)
        self.assertEqual(set(self.call(0, "list", "--tag", "bad", "../own/ops.py").stdout.split()),
                         {f"planted/custom/dtype=float32/function={name}/n=1000" for name in ("off_in_one", "kept", "raises")})
        self.write("plumbline.yaml", "suites: [own/ops.py]\n")
        self.assertIn("add/custom/dtype=float32/n=1000\n", self.call(0, "list", cwd=self.folder).stdout)
        self.assert_nothing_is_left()

    def test_set_replaces_an_axis_also_by_values_that_the_sweep_has_not(self):
        listed = self.call(0, "list", self.ops, "--filter", "add/*", "--set", "n=7,8", "--set", "dtype=float16")
        self.assertEqual(listed.stdout.split(), [f"add/custom/dtype=float16/n={n}" for n in (7, 8)])
        _, rows = self.measured(0, "--filter", "add/*", "--set", "n=7", "--set", "dtype=float16")
        self.assertEqual({case: row["status"] for case, row in rows.items()}, {"add/custom/dtype=float16/n=7": "OK"})
        self.expect(2, self.call(2, "list", self.ops, "--set", "m=7"), "has an axis 'm'")

    def test_results_are_verified_with_contents_that_the_function_did_not_make(self):
        run, rows = self.measured(1, cwd=self.ops.parent)  # there, modules of torch have file names without a folder
        found = {case: (row["status"], row["reason"]) for case, row in rows.items()}
        plain = "custom/dtype=float32/n="
        right = ADDED | {f"{name}/{plain}{n}" for name, n in (
            ("written", 1000), ("joined", 100), ("ranges", 1000), ("lookup", 10000))}  # fmt: skip
        self.assertEqual({case for case, (status, _) in found.items() if status == "OK"}, right, found)
        for case, status, words in (
            ("planted/custom/dtype=float32/function=off_in_one/n=1000", "WRONG", "the worst at [3]"),
            ("planted/custom/dtype=float32/function=kept/n=1000", "WRONG", ""),
            ("planted/custom/dtype=float32/function=raises/n=1000", "CRASHED", "ValueError: no such luck"),
            (f"small_ones_only/{plain}1000", "UNVERIFIED", "declares no reference"),
            (f"small_ones_only/{plain}2000", "UNSUPPORTED", "NotImplementedError: 2000 is too large"),
            (f"on_a_gpu/{plain}1000", "EXCLUDED", "devices of on_a_gpu are cuda alone"),
        ):
            self.assertEqual(found[case][0], status, found[case])
            self.assertIn(words, found[case][1])
        self.assertEqual(float(rows[f"joined/{plain}100"]["bytes"]), 1600)
        self.assert_nothing_is_left()
        [suite] = json.loads((run / "run.json").read_text())["suites"]
        self.assertEqual((suite["name"], os.path.basename(suite["path"])), ("ops", "ops.py"))
        self.assertEqual({os.path.basename(source["path"]) for source in suite["sources"]}, {"ops.py", "helper.py"})

    def test_a_slowed_function_is_slower_than_that_of_the_commit_before(self):
        repository = self.write("repository/ops.py", WORK).parent

        def git(*words):
            who = ["-c", "user.name=A. User", "-c", "user.email=a@user"]
            subprocess.run(["git", *who, *words], cwd=repository, env=self.environment(), check=True, capture_output=True)

        git("init", "--quiet", "--initial-branch=main")
        git("add", "--all")
        git("commit", "--quiet", "--message", "one")
        self.write("repository/ops.py", WORK.replace("0.0003", "0.0006"))
        cache = str(self.class_folder / "cache")
        flags = ("--device", "cpu", "--looks", "4,12,24", "--controls", "0")
        for words in (("check", "ops.py", "--baseline-ref", "HEAD"), ("ab", "HEAD", ".", "ops.py")):
            output = self.folder / f"pairs-{words[0]}"
            done = self.call(1, *words, *flags, "-o", output, cwd=repository, PLUMBLINE_CACHE=cache)
            self.assertEqual(planted.verdicts(output / "comparison.json"), {"work/custom/dtype=float32/n=1000": "SLOWER"},
                             done.stdout + done.stderr)  # fmt: skip

    def test_mistakes_are_told_with_their_line(self):
        case = "import plumbline_gpu as pl\nimport torch\n\n@pl.case({})\ndef relu(n):\n    {}\n"
        returns = "return torch.relu, torch.randn(n)"
        for text, words in (
            ("x = 1\n", "bad.py: no function of it is decorated with @plumbline_gpu.case"),
            ("\nimport not_there\n", "bad.py:2: ModuleNotFoundError: No module named 'not_there'"),
            ("def f(:\n", "bad.py:1: SyntaxError"),
            ("import sys\nsys.exit(3)\n", "bad.py:2: SystemExit: 3"),
            ("import os\nos._exit(3)\n", "exited with code 3 before the suite was written"),
            (case.format("{'n': [1]}", "raise ValueError('no luck')"), "bad.py:6: ValueError: no luck (relu, n=1)"),
            (case.format("{'n': [1]}", "return torch.randn(n)"), "bad.py:4: TypeError: relu() returned a Tensor"),
            (case.format("{'m': [1]}", returns), "bad.py:4: TypeError: relu() takes no argument 'm'"),
            (case.format("{'n': [1, 1]}", returns), "bad.py:4: ValueError: the axis 'n' has no value, or one twice"),
            (case.format("{'n': [1]}, tolerance=7", returns), "bad.py: found the integer 7; 'tolerance' is"),
            (case.format("{'n': [1]}, writes=['y']", returns), "bad.py:4: ValueError: writes=['y']: the callable has 1"),
        ):
            path = self.write("bad.py", text)
            self.expect(2, self.call(2, "list", path), words)

    def test_without_a_python_that_has_torch_it_says_what_to_do(self):
        self.expect(2, self.call(2, "list", self.ops, PLUMBLINE_PYTHON="/bin/true"),
                    "'/bin/true', which is no Python with torch")  # fmt: skip


if __name__ == "__main__":
    planted.main()
