"""Reads what `plumbline export` writes for databases and dashboards: sqlite3, Prometheus's own parser, pyarrow, and the
queries of ci/grafana/plumbline.json.

usage: tables.py PLUMBLINE

PLUMBLINE_EXPORTS is the environment of scripts/requirements-exports.txt, which scripts/test installs; without it,
OpenMetrics and Parquet are skipped.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PLUMBLINE = pathlib.Path(sys.argv.pop(1)).resolve()
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DASHBOARD = ROOT / "ci/grafana/plumbline.json"
EXTRA = pathlib.Path(os.environ.get("PLUMBLINE_EXPORTS", ""))
PYTHON = EXTRA / "bin/python"
HAS_READERS = EXTRA.is_absolute() and PYTHON.exists()
CASES = ("softmax/mine/rows=4096", "softmax/mine/rows=8192", "gelu/mine/rows=64")
BADGE_COLOURS = {"brightgreen", "green", "yellow", "orange", "red", "lightgrey", "blue"}


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="plumbline-tables-")
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "runs").mkdir()
        for night in range(4):
            cls.made(f"runs/night-{night}", night, {CASES[0]: 0.5} if night == 3 else {})
        compared = cls.plumbline("compare", "runs/night-0", "runs/night-3", "--trust-screen", "-o",
                                 "runs/night-3/comparison.json")
        assert compared.returncode == 1, compared.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def made(cls, name, day, factors):
        """A run of a day; `factors`: how many times as fast cases are."""
        words = [f"{case}={factors.get(case, 1) * (1 + 0.001 * day)}" for case in CASES]
        subprocess.run([sys.executable, HERE / "fixtures/variant_run.py", cls.folder / name, *words], check=True)
        path = cls.folder / name / "run.json"
        info = json.loads(path.read_text())
        info["started_at"] = f"2026-01-0{day + 1}T00:00:00Z"
        info["environment"] |= {"commit": f"c0ffee{day}", "device_uuid": "GPU-1", "driver": "580.1"}
        path.write_text(json.dumps(info))

    @classmethod
    def plumbline(cls, *words):
        return subprocess.run([PLUMBLINE, *words], cwd=cls.folder, capture_output=True, text=True)

    def exported(self, *words):
        done = self.plumbline("export", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, *words, told):
        done = self.plumbline("export", *words)
        self.assertEqual(done.returncode, 2, done.stderr)
        for text in told:
            self.assertIn(text, done.stderr)

    def database(self, source, name="runs.sqlite"):
        self.exported("sqlite", source, "-o", name)
        database = sqlite3.connect(self.folder / name)
        self.addCleanup(database.close)
        return database


class Databases(Folder):
    def test_a_run_has_the_numbers_of_its_files(self):
        database = self.database("runs/night-1")
        with open(self.folder / "runs/night-1/results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        found = database.execute('SELECT "case", metric, round, samples, flops FROM result ORDER BY rowid').fetchall()
        self.assertEqual(found, [(r["case"], r["metric"], int(r["round"]), r["samples"], float(r["flops"])) for r in rows])
        kinds = database.execute("SELECT DISTINCT typeof(estimate), typeof(rounds), typeof(revision) FROM summary")
        self.assertEqual(kinds.fetchall(), [("real", "integer", "text")])
        estimate, low, high = database.execute(
            'SELECT estimate, low, high FROM summary WHERE "case" = ? AND metric = ?', (CASES[1], "gpu_time_cold")
        ).fetchone()
        self.assertAlmostEqual(estimate, 1e-4 / 1.001, delta=1e-8)
        self.assertLess(low, estimate)
        self.assertGreater(high, estimate)

    def test_what_is_not_known_is_null(self):
        database = self.database("runs/night-1")
        self.assertEqual(database.execute("SELECT DISTINCT temperature, power FROM result").fetchall(), [(None, None)])
        self.assertEqual(database.execute("SELECT threads, driver, \"commit\" FROM run").fetchone(), (None, "580.1", "c0ffee1"))

    def test_parameters_of_cases_are_rows(self):
        found = self.database("runs/night-1").execute('SELECT "case", name, value FROM parameter ORDER BY 1').fetchall()
        self.assertEqual([row for row in found if row[1] == "rows"], [(c, "rows", c.split("=")[1]) for c in sorted(CASES)])

    def test_a_folder_has_its_finished_runs_once_and_their_verdicts(self):
        nights = self.folder / "nights"
        shutil.copytree(self.folder / "runs", nights)
        shutil.copytree(nights / "night-0", nights / "again")
        info = json.loads((nights / "night-2/run.json").read_text()) | {"finished_at": None}
        (nights / "night-2/run.json").write_text(json.dumps(info))
        done = self.exported("sqlite", "nights", "-o", "nights.sqlite")
        self.assertIn("night-2 has not finished", done.stderr)
        self.assertIn("is a copy of", done.stderr)
        database = sqlite3.connect(self.folder / "nights.sqlite")
        self.addCleanup(database.close)
        self.assertEqual([f for (f,) in database.execute("SELECT folder FROM run ORDER BY started_s")],
                         ["again", "night-1", "night-3"])
        self.assertEqual(database.execute("SELECT count(*) FROM summary").fetchone(), (3 * 9,))
        self.assertEqual(database.execute("SELECT count(*) FROM result").fetchone(), (0,))
        verdicts = database.execute('SELECT "case", verdict, change FROM verdict WHERE metric = ?', ("gpu_time_cold",))
        by_case = {case: (verdict, change) for case, verdict, change in verdicts}
        self.assertEqual(by_case[CASES[0]][0], "SLOWER")
        self.assertAlmostEqual(by_case[CASES[0]][1], 1, delta=0.01)
        self.assertNotEqual(by_case[CASES[1]][0], "SLOWER")

    def test_a_mistake_leaves_the_file_as_it_was(self):
        kept = self.folder / "kept.sqlite"
        kept.write_text("kept")
        (self.folder / "empty").mkdir()
        self.refused("sqlite", "empty", "-o", "kept.sqlite", told=["found no run in it"])
        broken = self.folder / "broken"
        shutil.copytree(self.folder / "runs/night-0", broken)
        with open(broken / "results.csv", "a") as file:
            file.write("nonsense\n")
        self.refused("sqlite", "broken", "-o", "kept.sqlite", told=["results.csv", "row"])
        self.assertEqual(kept.read_text(), "kept")
        self.assertEqual([path.name for path in self.folder.glob("kept.sqlite*")], ["kept.sqlite"])
        self.refused("sqlite", "runs/night-0", told=["name it with -o"])
        self.refused("sqlite", "runs/night-3/comparison.json", "-o", "x.sqlite", told=["is a comparison"])
        self.refused("sqlite", "runs/night-0", "-o", "no/folder/x.sqlite", told=["no/folder"])


class Dashboard(Folder):
    """Grafana replaces variables before it sends a query; so does this."""

    def setUp(self):
        self.dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        self.rows = self.database("runs")
        self.values = {"__from": "0", "__to": "4102444800000"}
        for variable in self.dashboard["templating"]["list"]:
            if variable["type"] == "query":
                choices = [row[0] for row in self.rows.execute(self.filled(variable["query"]))]
                self.assertTrue(choices, variable["name"])
                self.values[variable["name"]] = choices[0]
        self.values |= {"metric": "gpu_time_cold", "op": "softmax", "case": CASES[0], "parameter": "rows"}

    def filled(self, query):
        def value(found):
            name, form = found.group(1) or found.group(3), found.group(2)
            self.assertIn(name, self.values, query)
            text = self.values[name]
            return "'" + text.replace("'", "''") + "'" if form == ":sqlstring" else text

        return re.sub(r"\$\{(\w+)(:\w+)?\}|\$(\w+)", value, query)

    def panels(self):
        for panel in self.dashboard["panels"]:
            for target in panel["targets"]:
                yield panel["title"], target

    def result(self, title):
        query = next(target["queryText"] for name, target in self.panels() if name == title)
        cursor = self.rows.execute(self.filled(query))
        return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor]

    def test_every_query_runs_and_finds_something(self):
        for title, target in self.panels():
            with self.subTest(title):
                self.assertEqual(target["queryText"], target["rawQueryText"])
                cursor = self.rows.execute(self.filled(target["queryText"]))
                self.assertTrue(cursor.fetchall())
                if target["queryType"] == "time series":
                    self.assertIn("time", [column[0] for column in cursor.description])

    def test_the_case_that_was_slowed_is_found(self):
        slowed = self.result("Changes of the latest run")[0]
        self.assertEqual((slowed["case"], slowed["verdict"]), (CASES[0], "SLOWER"))
        against = self.result("Latest run against the median of up to 15 runs before")[0]
        self.assertEqual(against["case"], CASES[0])
        self.assertAlmostEqual(against["change"], 1, delta=0.01)
        self.assertEqual(against["runs"], 3)
        line = self.result("${case}, ${metric}")
        self.assertEqual(len(line), 4)
        self.assertAlmostEqual(line[3]["estimate"] / line[2]["estimate"], 2, delta=0.01)
        self.assertEqual([row["slower"] for row in self.result("Verdicts, run by run")], [2])  # time and energy

    def test_panels_have_places_of_their_own_and_one_data_source(self):
        identities = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(set(identities)), len(identities))
        for panel in self.dashboard["panels"]:
            self.assertEqual(panel["datasource"], {"type": "frser-sqlite-datasource", "uid": "${datasource}"})
            self.assertLessEqual(panel["gridPos"]["x"] + panel["gridPos"]["w"], 24)


class Badges(Folder):
    def badge(self, source):
        return json.loads(self.exported("badge", source).stdout)

    def test_slower_is_red_and_nothing_slower_is_green(self):
        slower = self.badge("runs/night-3/comparison.json")
        self.assertEqual(slower, {"schemaVersion": 1, "label": "plumbline", "message": "1 slower", "color": "red"})
        self.plumbline("compare", "runs/night-0", "runs/night-0", "-o", "same.json")
        same = self.badge("same.json")
        self.assertEqual((same["message"], same["color"]), ("3 cases, none slower", "brightgreen"))

    def test_runs_that_cannot_be_compared_are_grey(self):
        other = self.folder / "other"
        shutil.copytree(self.folder / "runs/night-1", other)
        path = other / "run.json"
        path.write_text(path.read_text().replace("NVIDIA H200", "NVIDIA B200"))
        self.plumbline("compare", "runs/night-0", "other", "-o", "other.json")
        badge = self.badge("other.json")
        self.assertEqual(badge["color"], "lightgrey")
        self.assertIn(badge["color"], BADGE_COLOURS)

    def test_a_run_has_no_badge(self):
        self.refused("badge", "runs/night-0", told=["is about verdicts"])


@unittest.skipUnless(HAS_READERS, "PLUMBLINE_EXPORTS names no environment of scripts/requirements-exports.txt")
class Readers(Folder):
    def families(self, *words):
        """What Prometheus's parser makes of an export: {name: [[labels, value, time], …]}."""
        text = self.exported("openmetrics", *words).stdout
        script = (
            "import json, sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n"
            "print(json.dumps([[f.name, f.type, f.unit, [[s.labels, s.value, str(s.timestamp or '')] for s in f.samples]] "
            "for f in parse(sys.stdin.read())]))"
        )
        done = subprocess.run([PYTHON, "-c", script], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + text)
        return {name: (kind, unit, samples) for name, kind, unit, samples in json.loads(done.stdout)}

    def test_openmetrics_is_what_its_parser_reads(self):
        families = self.families("runs/night-1")
        kind, unit, samples = families["plumbline_estimate_seconds"]
        self.assertEqual((kind, unit, len(samples)), ("gauge", "seconds", 3))
        labels, value, time = next(s for s in samples if s[0]["case"] == CASES[1])
        self.assertAlmostEqual(value, 1e-4 / 1.001, delta=1e-8)
        self.assertEqual((labels["metric"], labels["device_class"], labels["device"], time),
                         ("gpu_time_cold", "NVIDIA H200", "GPU-1", ""))
        self.assertEqual({families[f"plumbline_estimate_{unit}"][1] for unit in ("bytes", "joules")}, {"bytes", "joules"})
        self.assertEqual(families["plumbline_run"][2][0][0]["commit"], "c0ffee1")
        self.assertEqual([s[1] for s in families["plumbline_cases"][2]], [3])

    def test_openmetrics_can_have_the_time_of_the_run(self):
        for _, _, samples in self.families("runs/night-1", "--timestamps").values():
            for _, _, time in samples:
                self.assertEqual(float(time), 1767312000)
        self.refused("csv", "runs/night-1", "--timestamps", told=["is for openmetrics"])

    def test_labels_are_escaped(self):
        odd = self.folder / "odd"
        shutil.copytree(self.folder / "runs/night-1", odd)
        path = odd / "run.json"
        info = json.loads(path.read_text())
        info["environment"]["device_class"] = 'a "quoted" \\ name\nof two lines'
        path.write_text(json.dumps(info))
        self.assertEqual(self.families("odd")["plumbline_run"][2][0][0]["device_class"], info["environment"]["device_class"])

    def parquet(self, source, *words):
        command = [PYTHON, "-m", "plumbline_gpu.parquet", source, "-o", "t.parquet", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "harness/python"), "PYTHONDONTWRITEBYTECODE": "1"})

    def test_parquet_holds_the_visits_of_all_runs(self):
        self.assertEqual(self.parquet("runs").returncode, 0)
        script = "import json, pyarrow.parquet as p; print(json.dumps(p.read_table('t.parquet').to_pylist()))"
        done = subprocess.run([PYTHON, "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout)
        self.assertEqual(len(rows), 4 * 27)
        self.assertEqual({row["run"] for row in rows}, {f"night-{i}" for i in range(4)})
        slowed = [r["estimate"] for r in rows if (r["run"], r["case"], r["metric"], r["round"]) ==
                  ("night-3", CASES[0], "gpu_time_cold", 1)]
        self.assertAlmostEqual(slowed[0], 2e-4 / 1.003, delta=1e-8)

    def test_parquet_says_what_is_wrong_and_keeps_the_old_file(self):
        (self.folder / "t.parquet").write_text("kept")
        done = self.parquet("runs/nothing")
        self.assertEqual((done.returncode, (self.folder / "t.parquet").read_text()), (2, "kept"))
        self.assertIn("runs/nothing", done.stderr)

    def test_the_refusal_names_the_command_that_works(self):
        done = self.plumbline("export", "parquet", "runs/night-1", "-o", "x.parquet")
        self.assertEqual(done.returncode, 2)
        command = re.search(r"python3 (-m plumbline_gpu\.parquet .*)", done.stderr).group(1).split()
        again = subprocess.run([PYTHON, *command], cwd=self.folder, capture_output=True, text=True,
                               env=os.environ | {"PYTHONPATH": str(ROOT / "harness/python"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue((self.folder / "x.parquet").exists())


if __name__ == "__main__":
    unittest.main()
