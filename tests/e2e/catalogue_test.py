#!/usr/bin/python3
"""Every op of the catalogue on the CPU, from suite to results: right, or UNSUPPORTED for a reason."""

import collections
import json

import planted

# What LibTorch has for GPUs alone, and in whose words a CPU refuses it.
GPU_ONLY = {
    "sparse_gemm": "Could not run 'aten::_cslt_compress' with arguments from the 'CPU' backend",
    "fp8_gemm": "only supports per-tensor scaling for CPU",
}
QUICK = ("--rounds", "1", "--blocks-min", "2", "--blocks-max", "2", "--samples", "2", "--warmup-s", "0")


class Catalogue(planted.Planted):
    def test_every_op_and_direction_is_in_its_suite_and_right_on_the_cpu(self):
        done = self.plumbline("ops", "--json")
        self.expect(0, done)
        ops = {op["op"]: op for op in json.loads(done.stdout)}

        run = self.folder / "run"
        suite = planted.ROOT / "suites" / "catalogue.yaml"
        self.expect(0, self.plumbline("run", suite, "-o", run, "--device", "cpu", *QUICK))
        results = collections.defaultdict(dict)
        for row in planted.read_rows(run):
            results[row["op"]][row["case"]] = row

        self.assertEqual(set(results), set(ops))
        for name, rows in results.items():
            with self.subTest(op=name):
                directions = {"backward" if "direction=backward" in case else "forward" for case in rows}
                self.assertEqual("backward" in directions, ops[name]["backward"])
                for case, row in rows.items():
                    if row["status"] != "OK":
                        self.assertEqual(row["status"], "UNSUPPORTED", f"{case}: {row['reason']}")
                        self.assertIn(GPU_ONLY.get(name, "no refusal"), row["reason"], case)
                if name != "sparse_gemm":
                    self.assertIn("OK", {row["status"] for row in rows.values()})


if __name__ == "__main__":
    planted.main()
