#!/usr/bin/python3
"""Operators that crash, hang and err: each gets its status and a reason, and harms no other case."""

import planted
from planted import benchmark


def late(op, size, **keys):
    """Goes wrong only once it was verified, while it is measured."""
    return benchmark(op, [size], name=f"late_{op}", args=', after: "2"', **keys)


SHORT = "{timeout_s: 3}"
HEALTHY = "  - {op: relu, sweep: {elements: [1000, 2000, 3000], dtype: [float32]}}\n"

# name: (benchmark, status, what the reason has to say)
FAULTS = {
    "planted::segfault": (benchmark("segfault"), "CRASHED", ["signal 11 (SIGSEGV)", "while verifying"]),
    "late_segfault": (late("segfault", 65), "CRASHED", ["signal 11 (SIGSEGV)", "while measuring"]),
    "planted::kill": (benchmark("kill"), "CRASHED", ["signal 9 (SIGKILL)", "not sent by plumbline"]),
    "planted::exit": (benchmark("exit"), "CRASHED", ["exited with code 3", "libplanted: giving up"]),
    "planted::hang": (benchmark("hang", measure=SHORT), "TIMEOUT", ["no answer within 3 s", "while verifying"]),
    "late_hang": (late("hang", 65, measure=SHORT), "TIMEOUT", ["no answer within 3 s", "while measuring"]),
    "planted::throws": (benchmark("throws"), "CRASHED", ["planted: this operator always fails"]),
    "planted::huge": (benchmark("huge"), "OUT_OF_MEMORY", ["1125899906842624 bytes"]),
    "planted::illegal": (benchmark("illegal"), "CRASHED", ["planted: this needs a GPU"]),
    "planted::wrong": (benchmark("wrong", [1000]), "WRONG", ["1 of 1000 elements are off", "[500]"]),
    "late_wrong": (late("wrong", 1000), "WRONG", ["1 of 1000 elements are off"]),
    "planted::all_wrong": (benchmark("all_wrong", [1000]), "WRONG", ["elements are off"]),
    "planted::leftover": (benchmark("leftover", [1000]), "WRONG", ["500 of 1000 elements are off", "nan"]),
}
# Odd, but no fault.
ODD = {
    "planted::prints": (benchmark("prints"), "OK", []),
    "planted::changes": (benchmark("changes"), "OK", []),
    "planted::no_float64": (benchmark("no_float64"), "UNVERIFIED", ["planted: no float64 here"]),
}
ALL = {**FAULTS, **ODD}


class Faults(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        suite = cls.class_folder / "faults.yaml"
        suite.write_text(planted.suite_text("faults", [HEALTHY] + [row[0] for row in ALL.values()]))
        cls.run_path = cls.class_folder / "run"
        cls.done = cls.expect(1, cls.plumbline(*cls.run_words(suite, cls.run_path)))
        cls.rows = planted.read_rows(cls.run_path)

    def rows_of(self, name):
        return [row for row in self.rows if row["case"].startswith(name + "/")]

    def test_each_case_has_its_status_and_a_reason_that_says_what_happened(self):
        for name, (_, status, texts) in ALL.items():
            with self.subTest(name):
                rows = self.rows_of(name)
                self.assertEqual({row["status"] for row in rows}, {status}, rows)
                for text in texts:
                    self.assertIn(text, rows[0]["reason"])

    def test_the_healthy_cases_are_measured_in_every_round(self):
        rows = self.rows_of("relu")
        rounds = sorted((row["case"].rsplit("elements=")[1], row["round"], row["status"]) for row in rows)
        expected = [(size, n, "OK") for size in ("1000", "2000", "3000") for n in "01"]
        self.assertEqual([(size.split("/")[0], n, status) for size, n, status in rounds], expected)

    def test_a_faulty_case_has_no_time_and_is_not_tried_again(self):
        for name in FAULTS:
            with self.subTest(name):
                rows = self.rows_of(name)
                self.assertEqual(len(rows), 1)
                self.assertEqual((rows[0]["metric"], rows[0]["samples"], rows[0]["round"]), ("", "", "0"))

    def test_what_a_kernel_prints_is_in_the_log_and_nowhere_else(self):
        log = (self.run_path / "worker.log").read_bytes()
        self.assertIn(b'{"answer": {"status": "OK", "reason": "", "metrics": []}}', log)
        self.assertIn(b"libplanted: giving up", log)
        self.assertNotIn("metrics", self.done.stdout + self.done.stderr)

    def test_the_run_is_finished_and_says_with_its_exit_code_that_cases_failed(self):
        self.expect(1, self.done, f"{len(FAULTS)} cases do not do what they should")
        self.assertEqual(self.done.stdout.splitlines()[-1], str(self.run_path))
        self.assertTrue((self.run_path / "summary.csv").is_file())
        self.assertIsNotNone(planted.json.loads((self.run_path / "run.json").read_text())["finished_at"])

    def test_the_page_of_the_run_shows_the_faults(self):
        page = self.folder / "report.html"
        self.expect(0, self.plumbline("report", self.run_path, "-o", page))
        text = page.read_text(encoding="utf-8")
        self.assertIn("SIGSEGV", text)
        self.assertIn("late_hang", text)


if __name__ == "__main__":
    planted.main()
