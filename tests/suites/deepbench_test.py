"""suites/deepbench holds DeepBench's problems: every row of its sets is one case, and there are no other cases.

The rows are read from deepbench_shapes_{gemm,conv,rnn}.csv in $PLUMBLINE_FACTS, else in shared/data beside this tree: a
set's name, a row's index, and DeepBench's numbers. Without these files only the counts are tested. Needs no worker.
"""

import collections
import csv
import functools
import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
FACTS = pathlib.Path(os.environ.get("PLUMBLINE_FACTS") or ROOT.parent / "shared" / "data")

TRAINED = {(dtype, way) for dtype in ("float32", "float16") for way in ("forward", "backward")}
INFERRED = {("float32", "forward"), ("float16", "forward")}
ON_A_PHONE = {("float32", "forward")}
IN_INT8 = {("int8", "forward")}
SETS = {"training": "training_set", "server": "inference_server_set", "device": "inference_device_set"}
# What each set measures, and how many different rows it has.
EXPECTED = {
    ("gemm", "training"): (INFERRED, 160),
    ("gemm", "server"): (INFERRED | IN_INT8, 75),
    ("gemm", "device"): (ON_A_PHONE | IN_INT8, 13),
    ("conv", "training"): (TRAINED, 90),
    ("conv", "server"): (INFERRED, 103),
    ("conv", "device"): (ON_A_PHONE, 16),
    ("rnn", "training"): (TRAINED, 53),
    ("rnn", "server"): (INFERRED, 69),
    ("rnn", "device"): (ON_A_PHONE, 3),
}
# From this k on, sums of int8 products may exceed int32: such cases of the server's language model are left out.
INT8_LIMIT = 2**17
WITHOUT_INT8 = 6


def gemm_of_row(row):
    """DeepBench stores matrices by columns: m and n, and the transposes, are swapped."""
    numbers = {"m": row["n"], "n": row["m"], "k": row["k"]}
    return {**numbers, "transpose_a": row["b_t"], "transpose_b": row["a_t"]}


def conv_of_row(row):
    names = {"n": "n", "c": "c", "h": "h", "w": "w", "k": "k", "r": "filter_h", "s": "filter_w"}
    names |= {"stride_h": "hstride", "stride_w": "wstride", "padding_h": "pad_h", "padding_w": "pad_w"}
    return {ours: row[theirs] for ours, theirs in names.items()}


def rnn_of_row(row):
    cell = "relu" if row["rnn_type"] == "vanilla" else row["rnn_type"]
    width = row["hidden_state"]
    return {"cell": cell, "input": width, "hidden": width, "steps": row["time_steps"], "batch": row["batch"]}


def gemm_of_case(params):
    return {"transpose_a": "false", "transpose_b": "false", **params}


def conv_of_case(params):
    stride, padding = params.pop("stride", "1"), params.pop("padding", "0")
    return {"stride_h": stride, "stride_w": stride, "padding_h": padding, "padding_w": padding, **params}


def rnn_of_case(params):
    return params


OF_ROW = {"gemm": gemm_of_row, "conv": conv_of_row, "rnn": rnn_of_row}
OF_CASE = {"gemm": gemm_of_case, "conv": conv_of_case, "rnn": rnn_of_case}


def frozen(problem):
    return tuple(sorted(problem.items()))


def rows_of(kind, part):
    """The different rows of a set. DeepBench repeats some of them."""
    with open(FACTS / f"deepbench_shapes_{kind}.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == SETS[part]]
    return {frozen(OF_ROW[kind](row)) for row in rows}


@functools.cache
def all_cases():
    """{(kind, part): {(dtype, direction): problems}}, from case ids, which leave out defaults."""
    words = [BUILD / "bin" / "plumbline", "list", ROOT / "suites" / "deepbench", "--json"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for case in json.loads(done.stdout):
        kind, part = case["suite"].removeprefix("deepbench-").split("-")
        params = dict(part.split("=") for part in case["id"].split("/")[2:])
        way = params.pop("dtype"), params.pop("direction", "forward")
        found[kind, part][way].append(frozen(OF_CASE[kind](params)))
    return found


def surplus(some, others):
    """Items of the first list that are not in the second."""
    return [dict(problem) for problem in (collections.Counter(some) - collections.Counter(others)).elements()]


class DeepBench(unittest.TestCase):
    def test_every_set_is_a_suite_with_as_many_cases_in_the_precisions_and_directions_of_deepbench(self):
        self.assertEqual(set(all_cases()), set(EXPECTED))
        for suite, (ways, count) in EXPECTED.items():
            for way in ways | set(all_cases()[suite]):
                with self.subTest(suite=suite, way=way):
                    without = WITHOUT_INT8 if suite == ("gemm", "server") and way in IN_INT8 else 0
                    self.assertEqual(len(all_cases()[suite][way]), count - without if way in ways else 0)

    def test_every_row_is_one_case(self):
        if not FACTS.is_dir():
            self.skipTest(f"{FACTS} is not there")
        for suite, ways in all_cases().items():
            rows = rows_of(*suite)
            for way, problems in ways.items():
                with self.subTest(suite=suite, way=way):
                    wanted = [row for row in rows if way not in IN_INT8 or int(dict(row)["k"]) < INT8_LIMIT]
                    self.assertEqual(surplus(problems, wanted), [], "cases that are no row, or one again")
                    self.assertEqual(surplus(wanted, problems), [], "rows without a case")


if __name__ == "__main__":
    unittest.main(verbosity=2)
