#!/usr/bin/python3
"""cuDNN on a GPU: every case of suites/cudnn.yaml is right or refused with a known reason, plans are recorded,
autotuning is not slower, and the backends agree with each other.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason if there
is no GPU. The plans are those of Hopper (compute capability 9.0).
"""

import collections
import json
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SUITE = planted.ROOT / "suites" / "cudnn.yaml"
HOT = ("--metrics", "gpu_time", "--cache", "hot")
QUICK = HOT + ("--rounds", "1", "--blocks-min", "2", "--blocks-max", "2", "--samples", "3", "--warmup-s", "0")
PLANS = HOT + ("--rounds", "3")
NOISE = 1.03  # between two cases of one run, each with its own placements
LIMIT_S = 1700

# Part of a case's id: part of its reason. Nothing else may be UNSUPPORTED.
UNSUPPORTED = [
    (r"^gemm/custom/.*direction=backward", "the custom gemm is for direction=forward"),
    (r"^conv2d/cudnn/.*dtype=float8_e4m3fn", "fewer than 64 output channels"),
    (r"^softmax/custom/.*layout=transposed", "the custom softmax is for layout=contiguous"),
    (r"^(gemm|bmm)/cudnn/.*dtype=float32(?!.*tf32=true)", "round float32 operands to TF32"),
    (r"^batch_norm/cudnn/.*direction=backward.*training=false", "that of training"),
    (r"^batch_norm/cudnn/(?!.*layout=nhwc).*training=false", "channels last alone"),
    (r"^(max|avg)_pool2d/cudnn/.*direction=backward", "no pooling backward"),
    (r"^group_norm/cudnn/(?!.*groups=(16|64))", "no group norm"),
    (r"^ctc_loss/cudnn/.*direction=backward", "it takes no gradient for each loss"),
    (r"^rnn/cudnn/.*plan=[123]", "NOT_SUPPORTED"),
    (r"^fp8_gemm/libtorch/.*fast_accumulation=false", "fast_accum"),
    (r"^ctc_loss/libtorch/", "it has wall_time"),
]
LEGACY = {"softmax", "log_softmax", "ctc_loss"}  # functions without plans


def is_known(row):
    return row["status"] == "UNSUPPORTED" and any(
        re.search(place, row["case"]) and words in row["reason"] for place, words in UNSUPPORTED
    )


class Cudnn(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        planted.LIMIT_S = LIMIT_S

    def rows(self, name, *more):
        run = self.folder / name
        self.expect(0, self.plumbline("run", SUITE, "-o", run, "--device", "cuda", *more))
        return planted.read_rows(run)

    def test_every_case_is_right_or_refused_in_words_known_before(self):
        rows = {row["case"]: row for row in self.rows("all", *QUICK)}
        # WRONG where the suite expects it; otherwise the exit code would differ.
        unknown = [
            f"{case}: {row['status']} {row['reason']}"
            for case, row in rows.items()
            if row["status"] not in ("OK", "WRONG") and not is_known(row)
        ]
        self.assertEqual(unknown, [], "\n".join(unknown))
        self.check_agreement(rows)
        self.check_plans(rows)

    def check_agreement(self, rows):
        """Each is within its tolerance of the same reference, so they differ by at most twice that."""
        errors = collections.defaultdict(dict)
        for case, row in rows.items():
            if row["status"] != "OK":
                continue
            op, backend, _ = case.split("/", 2)
            self.assertLessEqual(float(row["error_rel_l2"]), float(row["tolerance"]), case)
            worst = errors[op].get(backend, (0, 0))
            errors[op][backend] = (worst[0] + 1, max(worst[1], float(row["error_rel_l2"])))
        print(f"{'op':16} " + " ".join(f"{name:>24}" for name in ("libtorch", "cudnn", "custom")))
        for op, found in sorted(errors.items()):
            cells = (found.get(name) for name in ("libtorch", "cudnn", "custom"))
            texts = (f"{cell[0]} cases, error {cell[1]:.1e}" if cell else "-" for cell in cells)
            print(f"{op:16} " + " ".join(f"{text:>24}" for text in texts))
        self.assertTrue(any("cudnn" in found for found in errors.values()))

    def check_plans(self, rows):
        for case, row in rows.items():
            if "/cudnn/" not in case or row["status"] != "OK" or row["op"] in LEGACY:
                continue
            plans = json.loads(row["plan"])
            self.assertTrue(plans, case)
            for plan in plans:
                self.assertTrue(plan["plan"], case)
                self.assertGreater(plan["candidates"], 0, case)
                self.assertLess(plan["index"], plan["candidates"], case)
                self.assertGreaterEqual(plan["workspace"], 0, case)
                if row["op"] != "rnn":
                    self.assertGreaterEqual(plan["engine"], 0, case)

    def test_the_fastest_plan_is_not_slower_than_the_first(self):
        times = collections.defaultdict(list)
        for row in self.rows("plans", "--tag", "plans", *PLANS):
            if row["metric"] == "gpu_time_hot" and row["status"] == "OK":
                blocks = [
                    statistics.median(float(sample) for sample in block.split(";"))
                    for block in row["samples"].split("|")
                ]
                times[row["case"]].append(statistics.fmean(blocks))
        tuned = [case for case in times if "plan=autotune" in case]
        self.assertGreaterEqual(len(tuned), 2, times.keys())
        for case in tuned:
            first = case.replace("/plan=autotune", "")  # a parameter at its default is left out
            ratio = statistics.fmean(times[case]) / statistics.fmean(times[first])
            print(f"{case}: {ratio:.3f} of the first plan's time")
            self.assertLessEqual(ratio, NOISE, case)


if __name__ == "__main__":
    planted.main_on_gpu()
