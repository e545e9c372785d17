#!/usr/bin/python3
"""Every entry of the catalogue on the CPU: right, or refused because it is for GPUs."""

import unittest

import every_entry
import planted
from every_entry import Entry

ADD = Entry("add", "libtorch", "float32", "forward")
BACKWARD = Entry("add", "libtorch", "float32", "backward")


class EntriesOnACpu(every_entry.EveryEntry, planted.Planted):
    known = {
        "/(cudnn|custom) ": ("UNSUPPORTED", "NVIDIA GPUs only"),
        "/nccl ": ("UNSUPPORTED", "NCCL's ranks are GPUs"),
        "^peer_copy/": ("UNSUPPORTED", "ranks are GPUs"),
        "^sparse_gemm/libtorch ": ("UNSUPPORTED", "NVIDIA GPUs only"),
    }


class Judgement(unittest.TestCase):
    def complaints(self, outcomes, known=None, entries=(ADD,)):
        return every_entry.complaints_of(list(entries), outcomes, known or {})

    def test_what_is_wrong_or_refused_for_another_reason_is_told(self):
        self.assertEqual(self.complaints({ADD: ("OK", "")}), [])
        wrong = {ADD: ("WRONG", "9 elements are off")}
        told = ["add/libtorch float32 forward: WRONG: 9 elements are off"]
        self.assertEqual(self.complaints(wrong), told)
        self.assertEqual(self.complaints(wrong, {"^add/": ("WRONG", "elements are off")}), [])
        self.assertEqual(self.complaints(wrong, {"^add/": ("WRONG", "another reason")}), told)
        self.assertEqual(self.complaints(wrong, {"^add/": ("UNSUPPORTED", "elements are off")}), told)
        self.assertEqual(self.complaints(wrong, {"^gemm/": ("WRONG", "elements are off")}), told)

    def test_an_entry_that_was_not_run_and_one_of_nothing_known_are_told(self):
        right = {ADD: ("OK", "")}
        missing = ["add/libtorch float32 backward: it is not there"]
        self.assertEqual(self.complaints(right, entries=(ADD, BACKWARD)), missing)
        surplus = {**right, BACKWARD: ("OK", "")}
        self.assertEqual(self.complaints(surplus), ["add/libtorch float32 backward: not of the catalogue"])

    def test_a_known_reason_of_what_is_right_is_told(self):
        told = self.complaints({ADD: ("OK", "")}, {"^add/": ("WRONG", "")})
        self.assertEqual(told, ["add/libtorch float32 forward: it is right, so that its known reason can go"])

    def test_a_metric_that_does_not_apply_leaves_a_case_right(self):
        case = "add/libtorch/dtype=float32/n=8"
        refused = {"case": case, "status": "UNSUPPORTED", "reason": "it has wall_time"}
        timed = {"case": case, "status": "OK", "reason": ""}
        for rows in ([refused, timed], [timed, refused]):
            self.assertEqual(every_entry.outcomes_of(rows), {ADD: ("OK", "")})
        self.assertEqual(every_entry.outcomes_of([refused])[ADD][0], "UNSUPPORTED")


if __name__ == "__main__":
    planted.main()
