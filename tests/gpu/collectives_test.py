#!/usr/bin/python3
"""Several GPUs of one machine: collectives are right on every rank, as fast as those of torch.distributed, and planted
faults of a rank cost the case alone.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), two GPUs that can access each other's memory, and a Python with
torch; ends with 77 and the reason without them.
"""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SUITE = planted.ROOT / "suites" / "collectives.yaml"
FAULTY = planted.BUILD / "lib" / "libfaulty_nccl.so"
BY_HAND = pathlib.Path(__file__).resolve().parent / "collectives_by_hand.py"
LARGE = 67108864  # elements of 4 bytes
SMALL = """suite: small
measure: {cache: [hot], metrics: [gpu_time], rounds: 1}
benchmarks:
  - {op: all_reduce, sweep: {ranks: [2], elements: [1048576], dtype: [float32]}}
  - {op: relu, sweep: {elements: [1048576], dtype: [float32]}}
"""
ALL_REDUCE = "all_reduce/nccl/dtype=float32/elements=1048576/ranks=2"
RELU = "relu/libtorch/dtype=float32/elements=1048576"


def busbw(row):
    return float(row["bytes"]) / planted.median_of(row)


class Collectives(planted.Planted):
    device = "cuda:0"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls.class_folder / "run"
        done = cls.plumbline("run", SUITE, "--device", cls.device, "--rounds", "1", "--filter", "!*algorithm=*", "--filter", "!*elements=2147483648*", "-o", run)
        cls.expect(0, done)
        cls.rows = [row for row in planted.read_rows(run) if row["metric"] == "gpu_time_hot"]
        cls.measured = run

    def row(self, op, elements):
        case = f"{op}/{'libtorch' if op == 'peer_copy' else 'nccl'}/dtype=float32/elements={elements}/ranks=2"
        found = [row for row in self.rows if row["case"] == case]
        self.assertEqual(len(found), 1, case)
        return found[0]

    def test_every_collective_is_right_on_every_rank(self):
        states = {row["case"]: row["status"] + " " + row["reason"] for row in planted.read_rows(self.measured)}
        wrong = {case: state for case, state in states.items() if not state.startswith("OK")}
        self.assertEqual(wrong, {})

    def test_large_messages_come_near_the_speed_of_a_copy_and_not_beyond_it(self):
        link = busbw(self.row("peer_copy", LARGE))
        for op in ("all_reduce", "all_gather", "reduce_scatter", "broadcast"):
            reached = busbw(self.row(op, LARGE)) / link
            print(f"{op}: {reached:.2f} of a copy's {link / 1e9:.0f} GB/s")
            self.assertGreater(reached, 0.4, op)
            self.assertLess(reached, 1.25, op)

    def test_ranks_begin_together(self):
        skews = [planted.median_of(row) for row in planted.read_rows(self.measured) if row["metric"] == "rank_skew_hot"]
        print(f"median skew {sorted(skews)[len(skews) // 2] * 1e6:.2f} us")
        self.assertLess(sorted(skews)[len(skews) // 2], 10e-6)

    def test_times_are_those_of_torch_distributed(self):
        sizes = [1024, 262144, LARGE]
        done = subprocess.run([sys.executable, BY_HAND, *map(str, sizes)], stdout=subprocess.PIPE, encoding="utf-8",
                              timeout=planted.LIMIT_S, check=True)
        for elements, by_hand_s in json.loads(done.stdout).items():
            ours_s = planted.median_of(self.row("all_reduce", elements))
            print(f"all_reduce of {elements} floats: {ours_s * 1e6:.1f} us, torch.distributed {by_hand_s * 1e6:.1f} us")
            self.assertLess(ours_s, 1.1 * by_hand_s)
            if int(elements) == LARGE:  # Python cannot enqueue small messages as fast as they are done
                self.assertGreater(ours_s, 0.5 * by_hand_s)


class Faults(planted.Planted):
    device = "cuda:0"

    def states(self, fault):
        suite = self.plant("small.yaml", SMALL)
        run = self.folder / fault
        self.plumbline("run", suite, "--device", self.device, "-o", run, LD_PRELOAD=str(FAULTY), PLANTED_NCCL=fault)
        return {row["case"]: (row["status"], row["reason"]) for row in planted.read_rows(run)}

    def test_a_rank_with_a_wrong_result_is_found(self):
        states = self.states("wrong")
        self.assertEqual(states[ALL_REDUCE][0], "WRONG", states)
        self.assertEqual(states[RELU][0], "OK")

    def test_launches_that_send_nothing_are_found(self):
        states = self.states("idle")
        self.assertEqual(states[ALL_REDUCE][0], "WRONG", states)

    def test_a_dead_rank_costs_its_case_and_not_the_run(self):
        states = self.states("dead")
        self.assertEqual(states[ALL_REDUCE][0], "CRASHED", states)
        self.assertIn("SIGKILL", states[ALL_REDUCE][1])
        self.assertEqual(states[RELU][0], "OK")

    def test_a_rank_that_begins_late_is_named(self):
        suite = self.plant("small.yaml", SMALL)
        flags = {}
        for fault in ("none", "late"):
            run = self.folder / fault
            done = self.plumbline("run", suite, "--device", self.device, "-o", run, LD_PRELOAD=str(FAULTY), PLANTED_NCCL=fault)
            self.expect(0, done)
            flags[fault] = [row["flags"] for row in planted.read_rows(run) if row["case"] == ALL_REDUCE and row["metric"] == "gpu_time_hot"]
        self.assertIn("rank 1 is late", flags["late"][0])
        self.assertNotIn("is late", flags["none"][0])

    def test_a_machine_with_one_gpu_says_what_it_lacks(self):
        suite = self.plant("small.yaml", SMALL)
        run = self.folder / "one"
        self.plumbline("run", suite, "--device", "cuda", "-o", run, CUDA_VISIBLE_DEVICES="0")
        states = {row["case"]: (row["status"], row["reason"]) for row in planted.read_rows(run)}
        self.assertEqual(states[ALL_REDUCE][0], "UNSUPPORTED")
        self.assertIn("this machine has 1 GPU", states[ALL_REDUCE][1])


if __name__ == "__main__":
    planted.main_on_gpu(2)
