#!/usr/bin/python3
"""do_bench_table.py finds what is planted in invented processes and traces. Needs no GPU."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import do_bench_process  # noqa: E402
import do_bench_table  # noqa: E402
from do_bench_table import OURS, TRITONS  # noqa: E402

US = 1e-6


def facts(ours, span, tritons=None, **more):
    """What a process wrote about one callable; times in µs."""
    walls = {OURS: 0.1, TRITONS: 0.1}
    made = {"times": {OURS: ours * US, TRITONS: (tritons or ours) * US}, "walls": walls, "span": span * US}
    return made | {"kernels": 1, "gap": 0.0, "event_excess": 0.0, "host": 5 * US, "is_held": True} | more


def line_of(*processes, worker=None):
    return do_bench_table.lines_of([{"f": each} for each in processes], {"f": worker} if worker else {})[0]


def kernel(name, start, duration, category="kernel"):
    return {"cat": category, "name": name, "ts": start, "dur": duration}


class Causes(unittest.TestCase):
    def cause(self, *processes):
        return do_bench_table.cause_of(line_of(*processes))

    def test_the_bar_is_half_a_microsecond_or_one_percent(self):
        self.assertEqual(self.cause(facts(10.4, 10), facts(10.4, 10)), "")
        self.assertEqual(self.cause(facts(1009, 1000), facts(1009, 1000)), "")
        self.assertNotEqual(self.cause(facts(10.6, 10), facts(10.6, 10)), "")
        self.assertNotEqual(self.cause(facts(1011, 1000), facts(1011, 1000)), "")

    def test_each_cause_is_named_where_it_is_planted(self):
        gaps = facts(20, 23, kernels=4, gap=3.5 * US)
        self.assertIn("widens the gaps of 4 kernels (3.5 µs in all)", self.cause(gaps, gaps))
        waits = facts(50, 23, is_held=False)
        self.assertIn("not held", self.cause(waits, waits))
        self.assertIn("processes differ by 3.00 µs", self.cause(facts(20, 22), facts(23, 22.9), facts(20, 22)))
        events = facts(23, 20, event_excess=2.5 * US)
        self.assertIn("events add +2.50 µs", self.cause(events, events))
        slow = facts(20, 23, event_excess=0.2 * US)
        self.assertIn("traced launches take +3.20 µs, and events add +0.20 µs", self.cause(slow, slow))
        bound = facts(40, 20, kernels=3, host=60 * US)
        self.assertIn("the enqueue takes 60.0 µs", self.cause(bound, bound))

    def test_a_gap_is_no_cause_of_a_longer_reading(self):
        longer = facts(26, 23, kernels=4, gap=3.5 * US)
        self.assertNotIn("gaps", self.cause(longer, longer))


class Bars(unittest.TestCase):
    def bars(self, lines, compared=None):
        compared = compared or {"slower": ["SLOWER"] * 20, "same": ["SAME"] * 20}
        found = list(do_bench_table.judged(lines, compared))
        return [is_met for _, is_met in found], [words for words, _ in found]

    def fine(self, **more):
        return line_of(facts(100, 100, 100, **more), facts(101, 100, 103, **more), worker=100.4 * US)

    def test_all_are_met_by_good_times(self):
        met, words = self.bars([self.fine()])
        self.assertEqual(met, [True] * 6)
        self.assertIn("pl.do_bench 0.99 % and 0.99 %, Triton's 2.91 % and 2.91 %", words[0])

    def test_each_is_missed_where_it_is_planted(self):
        noisy = line_of(facts(100, 102.5, 100), facts(105, 102.5, 103), worker=102.5 * US)
        self.assertEqual(self.bars([noisy])[0], [False, True, True, True, True, True])
        far = line_of(facts(100, 90, 100), facts(101, 90, 103), worker=100.5 * US)
        self.assertEqual(self.bars([far])[0], [True, False, True, True, True, True])
        long_call = self.fine(walls={OURS: 0.3, TRITONS: 0.1})
        self.assertEqual(self.bars([long_call])[0], [True, True, False, True, True, True])
        elsewhere = line_of(facts(100, 100, 100), facts(101, 100, 103), worker=104 * US)
        met, words = self.bars([elsewhere])
        self.assertEqual(met, [True, True, True, False, True, True])
        self.assertIn("f -3.37 %", words[3])
        unseen = line_of(facts(100, 100, 100), facts(101, 100, 103))
        self.assertFalse(self.bars([unseen])[0][3])
        late = {"slower": ["SLOWER"] * 19 + ["UNRESOLVED"], "same": ["SAME"] * 19 + ["FASTER"]}
        self.assertEqual(self.bars([self.fine()], late)[0], [True, True, True, True, False, False])


class Traces(unittest.TestCase):
    def test_kernels_between_marks_are_a_launch(self):
        begin, end = do_bench_process.MARKS
        events = [kernel("evict", 0, 100), kernel(begin, 110, 1), kernel("a", 112, 4), kernel("b", 118, 2),
                  kernel("copy", 121, 1, "gpu_memcpy"), kernel(end, 125, 1), kernel("cudaLaunchKernel", 113, 50, "cuda_runtime"),
                  kernel(begin, 310, 1), kernel("a", 312, 6), kernel(end, 320, 1)]  # fmt: skip
        launches = do_bench_process.launches_in(reversed(events))
        self.assertEqual([len(kernels) for kernels in launches], [3, 1])
        two = do_bench_process.traced_facts(launches[:1] * 3, [14 * US] * 3, 2 * US)
        shown = {name: round(value / US, 3) for name, value in two.items() if name != "kernels"}
        self.assertEqual(shown, {"span": 10, "gap": 3, "event_excess": 2})
        self.assertEqual(two["kernels"], 3)


class Folders(unittest.TestCase):
    def test_a_folder_is_shown_and_its_worker_is_optional(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for number, ours in enumerate((100, 101)):
                (folder / f"process-{number}.json").write_text(json.dumps({"f": facts(ours, 100, 2 * ours)}))
            (folder / "compare.json").write_text(json.dumps({"slower": [], "same": []}))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(do_bench_table.show(folder, True), 1)
            self.assertIn("| f | 100.00 | 100.50 | 0.50 | 201.00 | – | 1 |", out.getvalue())
            (folder / "process-1.json").unlink()
            with self.assertRaisesRegex(do_bench_table.evidence.Unusable, "found 1 process"):
                do_bench_table.show(folder, True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
