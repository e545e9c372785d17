#!/usr/bin/python3
"""limits.py alarms if a limit is exceeded, and other load on the machine does not mislead it."""

import unittest

import limits

ROW = ("a command", "command/compare", "real_time", 2.0, "s")


def command(wall_s, cpu_s, others_share):
    return {
        "real_time": wall_s * 1e3,
        "time_unit": "ms",
        "program_cpu_s": cpu_s,
        "others_share": others_share,
    }


class Limits(unittest.TestCase):
    def judged(self, *repetitions):
        return limits.judged(ROW, {"command/compare": [command(*r) for r in repetitions]})

    def test_the_best_of_the_repetitions_counts(self):
        text, keeps = self.judged((2.4, 2.4, 0), (1.9, 1.9, 0), (2.2, 2.2, 0))
        self.assertTrue(keeps)
        self.assertIn("| ≤ 2 s | 1.9 s (CPU 1.9 s) |", text)

    def test_a_limit_that_is_exceeded_is_an_alarm(self):
        text, keeps = self.judged((2.1, 1.5, 0.0), (2.2, 1.5, 0.0))
        self.assertFalse(keeps)
        self.assertIn("**exceeded**", text)

    def test_on_a_busy_machine_the_cpu_time_decides(self):
        self.assertTrue(self.judged((3.0, 1.9, 0.5), (3.1, 1.9, 0.4))[1])
        self.assertFalse(self.judged((3.0, 2.1, 0.5), (3.1, 2.1, 0.4))[1])

    def test_a_repetition_in_a_quiet_moment_is_not_excused(self):
        self.assertFalse(self.judged((3.0, 1.9, 0.5), (2.1, 1.9, 0.0))[1])

    def test_memory_has_no_excuse(self):
        row = ("memory", "command/compare", "peak_memory_bytes", 500e6, "MB")
        for value, keeps in ((499e6, True), (501e6, False)):
            entry = {**command(1, 1, 0.9), "peak_memory_bytes": value}
            self.assertEqual(limits.judged(row, {"command/compare": [entry]})[1], keeps)


if __name__ == "__main__":
    unittest.main()
