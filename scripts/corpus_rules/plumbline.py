"""Plumbline's own rule: the program judges run directories, as it does in a nightly job."""

import json
import pathlib
import shutil
import subprocess
import tempfile

from .nights import write_run
from .rule import Absent, rule


class Program:
    """Calls of `plumbline`, and the run directories that they read. Verdicts are kept: two rules ask for each."""

    path = None  # of the program

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-corpus-"))
        self.baselines, self.verdicts = {}, {}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True)
        if done.returncode not in (0, 1, 3):
            raise RuntimeError(f"{' '.join(map(str, done.args))}: {done.stderr}")

    def run_of(self, night):
        """The night's run directory, with what is planted in it."""
        planted = "".join(f"-{case}-{factor}" for case, factor in sorted(night.slower.items()))
        key = f"{night.number:03}{planted}".replace("/", "_")
        folder = self.folder / "made" / key
        if not folder.exists():
            write_run(night, folder)
        return folder

    def accepted(self, baseline):
        key = tuple(night.number for night in baseline)
        if key not in self.baselines:
            folder = self.folder / f"baseline-{len(self.baselines)}"
            for night in baseline:
                self.call("accept", self.run_of(night), "--baselines", folder, "--author", "corpus",
                          "--why", "first nights", "--even-so", "as every rule takes it")  # fmt: skip
            self.baselines[key] = folder
        return self.baselines[key]

    def judged(self, baseline, past, tonight):
        """Verdicts by (case, metric)."""
        key = tuple((night.number, *sorted(night.slower.items())) for night in [*past, tonight])
        if key not in self.verdicts:
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                runs = pathlib.Path(folder) / "runs"
                for night in [*past, tonight]:
                    shutil.copytree(self.run_of(night), runs / f"{night.number:03}")
                comparison = pathlib.Path(folder) / "comparison.json"
                self.call("compare", self.accepted(baseline), runs / f"{tonight.number:03}", "--history",
                          "--runs", runs, "-o", comparison)  # fmt: skip
                findings = json.loads(comparison.read_text(encoding="utf-8"))["findings"]
            self.verdicts[key] = {(one["case"], one["metric"]): one["verdict"] for one in findings}
        return self.verdicts[key]


_program = None


def use(path):
    """Names the program; the rules are absent without one."""
    Program.path = path


def close():
    global _program
    if _program:
        _program.close()
    _program = None


def called(verdicts, baseline, past, tonight, series):
    global _program
    if not Program.path:
        raise Absent("plumbline is not built")
    _program = _program or Program()
    judged = _program.judged(baseline, past, tonight)
    return [one for one in series if judged.get(one) in verdicts]


@rule("plumbline", "`plumbline compare BASELINES NIGHT --history`: SLOWER, which history alone confirms")
def slower(*nights_and_series):
    return called({"SLOWER"}, *nights_and_series)


@rule("plumbline, screen", "the same: SLOWER, or looks slower, which a nightly job then measures in pairs")
def looks_slower(*nights_and_series):
    return called({"SLOWER", "LOOKS_SLOWER"}, *nights_and_series)
