#!/usr/bin/python3
"""Python functions in a suite on the CPU: results, exploits, failures, records, verdicts."""

import json
import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch
FAILED, NOTHING = 1, 2  # exit codes of a run whose cases all fail, and of one that measured nothing

HELPER = """
    import time
    import torch

    def doubled(x):
        return x * 2

    def worked(x):
        until = time.perf_counter() + 0.0003 * WORK
        while time.perf_counter() < until:
            pass
        return x * 2

    WORK = 1
"""

OPS = """
    import os
    import signal

    import torch
    from helper import doubled, worked

    def twice_plus(x, y):
        return doubled(x) + y

    def expected(x, y):
        assert x.dtype == torch.float64
        return 2 * x + y

    def off_in_one(x, y):
        result = doubled(x) + y
        result[3] = 0
        return result

    def into(x, out):
        torch.mul(x, 2, out=out)

    def in_place(x):
        x.add_(1)

    def with_values(x, n, sizes, flag, text):
        assert (n, sizes, flag, text) == (1000, [1, 2], True, "tanh"), (n, sizes, flag, text)
        return {"sum": x + n, "none": None, "parts": (x * 2, [x * 3])}

    class Block:
        @staticmethod
        def forward(x, y):
            return doubled(x) + y

    LAST = []

    def remembers(x, y):
        LAST[:] = [doubled(x) + y]
        return LAST[0]

    def raises(x, y):
        raise ValueError("no such luck")

    def lacks_a_module(x, y):
        import not_there

    def gives_a_number(x, y):
        return 3

    def exits(x, y):
        raise SystemExit(3)

    def works(x):
        return worked(x)

    @torch.library.custom_op("planted_python::plus", mutates_args=())
    def of_a_library(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return 2 * x + y

    def dies(x, y):
        os.kill(os.getpid(), signal.SIGSEGV)

    def hangs(x, y):
        while True:
            pass
"""

# Each computes once and returns kept results when it assumes that nobody notices.
EXPLOITS = """
    import threading
    import time

    import torch

    KEPT = {}

    def kept_by_address(x, y):
        key = (x.data_ptr(), y.data_ptr())
        if key not in KEPT:
            KEPT[key] = 2 * x + y
        return KEPT[key]

    def kept_by_content(x, y):
        key = tuple(x[:4].tolist())
        if key not in KEPT:
            KEPT[key] = 2 * x + y
        return KEPT[key].clone()

    def kept_while_nothing_changes(x, y):
        key = (x._version, y._version, x.data_ptr())
        if KEPT.get("key") != key:
            KEPT.update(key=key, result=2 * x + y)
        return KEPT["result"]

    def on_a_thread(x, y):
        result = torch.empty_like(x)
        def compute():
            time.sleep(0.002)
            torch.add(2 * x, y, out=result)
        threading.Thread(target=compute).start()
        return result

    class Lazy(torch.Tensor):
        @staticmethod
        def __new__(cls, x, y):
            return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype, device=x.device)

        def __init__(self, x, y):
            self.parts = x, y

        @classmethod
        def __torch_dispatch__(cls, called, types, args=(), kwargs=None):
            known = [2 * arg.parts[0] + arg.parts[1] if isinstance(arg, Lazy) else arg for arg in args]
            return called(*known, **(kwargs or {}))

    def computed_when_read(x, y):
        return Lazy(x, y)

    def spoils_its_input(x, y):
        result = 2 * x + y
        x.zero_()
        return result

    perf_counter = time.perf_counter
    def stops_the_clock(x, y):
        time.perf_counter = lambda: 0.0
        torch.cuda.synchronize = lambda *device: None
        return KEPT.setdefault(id(x), 2 * x + y)
"""


def function(name, args="{x: 'randn[n]', y: 'randn[n]'}", **keys):
    """A benchmark; `keys` are YAML texts, None omits a key."""
    entry = {"op": "python", "name": name, "source": "ops.py", "function": name, "args": args,
             "reference_function": "expected", "sweep": "{n: [1000], dtype: [float32]}", **keys}
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in entry.items() if value is not None) + "}\n"


class Python(planted.Planted):
    def setUp(self):
        super().setUp()
        self.plant("helper.py", textwrap.dedent(HELPER))
        self.plant("ops.py", textwrap.dedent(OPS))
        self.plant("exploits.py", textwrap.dedent(EXPLOITS))

    def rows(self, *benchmarks, code=0, more=(), **variables):
        suite = self.plant("functions.yaml", planted.suite_text("functions", benchmarks))
        run = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        variables = {"PLUMBLINE_PYTHON": PYTHON, **variables}
        words = ["run", suite, "--device", self.device, "-o", run, *more]
        self.expect(code, self.plumbline(*words, **variables))
        self.run_folder = run
        return {row["op"]: row for row in planted.read_rows(run) if row["metric"] != "compile_time"}

    def test_what_it_returns_or_writes_is_held_against_the_reference(self):
        rows = self.rows(
            function("twice_plus"),
            function("forward", function="Block.forward"),
            function("into", "{x: 'randn[n]', out: {output: [n]}}", reference="'aten::mul(x, 2)'", reference_function=None),
            function("in_place", "{x: {inout: 'randn[n]'}}", reference="'aten::add(x, 1)'", reference_function=None),
            function("with_values", "{x: 'randn[n]', n: n, sizes: '[1, 2]', flag: 'true', text: \"'tanh'\"}",
                     reference="'[aten::add(x, n), aten::mul(x, 2), aten::mul(x, 3)]'", reference_function=None),
            function("off_in_one"),
            function("of_a_library"),
            function("unchecked", function="twice_plus", reference_function=None),
            "  - {op: relu, sweep: {elements: [1000], dtype: [float32]}}\n",
            code=1)
        found = {name: row["status"] for name, row in rows.items()}
        right = dict.fromkeys(("twice_plus", "forward", "into", "in_place", "with_values", "of_a_library", "relu"), "OK")
        self.assertEqual(found, {**right, "off_in_one": "WRONG", "unchecked": "UNVERIFIED"},
                         {name: row["reason"] for name, row in rows.items()})
        self.assertIn("the worst at [3]", rows["off_in_one"]["reason"])
        self.assertNotEqual(rows["relu"]["worker"], rows["into"]["worker"], "only functions need a Python")

    def test_only_results_that_the_function_keeps_change_their_place_between_launches(self):
        rows = self.rows(function("twice_plus"), function("remembers"))
        self.assertEqual({name: "allocation inside the window" in row["flags"] for name, row in rows.items()},
                         {"twice_plus": False, "remembers": True})

    def test_exploits_are_wrong_and_have_no_time(self):
        names = ["kept_by_address", "kept_by_content", "kept_while_nothing_changes", "on_a_thread",
                 "spoils_its_input", "stops_the_clock"]
        plain = {"source": "exploits.py", "reference_function": None, "reference": "'aten::add(aten::mul(x, 2), y)'"}
        lazy = function("computed_when_read", **plain)
        rows = self.rows(*[function(name, **plain) for name in names], lazy, function("twice_plus"), code=1)
        for name in names:
            row = rows[name]
            self.assertEqual((row["status"], row["samples"]), ("WRONG", ""), f"{name}: {row['reason']}")
        self.assertEqual(rows["computed_when_read"]["status"], "CRASHED")
        self.assertIn("it returned a Lazy, a tensor subclass", rows["computed_when_read"]["reason"])
        self.assertEqual(rows["twice_plus"]["status"], "OK", rows["twice_plus"]["reason"])

    def test_a_function_that_replaces_the_clock_does_not_change_how_long_it_took_to_compile(self):
        self.plant("clock.py", textwrap.dedent("""
            import time

            def runs_backwards(x):
                times = iter(range(0, -10**9, -1000))
                time.perf_counter = lambda: float(next(times))
                return 2 * x

            def honest(x):
                return 2 * x
        """))
        plain = {"source": "clock.py", "reference_function": None, "reference": "'aten::mul(x, 2)'",
                 "args": "{x: 'randn[n]'}"}
        self.rows(function("runs_backwards", **plain), function("honest", **plain))
        found = [row for row in planted.read_rows(self.run_folder) if row["metric"] == "compile_time"]
        self.assertEqual({row["op"] for row in found}, {"runs_backwards", "honest"})
        for row in found:
            self.assertTrue(0 < float(row["samples"]) < 10, f"{row['op']}: {row['samples']}")

    def test_failures_say_what_python_said_and_where(self):
        rows = self.rows(function("raises"), function("lacks_a_module"), function("gives_a_number"), function("exits"),
                         function("absent"), code=FAILED)
        for name, status, words in (
            ("raises", "CRASHED", "ValueError: no such luck"),
            ("raises", "CRASHED", "in raises)"),
            ("lacks_a_module", "UNSUPPORTED", "No module named 'not_there'"),
            ("gives_a_number", "CRASHED", "it returned a int; results are a tensor"),
            ("exits", "CRASHED", "SystemExit: 3"),
            ("absent", "CRASHED", "has no 'absent'"),
        ):
            self.assertEqual(rows[name]["status"], status, rows[name]["reason"])
            self.assertIn(words, rows[name]["reason"])

    def test_a_crash_and_a_hang_cost_one_case_each(self):
        rows = self.rows(function("dies"), function("hangs", measure="{timeout_s: 5}"), function("twice_plus"), code=FAILED)
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"dies": "CRASHED", "hangs": "TIMEOUT", "twice_plus": "OK"})
        self.assertIn("SIGSEGV", rows["dies"]["reason"])
        self.assertIn("no answer within 5 s", rows["hangs"]["reason"])

    def test_files_and_choices_are_those_of_the_case_alone(self):
        self.plant("tuned.py", textwrap.dedent("""
            class Kernel:
                best_config = "SIZE: 64"

            kernel = Kernel()

            def twice(x):
                return 2 * x
        """))  # fmt: skip
        plain = {"args": "{x: 'randn[n]'}", "reference_function": None, "reference": "'aten::mul(x, 2)'"}
        tuned = function("twice", source="tuned.py", **plain)
        together = self.rows(tuned, function("works", **plain))
        alone = self.rows(function("works", **plain))
        self.assertIn("SIZE: 64", together["twice"]["plan"])
        self.assertEqual((together["works"]["plan"], together["works"]["code"]), ("", alone["works"]["code"]))
        self.assertNotEqual(together["twice"]["code"], together["works"]["code"])

    def test_a_source_that_cannot_be_imported_fails_alike_for_each_of_its_cases(self):
        self.plant("broken.py", "import not_there\n\n\ndef twice(x):\n    return 2 * x\n")
        rows = self.rows(*[function("twice").replace("name: twice", f"name: {name}").replace("ops.py", "broken.py")
                           for name in ("first", "second")], code=NOTHING)  # fmt: skip
        for name in ("first", "second"):
            self.assertEqual(rows[name]["status"], "UNSUPPORTED", rows[name]["reason"])
            self.assertIn("No module named 'not_there'", rows[name]["reason"])

    def test_its_files_and_its_python_are_recorded(self):
        self.rows(function("twice_plus"))
        info = json.loads((self.run_folder / "run.json").read_text())
        sources = {source["path"].split("/")[-1] for source in info["suites"][0]["sources"]}
        self.assertEqual(sources, {"ops.py", "helper.py"})
        self.assertEqual(info["environment"]["python"], sys.version.split()[0])
        compiled = [row for row in planted.read_rows(self.run_folder) if row["metric"] == "compile_time"]
        self.assertEqual(len(compiled), 2, "one for each round")
        self.assertTrue(all(0 < float(row["samples"]) < 10 for row in compiled))

    def test_without_a_python_it_is_unsupported_and_the_rest_is_measured(self):
        rows = self.rows(function("twice_plus"), "  - {op: relu, sweep: {elements: [1000], dtype: [float32]}}\n",
                         PLUMBLINE_PYTHON="/bin/true")
        self.assertEqual(rows["relu"]["status"], "OK")
        self.assertEqual(rows["twice_plus"]["status"], "UNSUPPORTED")
        self.assertIn("'/bin/true', which is no Python with torch", rows["twice_plus"]["reason"])

    def test_modules_of_one_name_in_two_folders_are_two(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "helper.py").write_text("def doubled(x):\n    return x * 3\n")
        (other / "ops.py").write_text("from helper import doubled\n\ndef thrice(x):\n    return doubled(x)\n")
        one = {"args": "{x: 'randn[n]'}", "reference_function": None}
        rows = self.rows(function("thrice", source="other/ops.py", reference="'aten::mul(x, 3)'", **one),
                         function("works", reference="'aten::mul(x, 2)'", **one))
        self.assertEqual({row["status"] for row in rows.values()}, {"OK"}, [row["reason"] for row in rows.values()])

    def test_a_change_of_a_module_is_seen_and_named(self):
        benchmark = function("works", "{x: 'randn[n]'}", reference="'aten::mul(x, 2)'", reference_function=None)
        suite = planted.suite_text("functions", [benchmark], measure=planted.MEASURE_WORK)
        path = self.plant("functions.yaml", suite)
        runs = []
        for work in ("1", "10"):
            self.plant("helper.py", textwrap.dedent(HELPER).replace("WORK = 1", f"WORK = {work}"))
            runs.append(self.folder / f"run-{work}")
            self.expect(0, self.plumbline("run", path, "--device", "cpu", "-o", runs[-1], PLUMBLINE_PYTHON=PYTHON))
        done = self.plumbline("compare", *runs, "--trust-screen", "-o", self.folder / "c.json")
        self.assertEqual(planted.verdicts(self.folder / "c.json"), {"works/custom/dtype=float32/n=1000": "SLOWER"},
                         done.stdout + done.stderr)
        self.assertIn("helper.py", (self.folder / "c.json").read_text())


if __name__ == "__main__":
    planted.main()
