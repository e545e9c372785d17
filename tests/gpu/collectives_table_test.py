#!/usr/bin/python3
"""The table of collectives finds what is planted in invented runs. Needs no GPU."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import collectives_table  # noqa: E402
from evidence_test import run_of, steady  # noqa: E402


class CollectivesTable(unittest.TestCase):
    def test_a_rate_is_of_the_bytes_that_cross_the_bus(self):
        size = 1 << 20
        case = f"{{}}/{{}}/dtype=float32/elements={size}/ranks=2"
        run = run_of(*steady(case.format("peer_copy", "libtorch"), "gpu_time_hot", 1e-5),
                     *steady(case.format("all_reduce", "nccl"), "gpu_time_hot", 2e-5),
                     *steady(case.format("all_gather", "nccl"), "gpu_time_hot", 1e-5))  # fmt: skip
        table = collectives_table.Table([run])
        rates = [table.bus_bytes_per_s(op, size) for op in ("peer_copy", "all_reduce", "all_gather", "broadcast")]
        self.assertEqual([rate and round(rate / 1e6) for rate in rates], [419430, 209715, 209715, None])
        self.assertIn("| 4 MiB | 419 | 210 | 210 | – |", "".join(text for _, text in collectives_table.by_op(table, True)))
        by_hand = collectives_table.beside_hand(table, {str(size): 3e-5}, True)
        self.assertIn("| 4 MiB | 20.0 | 30.0 | 50.0 |", by_hand)


if __name__ == "__main__":
    unittest.main(verbosity=2)
