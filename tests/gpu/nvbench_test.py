#!/usr/bin/env python3
"""NVBench's own files: results with samples (--jsonbin) of two processes are imported and compared.

Needs bin/plumbline of a build, and a Python with torch and cuda.bench (PyPI cuda-bench), which runs this. Ends with 77
and the reason if there is no GPU, or no cuda.bench. $OUT, if it is set, gets the files that NVBench wrote.
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
csv.field_size_limit(1 << 30)  # thousands of samples
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
BENCHMARK = """
import sys

import cuda.bench
import torch


def product(state):
    n = state.get_int64("n")
    stream = torch.cuda.ExternalStream(state.get_stream().addressof())
    a = torch.randn(n, n, device="cuda", dtype=torch.float16)
    torch.cuda.synchronize()

    def launcher(_):
        with torch.cuda.stream(stream):
            torch.mm(a, a)

    state.exec(launcher, batched=False)


benchmark = cuda.bench.register(product)
benchmark.add_int64_axis("n", [512, 2048])
benchmark.set_timeout(2)
cuda.bench.run_all_benchmarks(sys.argv)
"""


def missing():
    try:
        import torch

        if not torch.cuda.is_available():
            return "there is no GPU"
        import cuda.bench  # noqa: F401
    except ImportError as error:
        return f"a package is missing: {error}"
    return ""


class Samples(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, *command, codes=(0,)):
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        print("$", *command, f"-> {ran.returncode}\n{ran.stdout[-4000:]}{ran.stderr[-4000:]}", flush=True)
        self.assertIn(ran.returncode, codes)
        return ran.stdout + ran.stderr

    def plumbline(self, *arguments, codes=(0,)):
        return self.call(str(BUILD / "bin" / "plumbline"), *arguments, codes=codes)

    def test_samples_of_two_processes(self):
        (self.folder / "benchmark.py").write_text(BENCHMARK)
        for name in ("a", "b"):
            self.call(sys.executable, "benchmark.py", "--jsonbin", f"{name}.json")
        if os.environ.get("OUT"):
            shutil.copytree(self.folder, pathlib.Path(os.environ["OUT"]) / "nvbench", dirs_exist_ok=True)
        self.call("sh", "-c", "ls -l a.json-bin; head -c 3000 a.json; grep -A8 json/bin a.json")
        said = self.plumbline("import", "nvbench", "a.json", "b.json", "-o", "runs")
        self.assertNotIn("have no samples", said)
        [path] = (self.folder / "runs").iterdir()
        with open(path / "results.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["metric"] == "nvbench_gpu_time_cold"]
        self.assertEqual(sorted((row["case"].rpartition("=")[2], row["round"]) for row in rows),
                         [("2048", "0"), ("2048", "1"), ("512", "0"), ("512", "1")])  # fmt: skip
        for number, name in enumerate(("a", "b")):
            root = json.loads((self.folder / f"{name}.json").read_text())
            sizes = []
            for state in root["benchmarks"][0]["states"]:
                [summary] = [one for one in state["summaries"] if one["tag"] == "nv/json/bin:nv/cold/sample_times"]
                sizes.append(next(int(value["value"]) for value in summary["data"] if value["name"] == "size"))
            counts = [row["samples"].count(";") + 1 for row in rows if row["round"] == str(number)]
            self.assertEqual(counts, sizes)
            self.assertGreater(min(counts), 9)
            self.plumbline("import", "nvbench", f"{name}.json", "-o", f"only-{name}")
        one, other = (str(next((self.folder / f"only-{name}").iterdir())) for name in ("a", "b"))
        # One process on each side is never judged; the samples are there all the same.
        self.assertIn("1 visit in the baseline, at least 2 are needed", self.plumbline("compare", one, other, codes=(3,)))
        self.assertIn("2 SAME", self.plumbline("compare", str(path), str(path)))
        # A file that was cut, and one of another process, are refused.
        sample = self.folder / "a.json-bin" / "0.bin"
        whole = sample.read_bytes()
        sample.write_bytes(whole[:-2])
        self.assertIn("expected", self.plumbline("import", "nvbench", "a.json", "-o", "cut", codes=(2,)))
        sample.write_bytes(whole[: len(whole) // 8 * 4] + b"\x00\x00\x80\x3f" * (len(whole) // 4 - len(whole) // 8))
        self.assertIn("another run", self.plumbline("import", "nvbench", "a.json", "-o", "other", codes=(2,)))
        sample.unlink()
        self.assertIn("have no samples", self.plumbline("import", "nvbench", "a.json", "-o", "mean"))


if __name__ == "__main__":
    if reason := missing():
        print(reason)
        sys.exit(77)
    unittest.main(verbosity=2)
