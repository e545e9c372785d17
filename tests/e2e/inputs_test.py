#!/usr/bin/python3
"""Files that are torn, foreign, missing or without cases: reported with their place, exit code 2.

And the shipped files: every suite loads, every accepted baseline parses."""

import json
import re
import shutil
import unittest

import planted


class BadResults(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        suite = cls.class_folder / "healthy.yaml"
        suite.write_text(planted.healthy())
        cls.run_path = cls.class_folder / "run"
        cls.expect(0, cls.plumbline(*cls.run_words(suite, cls.run_path)))
        cls.comparison_path = cls.class_folder / "comparison.json"
        done = cls.plumbline("compare", cls.run_path, cls.run_path, "-o", cls.comparison_path)
        cls.expect(0, done)

    def damaged(self, change, name="results.csv"):
        """A copy of the run with one file changed: bytes to bytes, or None to remove it."""
        copy = self.folder / f"run{len(list(self.folder.iterdir()))}"
        shutil.copytree(self.run_path, copy)
        path = copy / name
        content = change(path.read_bytes())
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        return copy

    def refused(self, path, *texts):
        """Every command that reads the run ends with 2 and reports place and problem."""
        commands = (
            ("compare", path, self.run_path),
            ("compare", self.run_path, path),
            ("report", path, "-o", self.folder / "page.html"),
            ("accept", path, "--baselines", self.folder / "baselines"),
        )
        for words in commands:
            with self.subTest(words[0]):
                done = self.expect(2, self.plumbline(*words), str(path), *texts)
                self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "page.html").exists())
        self.assertFalse((self.folder / "baselines").exists())

    def field(self, row, column, text):
        """Changes one field of results.csv; rows are counted from 1 after the header."""

        def change(content):
            lines = [line.split(b",") for line in content.splitlines()]
            lines[row][lines[0].index(column.encode())] = text.encode()
            return b"".join(b",".join(line) + b"\n" for line in lines)

        return change

    def test_a_torn_row_in_a_finished_run(self):
        torn = self.damaged(lambda content: content[:-20])
        self.refused(torn, "results.csv: row 6 (line 7)", "the run is finished")

    def test_a_field_of_another_kind_is_named_by_row_and_column(self):
        for column, text in (
            ("samples", "1e-6;fast|2e-6"),
            ("status", "FINE"),
            ("round", "first"),
            ("part", "2/1"),
            ("samples", ""),
        ):
            with self.subTest(column, text=text):
                self.refused(
                    self.damaged(self.field(3, column, text)), "row 3 (line 4)", f"column {column}"
                )

    def test_a_row_with_too_few_fields(self):
        def cut(content):
            lines = content.splitlines(keepends=True)
            lines[2] = lines[2][: lines[2].index(b",")] + b"\n"
            return b"".join(lines)

        self.refused(self.damaged(cut), "row 2 (line 3)", "1 fields")

    def test_a_foreign_table(self):
        foreign = self.damaged(lambda _: b"name,time\nrelu,3\n")
        self.refused(foreign, "results.csv", "column", "suite")

    def test_bytes_that_are_no_table(self):
        self.refused(self.damaged(lambda _: bytes(range(256)) * 20), "results.csv")

    def test_an_empty_table(self):
        self.refused(self.damaged(lambda _: b""), "results.csv", "empty file")

    def test_results_that_changed_since_the_run_finished_are_read_and_it_is_said(self):
        changed = self.damaged(self.field(1, "worker", "timing-1"))
        for words in (("compare", changed, self.run_path), ("compare", self.run_path, changed)):
            self.expect(0, self.plumbline(*words), f"{changed}/results.csv", "changed since")
        done = self.plumbline("report", changed, "-o", self.folder / "page.html")
        self.expect(0, done, f"{changed}/results.csv", "changed since")

    def test_a_foreign_run_json(self):
        self.refused(
            self.damaged(lambda _: b'{"name": "left-pad"}', "run.json"), "run.json", "format"
        )
        self.refused(self.damaged(lambda _: b"[1, 2]", "run.json"), "run.json", "format")

    def test_a_torn_run_json(self):
        self.refused(self.damaged(lambda content: content[:-40], "run.json"), "run.json")

    def test_a_run_json_with_a_value_of_another_kind(self):
        def change(content):
            return content.replace(b'"rounds": 3', b'"rounds": "three"')

        self.refused(self.damaged(change, "run.json"), "run.json", "at /policy/rounds", "three")

    def test_a_run_of_a_newer_plumbline(self):
        def change(content):
            return content.replace(b'"format": 1', b'"format": 99')

        self.refused(self.damaged(change, "run.json"), "run.json", "format 99")

    def test_missing_files(self):
        self.refused(self.damaged(lambda _: None), "results.csv", "No such file")
        self.refused(self.folder / "nowhere", "found nothing there")

    def test_a_folder_that_is_no_run(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for words in (("compare", self.run_path, empty), ("report", empty), ("accept", empty)):
            with self.subTest(words[0]):
                said = "without a run.json" if words[0] == "report" else "no run.json"
                self.expect(2, self.plumbline(*words), str(empty), said)
        folder = self.damaged(lambda _: None)
        (folder / "results.csv").mkdir()
        self.refused(folder, "results.csv", "directory")

    def test_a_comparison_that_is_torn_or_foreign(self):
        page = self.folder / "page.html"
        whole = self.comparison_path.read_text(encoding="utf-8")
        for content in (
            whole[:-50],
            "",
            "{}",
            '{"findings": 3}',
            whole.replace('"format": 1', '"format": 99'),
        ):
            with self.subTest(content[-20:]):
                path = self.plant("comparison.json", content)
                self.expect(2, self.plumbline("report", path, "-o", page), str(path))
                self.assertFalse(page.exists())
        planted.edit_json(
            path := self.plant("comparison.json", whole),
            lambda comparison: comparison["findings"][0].update(verdict="FINE"),
        )
        self.expect(
            2,
            self.plumbline("report", path, "-o", page),
            str(path),
            "at /findings/0/verdict",
            "FINE",
        )

    def test_a_comparison_whose_run_is_gone(self):
        path = self.folder / "comparison.json"
        path.write_text(self.comparison_path.read_text())
        planted.edit_json(path, lambda comparison: comparison.update(candidate_path="/nowhere/gone"))
        self.expect(
            2, self.plumbline("report", path, "-o", self.folder / "page.html"), "/nowhere/gone"
        )

    def test_an_unfinished_run_cannot_be_accepted(self):
        unfinished = self.damaged(lambda content: content, "run.json")
        planted.edit_json(unfinished / "run.json", lambda run: run.update(finished_at=None))
        done = self.plumbline("accept", unfinished, "--baselines", self.folder / "baselines")
        self.expect(2, done, "unfinished")

    def test_output_that_cannot_be_written(self):
        nowhere = self.folder / "no" / "such" / "folder"
        done = self.plumbline("report", self.run_path, "-o", nowhere / "page.html")
        self.expect(2, done, str(nowhere))
        done = self.plumbline("compare", self.run_path, self.run_path, "-o", nowhere / "c.json")
        self.expect(2, done, str(nowhere))


class NothingToMeasure(planted.Planted):
    def refused(self, suite, *more, texts=()):
        run = self.folder / "run"
        done = self.expect(2, self.plumbline(*self.run_words(suite, run, *more)), *texts)
        self.assertIn("error:", done.stderr)
        return run

    def test_a_selection_without_a_case(self):
        suite = self.plant("healthy.yaml", planted.healthy())
        for more in (
            ("--filter", "gemm"),
            ("--tag", "nightly"),
            ("--case", "relu/libtorch/elements=7"),
        ):
            with self.subTest(more[0]):
                run = self.refused(suite, *more, texts=[more[1]])
                self.assertFalse(run.exists())
                self.expect(2, self.plumbline("list", suite, *more), more[1])

    def test_a_suite_without_benchmarks(self):
        self.refused(
            self.plant("empty.yaml", "suite: empty\nbenchmarks: []\n"), texts=["empty.yaml:2:"]
        )

    def test_a_suite_whose_cases_are_all_excluded(self):
        entry = "  - op: relu\n    sweep: {elements: [10, 20], dtype: [float32]}\n"
        entry += '    exclude: [{where: {dtype: float32}, reason: "not today"}]\n'
        suite = self.plant("excluded.yaml", planted.suite_text("excluded", [entry]))
        run = self.refused(suite, texts=["nothing was measured"])
        self.assertEqual({row["reason"] for row in planted.read_rows(run)}, {"not today"})
        planned = self.plumbline(*self.run_words(suite, self.folder / "planned"), "--dry-run")
        self.expect(2, planned, "no selected case can run here: 2 of 2 cases: not today")
        accepted = self.plumbline("accept", run, "--baselines", self.folder / "baselines")
        self.expect(2, accepted, "no case with samples")

    def test_a_suite_whose_cases_all_fail(self):
        suite = self.plant(
            "faulty.yaml", planted.suite_text("faulty", [planted.benchmark("throws")])
        )
        run = self.folder / "run"
        done = self.expect(1, self.plumbline(*self.run_words(suite, run)), "1 CRASHED")
        self.assertNotIn("error:", done.stderr)

    def test_a_suite_a_device_a_worker_or_an_extension_that_is_not_there(self):
        suite = self.plant("healthy.yaml", planted.healthy())
        self.refused(self.folder / "nowhere.yaml", texts=["nowhere.yaml"])
        self.refused(
            self.folder,
            "--filter",
            "relu",
            "--worker",
            "/nowhere/worker",
            texts=["/nowhere/worker"],
        )
        run = self.folder / "run"
        self.expect(2, self.plumbline("run", suite, "-o", run, "--device", "cuda:77"), "cuda:77")
        self.expect(
            2, self.plumbline("run", suite, "-o", run, "--extension", "/nowhere.so"), "/nowhere.so"
        )
        foreign = self.plant("foreign.so", "no library")
        named = planted.suite_text("named", [planted.benchmark("work")])
        suite = self.plant("named.yaml", named)
        self.expect(
            2, self.plumbline("run", suite, "-o", run, "--extension", foreign), str(foreign)
        )
        self.assertFalse(run.exists())

    def test_an_operator_that_no_library_has_is_told_with_its_place(self):
        suite = self.plant("named.yaml", planted.suite_text("named", [planted.benchmark("wrk")]))
        self.refused(suite, texts=["named.yaml:4:10", "planted::wrk", "planted::work"])

    def test_arguments_that_do_not_fit_the_schema_fail_their_case_and_say_why(self):
        entry = planted.benchmark("work", args=""", microseconds: "'fast'" """)
        healthy = planted.benchmark("prints")
        suite = self.plant("named.yaml", planted.suite_text("named", [entry, healthy]))
        run = self.measured(suite, "run", code=1)
        reasons = {row["op"]: row["reason"] for row in planted.read_rows(run)}
        self.assertIn("microseconds", reasons["planted::work"])
        self.assertEqual(reasons["planted::prints"], "")


    def test_an_argument_that_is_missing_is_a_mistake_at_its_place(self):
        suite = self.plant("named.yaml", planted.suite_text("named", [planted.benchmark("work")]))
        done = self.plumbline(*self.run_words(suite, self.folder / "run"))
        self.expect(2, done, "named.yaml:4:", "'planted::work' lacks its argument 'microseconds'")


@unittest.skipUnless((planted.ROOT / "suites").is_dir(), "there is no tree around these tests")
class Shipped(planted.Planted):
    def test_every_suite_loads(self):
        files = sorted((planted.ROOT / "suites").rglob("*.yaml"))
        shapes = [file for file in files if "\nsuite: " not in file.read_text()]
        self.assertEqual([file.name for file in shapes], ["llama.yaml"], "a file that suites share has shapes alone")
        suites = [file for file in files if file not in shapes]
        self.assertTrue(suites)
        for suite in suites:
            with self.subTest(suite.name):
                listed = self.plumbline("list", suite, "--json", "--device", "cpu")
                cases = json.loads(self.expect(0, listed).stdout)
                self.assertTrue(cases)
                reasons = {case["id"]: case["unsupported"] for case in cases if case["unsupported"]}
                self.assertFalse([case for case, reason in reasons.items() if reason.startswith("no ")])
                if suite.name != "cudnn.yaml":  # this one shows what each backend lacks
                    elsewhere = [case for case, reason in reasons.items() if not re.search("CPU|GPU", reason)]
                    self.assertFalse(elsewhere, "they run on no device")

    def test_every_baseline_parses(self):
        folder = planted.ROOT / "baselines"
        tables = sorted(folder.rglob("*.csv"))
        described = sorted(folder.rglob("*.json"))
        self.assertEqual(
            [path.with_suffix("") for path in tables], [path.with_suffix("") for path in described]
        )
        if not tables:
            self.skipTest("there is no baseline yet")
        for table in tables:
            with self.subTest(table.relative_to(folder)):
                done, found = self.compared(table, table, 0)
                self.assertTrue(found)
                notes = [line for line in done.stderr.splitlines() if line.startswith("note:")]
                same = f"note: both are the same run, {table}: no case can differ"
                self.assertEqual(notes, [same])


if __name__ == "__main__":
    planted.main()
