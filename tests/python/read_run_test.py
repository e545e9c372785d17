#!/usr/bin/python3
"""plumbline_gpu.read_run: runs, baselines and comparisons as tables, without torch and the engine.

Arguments: the program plumbline.
"""

import contextlib
import csv
import importlib.util
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMBLINE = pathlib.Path(sys.argv.pop(1)).absolute()
sys.path[:0] = [str(ROOT / "harness/python"), str(ROOT / "tests/support")]

import planted_run
import plumbline_gpu as pl

BASELINE = ROOT / "baselines/nvidia-h200/quick"
FRAMES = {"to_pandas": "pandas", "to_polars": "polars", "to_pyarrow": "pyarrow"}
HEADER = ("suite,case,op,backend,revision,status,metric,unit,round,worker,part,samples,block_causes,block_clocks,flags,"
          "reason")


def line(case="a/b/n=1", part="1/1", samples="1;2|4;6", rest=";,1e9;2e9,far;near,"):
    return f"s,{case},a,b,1,OK,wall_time,s,0,w,{part},{samples},{rest}"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumbline-read-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, *lines, end="\n", finished="2026-01-01T00:00:00Z"):
        run = self.folder / "run"
        run.mkdir(exist_ok=True)
        info = {"format": 1, "measurement_revision": 4, "started_at": "2026-01-01T00:00:00Z", "finished_at": finished}
        (run / "run.json").write_text(json.dumps(info, indent=1))
        (run / "results.csv").write_text("\n".join([HEADER, *lines]) + end)
        return run

    def refused(self, path, *words, error=pl.ReadError, comparison=None):
        with self.assertRaises(error) as told:
            pl.read_run(path, comparison)
        for word in words:
            self.assertIn(word, str(told.exception))


class Runs(Folder):
    def test_samples_lie_in_blocks_and_blocks_set_aside_enter_no_estimate(self):
        run = pl.read_run(self.written(line(), line("a/b/n=2", samples="1|3|100", rest=";;thermal,,,")))
        self.assertEqual(run.samples["value"], [1, 2, 4, 6, 1, 3, 100])
        self.assertEqual(run.samples["block"], [0, 0, 1, 1, 0, 1, 2])
        self.assertEqual(run.samples["sample"], [0, 1, 0, 1, 0, 0, 0])
        self.assertEqual(run.samples["clock"][:4], [1e9, 1e9, 2e9, 2e9])
        self.assertEqual(run.samples["cause"][-2:], ["", "thermal"])
        self.assertEqual(run.visits["estimate"], [(1.5 + 5) / 2, 2])
        self.assertEqual((run.visits["blocks"], run.visits["set_aside"]), ([2, 2], [0, 1]))
        self.assertEqual(run.visits["flags"], [["far", "near"], []])
        self.assertTrue(math.isnan(run.visits["floor"][0]))
        self.assertEqual((run.info["measurement_revision"], run.warnings), (4, []))

    def test_reasons_of_several_lines_and_columns_of_a_newer_version_are_read(self):
        run = self.written('s,a/b/n=1,a,b,1,CRASHED,,,0,w,1/1,,,,,"two\nlines, ""said"""')
        text = (run / "results.csv").read_text().replace("suite,case", "newer,suite,case").replace("s,a/b", "?,s,a/b")
        (run / "results.csv").write_text(text)
        (visit,) = pl.read_run(run).visits
        self.assertEqual((visit["reason"], visit["status"]), ('two\nlines, "said"', "CRASHED"))
        self.assertTrue(math.isnan(visit["estimate"]))

    def test_a_visit_with_more_samples_than_the_csv_module_reads_by_default(self):
        run = pl.read_run(self.written(line(samples="|".join(["0.00012345678;" * 9 + "1"] * 2000), rest=",,,")))
        self.assertEqual(len(run.samples), 20000)

    def test_a_run_in_progress_may_end_in_a_torn_row(self):
        for torn in (line("a/b/n=2")[:25], 's,a/b/n=2,"cut in\nquotes'):
            run = pl.read_run(self.written(line(), torn, end="", finished=None))
            self.assertEqual(len(run.visits), 1)
            (warning,) = run.warnings
            self.assertRegex(warning, r"results\.csv:3: found the end of the file inside .*the row was left out$")
            self.refused(self.written(line(), torn, end=""), "results.csv:3: ", "finished", "damaged")

    def test_a_visit_that_is_not_whole_is_told(self):
        run = pl.read_run(self.written(line(part="1/2"), finished=None))
        self.assertIn("results.csv:2: found the end after 1 of 2 rows of the visit of 'a/b/n=1'", run.warnings[0])
        self.refused(self.written(line(part="1/2")), "1 of 2 rows")

    def test_what_is_wrong_is_told_with_file_line_and_column(self):
        for broken, *words in (
            (line(samples="1;x"), ":3: samples: found '1;x', expected numbers with ';'"),
            (line(samples="1||2"), ":3: samples: "),
            (line().replace("OK", "FINE"), ":3: status: found 'FINE', expected one of OK WRONG"),
            (line(part="2/1"), ":3: part: "),
            (line() + ",more", ":3: found 17 fields, expected 16"),
            (line(rest=";;,,,"), ":3: block_causes: found 3 items, expected 2"),
            (line().replace("a/b", '"a"/b'), ":3: found a quote inside a field"),
        ):
            with self.subTest(broken):
                self.refused(self.written(line(), broken), f"{self.folder}/run/results.csv", *words)
        run = self.written(line())
        (run / "results.csv").write_text("suite,case\n")
        self.refused(run, "results.csv:1: column op is missing")
        (run / "run.json").write_text('{"format": 1,\n oops}')
        self.refused(run, "run.json:2: found no JSON")
        (run / "run.json").write_text('{"format": 99, "measurement_revision": 4}')
        self.refused(run, "run.json:1: found format 99, expected at most 1")
        (run / "run.json").write_text("[]")
        self.refused(run, "run.json:1: found other JSON")

    def test_what_is_missing_is_told(self):
        self.refused(self.folder / "none", "none.json", "expected a run directory", error=FileNotFoundError)
        run = self.written(line())
        self.refused(run, "c.json: found no such file", error=FileNotFoundError, comparison=self.folder / "c.json")
        (run / "results.csv").unlink()
        self.refused(run, "found no", "results.csv", error=FileNotFoundError)


class Baselines(Folder):
    def test_each_visit_of_each_run_is_a_row(self):
        run = pl.read_run(BASELINE)
        with open(f"{BASELINE}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        means = [float(mean) for row in rows for mean in row["visits"].split(";") if mean]
        self.assertEqual([x for x in run.visits["estimate"] if not math.isnan(x)], means)
        self.assertEqual(set(run.visits["suite"]), {"quick"})
        self.assertGreaterEqual(len(set(run.visits["run"])), 2)
        self.assertEqual((len(run.samples), len(run.info["runs"])), (0, len(set(run.visits["run"]))))
        self.assertEqual(len(pl.read_run(f"{BASELINE}.csv").visits), len(run.visits))


class Comparisons(Folder):
    def setUp(self):
        super().setUp()
        ids = planted_run.cases(3)
        planted_run.write_run(self.folder / "old", ids, seed=1)
        planted_run.write_run(self.folder / "new", ids, seed=2, day=2, slower={ids[0]: 1.5})
        planted_run.write_run(self.folder / "other", ids, seed=3, day=3)
        self.compared = self.folder / "c.json"
        subprocess.run([PLUMBLINE, "compare", "old", "new", "-o", self.compared, "--trust-screen"],
                       cwd=self.folder, capture_output=True)

    def test_verdicts_stand_beside_the_estimates_that_they_judge(self):
        run = pl.read_run(self.folder / "new", self.compared)
        slower = [row for row in run.verdicts if row["verdict"] == "SLOWER"]
        self.assertTrue(slower and all(row["case"] == planted_run.cases(3)[0] for row in slower), slower)
        self.assertAlmostEqual(slower[0]["change"], 0.5, delta=0.05)
        judged = slower[0]["case"], slower[0]["metric"]
        mine = [v["estimate"] for v in run.visits if (v["case"], v["metric"]) == judged]
        self.assertAlmostEqual(slower[0]["candidate"] / statistics.fmean(mine), 1, delta=1e-3)
        self.assertEqual(run.warnings, [])

    def test_the_comparison_in_the_run_directory_is_found_and_a_foreign_one_is_told(self):
        self.assertEqual(len(pl.read_run(self.folder / "new").verdicts), 0)
        self.compared.rename(self.folder / "new/comparison.json")
        self.assertGreater(len(pl.read_run(self.folder / "new").verdicts), 0)
        (warning,) = pl.read_run(self.folder / "other", self.folder / "new/comparison.json").warnings
        self.assertIn("compares other runs", warning)
        self.refused(self.folder / "new", "expected that of a comparison", comparison=self.folder / "new/run.json")


class Tables(Folder):
    def test_each_library_has_the_rows_and_types_even_of_an_empty_table(self):
        run = pl.read_run(self.written(line()))
        for method, library in FRAMES.items():
            if importlib.util.find_spec(library) is None:
                continue
            with self.subTest(library):
                self.assertEqual(getattr(run.visits, method)().shape, (1, len(run.visits.columns)))
                self.assertEqual(getattr(run.verdicts, method)().shape, (0, len(run.verdicts.columns)))
                self.assertEqual(list(getattr(run.samples, method)()["value"].to_numpy()), [1, 2, 4, 6])

    def test_a_library_that_is_not_installed_is_named_with_the_command(self):
        table = pl.read_run(self.written(line())).visits
        for method, library in FRAMES.items():
            with self.subTest(library), _without(library), self.assertRaises(ImportError) as told:
                getattr(table, method)()
            self.assertIn(f"{method}() needs {library}, which is not installed: pip install", str(told.exception))

    def test_columns_rows_and_a_name_that_there_is_not(self):
        table = pl.read_run(self.written(line())).visits
        self.assertEqual(next(iter(table))["case"], table["case"][0])
        with self.assertRaisesRegex(KeyError, "no column 'cases'; there are suite, case"):
            table["cases"]
        self.assertIn("1 rows: suite", repr(table))


class Package(unittest.TestCase):
    def test_reading_loads_neither_torch_nor_the_engine(self):
        code = ("import sys, plumbline_gpu as pl; pl.read_run(sys.argv[1]).visits; "
                "print(sorted({'torch', 'numpy', 'pandas', 'plumbline_gpu._engine'} & set(sys.modules)))")
        done = subprocess.run([sys.executable, "-c", code, BASELINE], env={"PYTHONPATH": str(ROOT / "harness/python")},
                              capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("[]\n", ""))


@contextlib.contextmanager
def _without(library):
    kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] == library}
    for name in kept:
        del sys.modules[name]
    finder = type("Hidden", (), {"find_spec": staticmethod(lambda name, *_: _hide(name, library))})
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.modules.update(kept)


def _hide(name, library):
    if name == library:
        raise ModuleNotFoundError(f"No module named '{name}'", name=name)


if __name__ == "__main__":
    unittest.main()
