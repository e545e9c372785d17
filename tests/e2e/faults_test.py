#!/usr/bin/python3
"""Operators that crash, hang and fail on the CPU: each gets its status, and no other case is affected."""

import faulty
import planted
from planted import benchmark

SHORT = "{timeout_s: 3}"


class Faults(faulty.FaultyRun, planted.Planted):
    faults = {
        **faulty.FAULTS,
        **faulty.hanging("planted::hang", benchmark("hang", measure=SHORT), 3, "while verifying"),
        **faulty.hanging("late_hang", faulty.late("hang", 65, measure=SHORT), 3, "while measuring"),
        "planted::illegal": (benchmark("illegal"), "CRASHED", ["planted: this needs a GPU"]),
    }

    def test_what_a_kernel_prints_is_in_the_log_and_nowhere_else(self):
        log = (self.run_path / "worker.log").read_bytes()
        self.assertIn(b'{"answer": {"status": "OK", "reason": "", "metrics": []}}', log)
        self.assertIn(b"libplanted: giving up", log)
        self.assertNotIn("metrics", self.done.stdout + self.done.stderr)

    def test_the_page_of_the_run_shows_the_faults(self):
        page = self.folder / "report.html"
        self.expect(0, self.plumbline("report", self.run_path, "-o", page))
        text = page.read_text(encoding="utf-8")
        self.assertIn("SIGSEGV", text)
        self.assertIn("late_hang", text)


if __name__ == "__main__":
    planted.main()
