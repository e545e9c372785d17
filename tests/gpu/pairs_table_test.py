#!/usr/bin/python3
"""pairs.py summarises and judges invented comparisons. Needs no GPU."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import evidence  # noqa: E402
import pairs  # noqa: E402


def in_pairs(case, seconds, change, verdict="SAME"):
    return {
        "case": case,
        "metric": "gpu_time_cold",
        "verdict": verdict,
        "baseline": seconds,
        "change": change,
        "pairs": 12,
    }


class IdenticalBuilds(unittest.TestCase):
    def groups(self, *findings):
        return pairs.groups_of({"findings": list(findings)})

    def test_differences_are_summed_up_by_metric_and_length_of_the_launches(self):
        found = self.groups(
            *[in_pairs(f"long{i}", 1e-4, (-1) ** i * i * 1e-4) for i in range(5)],
            in_pairs("short", 5e-6, 0.02),
        )
        long_ones = found["gpu_time_cold", ">= 10 us"]
        self.assertEqual(len(long_ones.sizes), 5)
        self.assertAlmostEqual(long_ones.median, 2e-4)
        self.assertAlmostEqual(found["gpu_time_cold", "< 10 us"].median, 0.02)

    def test_the_bar_is_missed_by_the_median_by_the_tail_and_by_nothing_long(self):
        near = [in_pairs(f"c{i}", 1e-4, 5e-4) for i in range(99)]
        self.assertTrue(pairs.meets_bars(self.groups(*near)))
        self.assertFalse(pairs.meets_bars(self.groups(*[{**f, "change": 2e-3} for f in near])))
        self.assertFalse(pairs.meets_bars(self.groups(*near[:9], in_pairs("far", 1e-4, 0.02))))
        self.assertFalse(pairs.meets_bars(self.groups(in_pairs("short", 5e-6, 0))))

    def test_what_was_not_measured_in_pairs_is_left_out_and_what_has_none_is_refused(self):
        self.assertEqual(self.groups({**in_pairs("c", 1e-4, 0), "pairs": 0}), {})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "comparison.json"
            path.write_text(json.dumps({"findings": [{"case": "c", "pairs": 0}]}))
            with self.assertRaisesRegex(evidence.Unusable, "in pairs"):
                pairs.read_comparison(folder)

    def test_every_change_that_was_called_is_told(self):
        findings = [in_pairs("a", 1e-4, 0), in_pairs("b", 1e-4, 0.01, "SLOWER")]
        self.assertEqual([f["case"] for f in pairs.called({"findings": findings})], ["b"])


if __name__ == "__main__":
    unittest.main()
