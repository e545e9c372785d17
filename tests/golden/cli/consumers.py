"""Reads what `plumbline export` writes with the programs that it is for: compare.py, csv, a strict XML parser,
sarif-tools.

usage: consumers.py PLUMBLINE FOLDER-OF-SARIF-TOOLS
"""

import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PLUMBLINE, PROGRAMS = [pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2)]
FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")  # Debian: libbenchmark-tools
HAS_COMPARE = COMPARE.exists() and importlib.util.find_spec("scipy") is not None


class Consumers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for name, factor in (("slow", "1"), ("fast", "2")):
            subprocess.run([sys.executable, FIXTURES / "variant_run.py", cls.folder / name, factor], check=True)
        subprocess.run([PLUMBLINE, "compare", "fast", "slow", "--trust-screen", "-o", "c.json"], cwd=cls.folder, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def export(self, kind, source):
        done = subprocess.run(
            [PLUMBLINE, "export", kind, source, "-o", f"{source}.{kind}"],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / f"{source}.{kind}"

    @unittest.skipUnless(HAS_COMPARE, "needs /usr/share/benchmark/compare.py and scipy")
    def test_compare_py_finds_the_factor_that_was_planted(self):
        slow, fast = self.export("gbench", "slow"), self.export("gbench", "fast")
        output = self.folder / "compared.json"
        done = subprocess.run(
            [sys.executable, COMPARE, "--no-color", "-d", output, "benchmarks", slow, fast],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = [entry for entry in json.loads(output.read_text()) if entry["run_type"] == "iteration"]
        self.assertEqual([entry["name"] for entry in entries],
                         ["kernels/softmax/mine/rows=4096/gpu_time_cold/iterations:1/repeats:3/manual_time"])
        self.assertEqual(len(entries[0]["measurements"]), 3)
        for pair in entries[0]["measurements"]:
            self.assertAlmostEqual(pair["time"], -0.5, places=6)

    def test_a_data_frame_has_the_planted_numbers(self):
        with open(self.export("csv", "slow"), newline="") as file:
            rows = {row["metric"]: row for row in csv.DictReader(file, strict=True)}
        self.assertEqual(set(rows), {"gpu_time_cold", "peak_memory", "energy"})
        self.assertAlmostEqual(float(rows["gpu_time_cold"]["estimate"]), 1e-4, delta=1e-8)
        self.assertEqual(rows["peak_memory"]["param.rows"], "4096")

    def test_junit_is_well_formed_and_counts_its_failures(self):
        suites = xml.etree.ElementTree.parse(self.export("junit", "c.json")).getroot()
        cases = suites.findall(".//testcase")
        failures = suites.findall(".//testcase/failure")
        self.assertEqual(len(cases), 3)
        self.assertEqual(sum(int(suite.get("failures")) for suite in suites.findall("testsuite")), len(failures))
        self.assertEqual(len(failures), 2)  # time and energy doubled, memory did not

    def test_sarif_has_what_its_schema_requires(self):
        log = json.loads(self.export("sarif", "c.json").read_text())
        self.assertEqual(log["version"], "2.1.0")
        for run in log["runs"]:
            self.assertTrue(run["tool"]["driver"]["name"])
            rules = {rule["id"] for rule in run["tool"]["driver"].get("rules", [])}
            for result in run["results"]:
                self.assertTrue(result["message"]["text"])
                self.assertIn(result["level"], {"none", "note", "warning", "error"})
                self.assertIn(result["ruleId"], rules)
        self.assertEqual(sum(result["level"] == "error" for run in log["runs"] for result in run["results"]), 2)

    def test_sarif_tools_lists_what_got_worse(self):
        listed = self.folder / "listed.csv"
        done = subprocess.run(
            [PROGRAMS / "sarif", "csv", "-o", listed, self.export("sarif", "c.json")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(listed, newline="") as file:
            errors = [row for row in csv.DictReader(file, strict=True) if row["Severity"] == "error"]
        self.assertEqual(len(errors), 2)
        for row in errors:
            self.assertEqual((row["Code"], row["Location"]), ("SLOWER", "kernels.yaml"))

    def test_markdown_says_the_verdict_first(self):
        text = self.export("markdown", "c.json").read_text()
        self.assertIn("slower", text.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
