#!/usr/bin/python3
"""The planted faults on a CUDA GPU: each gets its status, and the GPU stays usable.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/ and Python; ends with 77 and the
reason where there is no GPU.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import faulty  # noqa: E402
import planted  # noqa: E402
from faulty import hanging, late  # noqa: E402
from planted import benchmark  # noqa: E402

LIMIT = "{timeout_s: 10}"  # longer than loading the libraries takes
# No launch of them has anything to do on a GPU.
IDLE = {
    name: (faulty.ODD[name][0], "UNSUPPORTED", ["the launch did no work on the GPU"])
    for name in ("aten::empty_like", "aten::resize_")
}
TOO_LARGE = "  - {op: silu, sweep: {elements: [1099511627776], dtype: [float32]}}\n"  # 4 TiB
OTHER_INPUTS = "on other inputs than the timed ones: "


def beside(name, op, stream, **keys):
    """An operator launched on declared streams."""
    return benchmark(op, [1000], name=name, axes=f", stream: [{stream}]", **keys)


def cached_beside(name, stream, by_place):
    """An entry in a table of faults for a kept result, launched on declared streams."""
    entry = beside(name, "cached", stream, args=f", by_place: {by_place}")
    return {name: (entry, "WRONG", [OTHER_INPUTS])}


BESIDE = {
    name: (beside(name, op, stream), "OK", [])
    for name, op, stream in (
        ("right_beside", "one_shape", "{count: 3}"),
        ("changes_beside", "changes", "{count: 2}"),
        ("varies_beside", "varies", "{count: 3}"),  # an odd number: every other launch of each instance differs
    )
}


class GpuFaults(faulty.FaultyRun, planted.Planted):
    device = "cuda"
    odd = {**faulty.ODD, **IDLE, **BESIDE, "silu": (TOO_LARGE, "UNSUPPORTED", ["needs at least 21990232555520 bytes"])}
    faults = {
        **faulty.FAULTS,
        **hanging("planted::hang", benchmark("hang", measure=LIMIT), 10, "while verifying"),
        **hanging("planted::endless", benchmark("endless", measure=LIMIT), 10, "while verifying"),
        **hanging("late_endless", late("endless", 65, measure=LIMIT), 10, faulty.LATE_PHASES),
        "late_segfault": (late("segfault", 65), "CRASHED", ["signal 11 (SIGSEGV)", faulty.LATE_PHASES]),
        "planted::illegal": (benchmark("illegal"), "CRASHED", ["illegal memory access"]),
        "late_illegal": (late("illegal", 65), "CRASHED", ["illegal memory access"]),
        # Found after the end of the visit, before another case begins. Only in profile trace: the check for races waits
        # for every stream.
        "planted::stray": (
            benchmark("stray", measure="{metrics: [kernel_time]}"),
            "CRASHED",
            ["illegal memory access"],
        ),
        **cached_beside("cached_high", "{priority: high}", by_place="false"),
        **cached_beside("cached_under_load", "{background: 1}", by_place="false"),
        **cached_beside("placed_high", "{priority: high}", by_place="true"),
        **cached_beside("placed_beside", "{count: 4}", by_place="true"),
    }

    def test_whether_bits_repeat_is_told_of_streams_by_the_first_visit(self):
        told = {name: {"0": set(), "1": set()} for name in BESIDE}
        for name, rounds in told.items():
            for row in self.rows_of(name):
                rounds[row["round"]].add(row["repeats"])
        later = {name: rounds["1"] for name, rounds in told.items()}
        self.assertEqual(later, {name: {""} for name in BESIDE})
        first = {name: rounds["0"] - {""} for name, rounds in told.items()}
        varies = {"varies_beside": {"varies"}}
        self.assertEqual(first, {"right_beside": {"bitwise"}, "changes_beside": {"bitwise"}, **varies})

    def test_the_gpu_is_usable_afterwards_for_every_metric(self):
        suite = self.plant("healthy.yaml", planted.healthy())
        rows = planted.read_rows(self.measured(suite, "run"))
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        metrics = {row["metric"] for row in rows}
        self.assertLessEqual({"gpu_time_cold", "gpu_time_hot"}, metrics)


if __name__ == "__main__":
    planted.main_on_gpu()
