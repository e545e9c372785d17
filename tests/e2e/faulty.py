"""A suite of cases that crash, hang and fail, run once, with checks for any device."""

import json

import planted
from fault_rows import VisitLost, WrongVerdict, injected
from planted import benchmark

HEALTHY = "  - {op: relu, sweep: {elements: [1000, 2000, 3000], dtype: [float32]}}\n"


def late(op, size, **keys):
    """The operator fails only after verification, while it is measured."""
    return benchmark(op, [size], name=f"late_{op}", args=', after: "5"', **keys)


# Late faults happen after verification: on a GPU already in the check for races, which comes first there. If the fault
# is only reported when the host next waits, it shows in a later phase.
LATE_PHASES = ("while looking for races between streams", "while measuring", "while verifying again")

# Start of the id: (benchmark, status, required words of the reason; for a tuple, one of its texts).
ODD = {  # but no fault
    "planted::prints": (benchmark("prints"), "OK", []),
    "planted::changes": (benchmark("changes"), "OK", []),
    "planted::varies": (benchmark("varies", [1000]), "OK", []),
    "its_shape": (benchmark("one_shape", [1000], name="its_shape"), "OK", []),
    "planted::no_float64": (benchmark("no_float64"), "UNVERIFIED", ["planted: no float64 here"]),
    "aten::empty_like": (
        "  - {op: aten::empty_like, sweep: {dtype: [float32]}, args: {self: 'uniform[10]'}}\n",
        "UNVERIFIED",
        ["leaves its result unset"],
    ),
    "aten::resize_": (  # to more elements than it had
        "  - {op: aten::resize_, sweep: {dtype: [float32]}, args: {self: 'uniform[10]', size: '[20]'}}\n",
        "UNVERIFIED",
        ["leaves its result unset"],
    ),
}
FAULTS = {
    "planted::segfault": (
        benchmark("segfault"),
        "CRASHED",
        ["signal 11 (SIGSEGV)", "while verifying"],
    ),
    "reference_segfault": (
        benchmark("segfault", [66], name="reference_segfault", args=', after: "1"'),
        "CRASHED",
        ["signal 11 (SIGSEGV)", "while computing the reference"],
    ),
    "late_segfault": (late("segfault", 65), "CRASHED", ["signal 11 (SIGSEGV)", "while measuring"]),
    "planted::kill": (
        benchmark("kill"),
        "CRASHED",
        ["signal 9 (SIGKILL)", "not sent by plumbline"],
    ),
    "planted::exit": (
        benchmark("exit"),
        "CRASHED",
        ["exited with code 3", "libplanted: giving up"],
    ),
    "planted::throws": (
        benchmark("throws"),
        "CRASHED",
        ["planted: this operator always fails"],
    ),
    "planted::huge": (
        benchmark("huge"),
        "OUT_OF_MEMORY",
        ["1125899906842624 bytes"],
    ),
    "planted::wrong": (
        benchmark("wrong", [1000]),
        "WRONG",
        ["1 of 1000 elements are off", "[500]"],
    ),
    "late_wrong": (late("wrong", 1000), "WRONG", ["1 of 1000 elements are off"]),
    "planted::all_wrong": (benchmark("all_wrong", [1000]), "WRONG", ["elements are off"]),
    "planted::cached": (
        benchmark("cached", [1000]),
        "WRONG",
        ["gave the results of a launch on other inputs"],
    ),
    "cached_by_place": (
        benchmark("cached", [1000], name="cached_by_place", args=", by_place: true"),
        "WRONG",
        ["gave the results of a launch on other inputs"],
    ),
    "planted::one_shape": (benchmark("one_shape", [1001]), "WRONG", ["1001 of 1001 elements are off"]),
    "planted::overrun": (benchmark("overrun", [1000]), "WRONG", ["the launch wrote out of bounds"]),
    "planted::leftover": (
        benchmark("leftover", [1000]),
        "WRONG",
        ["500 of 1000 elements are off", "nan"],
    ),
}


def hanging(name, entry, limit_s, phase):
    """An entry in a table of faults, for a benchmark that never answers."""
    return {name: (entry, "TIMEOUT", [f"no answer within {limit_s} s", phase])}


def after(row, other):
    """Whether a row's visit came after another's in the same round."""
    return int(row["order"]) > int(other["order"])


class FaultyRun:
    """Mixin for a test of a device; `faults` and `odd` are its tables."""

    faults = FAULTS
    odd = ODD

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        suite = cls.class_folder / "faults.yaml"
        entries = [row[0] for row in [*cls.faults.values(), *cls.odd.values()]]
        suite.write_text(planted.suite_text("faults", [HEALTHY, *entries]))
        cls.run_path = cls.class_folder / "run"
        cls.done = cls.expect(1, cls.plumbline(*cls.run_words(suite, cls.run_path)))
        cls.rows = planted.read_rows(cls.run_path)

    def rows_of(self, name):
        return [row for row in self.rows if row["case"].startswith(name + "/")]

    def test_each_case_has_its_status_and_a_reason_that_says_what_happened(self):
        for name, (_, status, texts) in {**self.faults, **self.odd}.items():
            kind, moment = name.removeprefix("planted::"), "a case of a run"
            with self.subTest(name), injected(kind, moment, status, "the planted status, with the reason"):
                rows = self.rows_of(name)
                if {row["status"] for row in rows} != {status}:
                    raise WrongVerdict(f"planted {status}, found {rows}")
                for text in texts:
                    one_of = (text,) if isinstance(text, str) else text
                    self.assertTrue(any(word in rows[0]["reason"] for word in one_of), (one_of, rows[0]))

    def test_a_faulty_case_has_no_time_and_is_not_tried_again(self):
        for name in self.faults:
            with self.subTest(name):
                found = [
                    (row["metric"], row["samples"], row["round"]) for row in self.rows_of(name)
                ]
                self.assertEqual(found, [("", "", "0")])

    def test_a_lost_worker_measures_nothing_more_and_the_next_one_is_right(self):
        healthy = {row["case"] for row in self.rows_of("relu")}
        for name, (_, status, _) in self.faults.items():
            with self.subTest(name):
                if status == "WRONG":
                    continue
                lost = self.rows_of(name)[0]
                later = [row for row in self.rows if row["round"] == lost["round"] and after(row, lost)]
                self.assertNotIn(lost["worker"], {row["worker"] for row in later})
                for row in later:
                    if row["case"] in healthy:
                        self.assertEqual(row["status"], "OK", row)

    @injected("all of these", "beside healthy cases", "the healthy ones are OK", "no visit of another case is lost")
    def test_the_healthy_cases_are_measured_in_every_round_by_every_metric(self):
        rows = self.rows_of("relu")
        if {row["status"] for row in rows} != {"OK"}:
            raise VisitLost(f"healthy cases are not OK: {rows}")
        seen = {(row["case"], row["round"], row["metric"]) for row in rows}
        metrics = {row["metric"] for row in rows}
        self.assertEqual(len(seen), len(rows))
        self.assertEqual(len(seen), 3 * 2 * len(metrics))

    def test_whether_bits_repeat_is_told_by_the_first_visit(self):
        told = {}
        for row in self.rows:
            told.setdefault((row["case"].split("/")[0], row["round"]), set()).add(row["repeats"])
        self.assertEqual(told["relu", "1"], {""})
        first = {name: told[name, "0"] - {""} for name in ("relu", "planted::changes", "planted::varies")}
        self.assertEqual(first, {"relu": {"bitwise"}, "planted::changes": {"bitwise"}, "planted::varies": {"varies"}})

    def test_errors_are_told_in_units_in_the_last_place(self):
        def worst(name):
            return max(float(row["error_max_ulp"]) for row in self.rows_of(name) if row["metric"])

        self.assertEqual(worst("relu"), 0)
        # 2^-22 of a number is 2 to 4 units of float32's 2^-23, depending on its place in the binade.
        self.assertTrue(1.5 <= worst("planted::varies") <= 4.5, worst("planted::varies"))

    def test_the_run_is_finished_and_says_with_its_exit_code_that_cases_failed(self):
        self.expect(1, self.done, f"{len(self.faults)} cases do not do what they should")
        self.assertEqual(self.done.stdout.splitlines()[-1], str(self.run_path))
        self.assertTrue((self.run_path / "summary.csv").is_file())
        recorded = json.loads((self.run_path / "run.json").read_text())
        self.assertIsNotNone(recorded["finished_at"])
