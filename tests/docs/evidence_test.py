"""scripts/evidence knows every page of evidence, and its commands name files and flags that are there."""

import csv
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
SCRIPT = ROOT / "scripts" / "evidence"


def loaded():
    loader = importlib.machinery.SourceFileLoader("evidence", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("evidence", loader))
    sys.modules["evidence"] = module
    loader.exec_module(module)
    return module


evidence = loaded()


def called(*words):
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True)


def missing_files(script):
    script = script.replace("$S/", "tests/gpu/suites/")
    return [name for name in re.findall(r"(?<![\w$/])(?:tests|suites|scripts)/[\w./-]+", script) if not (ROOT / name).exists()]


def unknown_flags(script):
    """Flags that the help of the line's program does not name."""
    for line in script.splitlines():
        for command in re.split(r"; |&& ", line):
            words = command.replace("do ", " ").split()
            if "$PYTHON" in words:
                at = words.index("$PYTHON")
                program = [sys.executable, ROOT / words[at + 1]]
            elif "$P" in words and words[-1] != "--help":
                at = words.index("$P")
                program = [BUILD / "bin" / "plumbline", words[at + 1]]
            else:
                continue
            shown = subprocess.run([*program, "--help"], capture_output=True, text=True).stdout
            yield from (word for word in words[at + 2 :] if word.startswith("--") and word not in shown)


class Evidence(unittest.TestCase):
    def test_every_page_can_be_made_again(self):
        pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "evidence").glob("*.md")}
        made = {exhibit.page for exhibit in evidence.EXHIBITS}
        self.assertEqual(pages - made - {"docs/evidence/README.md"}, set())
        self.assertEqual([page for page in made if not (ROOT / page).exists()], [])

    def test_commands_name_files_and_flags_that_are_there(self):
        for exhibit in evidence.EXHIBITS:
            with self.subTest(exhibit.name):
                self.assertEqual(missing_files(exhibit.script), [])
                self.assertEqual(list(unknown_flags(exhibit.script)), [])
                self.assertIn(exhibit.needs, evidence.NEEDS)

    def test_planted_faults_are_found(self):
        self.assertEqual(missing_files("$P run $S/gone.yaml\ntests/gpu/aa.py"), ["tests/gpu/suites/gone.yaml"])
        self.assertEqual(list(unknown_flags("$P run quick --gone 1\n$PYTHON tests/gpu/aa.py a --lost")), ["--gone", "--lost"])

    def test_a_failing_command_ends_with_1_and_an_unknown_name_with_2(self):
        with tempfile.TemporaryDirectory() as folder:
            made = evidence.make(evidence.Exhibit("x", "", "cpu", 0, "echo row; false; echo never"), pathlib.Path(folder))
            self.assertFalse(made)
            self.assertEqual((pathlib.Path(folder) / "table.md").read_text(), "row\n")
        self.assertEqual(called("nothing").returncode, 2)
        listed = called()
        self.assertEqual(listed.returncode, 0)
        self.assertIn("docs/evidence/timers.md", listed.stdout)
        self.assertIn("tests/gpu/bandwidth.py", called("bandwidth", "--dry-run").stdout)


class Utilisation(unittest.TestCase):
    """The table of docs/evidence/networks.md, from the accepted baseline of networks on the H200."""

    BASELINE = ROOT / "baselines" / "nvidia-h200" / "nightly-networks"

    def reached(self):
        """[(type of products, TFLOP/s, share of its calibrated rate)] of the steps with a GPU time and operations, largest first. No
        rate is calibrated for products with weights of 4 bits."""
        rates = json.loads(self.BASELINE.with_suffix(".json").read_text(encoding="utf-8"))["runs"][0]["calibration"]
        found = []
        with open(self.BASELINE.with_suffix(".csv"), newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["metric"] != "gpu_time_hot" or not row["flops"] or "int4" in row["case"]:
                    continue
                kind = re.search(r"precision=(\w+)|(quantize=fp8)|(dtype=bfloat16)", row["case"])
                kind = kind[1] or ("float8" if kind[2] else "bfloat16")
                rate = max(rates[f"matmul_{kind}_flops_per_s"], rates[f"matmul_{kind}_burst_flops_per_s"])
                speed = float(row["flops"]) / statistics.mean(map(float, row["visits"].split(";")))
                found.append((kind, f"{speed / 1e12:.1f}", f"{100 * speed / rate:.1f} %"))
        return sorted(found, key=lambda step: -float(step[1]))

    def test_the_table_is_that_of_the_baseline(self):
        page = (ROOT / "docs" / "evidence" / "networks.md").read_text(encoding="utf-8")
        table = re.search(r"\| step \| type \|.*\n\|.*\n((?:\|.*\n)+)", page)[1]
        shown = [tuple(cell.strip() for cell in line.split("|")[2:5]) for line in table.splitlines()]
        self.assertEqual(sorted(shown, key=lambda step: -float(step[1])), self.reached())


if __name__ == "__main__":
    unittest.main()
