#!/usr/bin/python3
"""Installed under a prefix and called from an unrelated folder, with suites of another project."""

import json
import pathlib
import shutil
import subprocess

import planted

SUITE = planted.suite_text("theirs", [planted.work([100, 200, 300])], planted.MEASURE_WORK)


def install(prefix):
    """`cmake --install` if this is a build tree; else a copy, which works for any build."""
    if (planted.BUILD / "cmake_install.cmake").is_file() and shutil.which("cmake"):
        words = ["cmake", "--install", planted.BUILD, "--prefix", prefix]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return True
    for folder in ("bin", "lib"):
        shutil.copytree(planted.BUILD / folder, prefix / folder)
    return False


class Elsewhere(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.class_folder / "prefix"
        cls.is_installed = install(cls.prefix)
        cls.program = cls.prefix / "bin" / "plumbline"

    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        self.desk = self.folder / "desk"
        self.desk.mkdir()
        self.suite = self.plant("project/bench/suites/theirs.yaml", SUITE)

    def at_desk(self, code, *words, **variables):
        """Runs the installed program in the unrelated folder; returns its result."""
        done = self.plumbline(*words, cwd=self.desk, program=self.program, **variables)
        return self.expect(code, done)

    def run_there(self, *more, **variables):
        """Runs the suite, without saying where to; returns the run's directory."""
        words = ["run", self.suite, "--device", "cpu", "--extension", planted.EXTENSION, *more]
        return pathlib.Path(self.at_desk(0, *words, **variables).stdout.splitlines()[-1])

    def wrapped_worker(self, name):
        """A worker at another place that records its use."""
        path = self.plant(
            name, f'#!/bin/sh\ntouch "$0.used"\nexec "{self.prefix}/bin/plumbline-worker" "$@"\n'
        )
        path.chmod(0o755)
        return path

    def test_the_whole_way_beside_the_suite_where_nothing_is_said(self):
        baselines, runs = self.suite.parent / "baselines", self.suite.parent / "runs"
        first = self.run_there()
        self.assertEqual(first.parent, runs)
        accepted = pathlib.Path(self.at_desk(0, "accept", first, "--even-so", "a test").stdout.strip())
        self.assertEqual(accepted.parent.parent, baselines)
        self.assertEqual(accepted.name, "theirs.csv")
        again, slow = self.run_there(), self.run_there(**planted.slowed(200))
        self.assertEqual(len(list(runs.iterdir())), 3)
        self.at_desk(0, "compare", baselines, again)
        compared = self.at_desk(1, "compare", baselines, slow, "--trust-screen", "-o", "comparison.json")
        self.assertIn("Slower: ", compared.stdout)
        self.at_desk(0, "report", "comparison.json", "-o", "page.html")
        self.assertIn("n=200", (self.desk / "page.html").read_text(encoding="utf-8"))
        self.assertEqual(
            {path.name for path in self.desk.iterdir()}, {"comparison.json", "page.html"}
        )

    def test_plumbline_yaml_above_the_suite_says_where_they_lie_relative_to_itself(self):
        text = "baselines: accepted\nruns: ../scratch/runs\nworker: tools/worker\n"
        self.plant("project/bench/plumbline.yaml", text)
        worker = self.wrapped_worker("project/bench/tools/worker")
        bench = self.project / "bench"
        first = self.run_there()
        self.assertEqual(first.parent.resolve(), self.project / "scratch" / "runs")
        self.assertTrue(pathlib.Path(f"{worker}.used").exists())
        accepted = pathlib.Path(self.at_desk(0, "accept", first, "--even-so", "a test").stdout.strip())
        self.assertEqual(accepted.parent.parent, bench / "accepted")

    def test_flags_say_where_they_lie_relative_to_the_folder_one_is_in(self):
        self.plant("project/bench/plumbline.yaml", "baselines: accepted\nruns: runs\n")
        first = self.run_there("--runs", "my/runs")
        self.assertEqual((self.desk / first).parent, self.desk / "my/runs")
        self.at_desk(0, "accept", first, "--even-so", "a test", "--baselines", "my/baselines")
        self.assertEqual(len(list((self.desk / "my/baselines").rglob("theirs.csv"))), 1)
        self.at_desk(0, "compare", "my/baselines", first)
        self.assertFalse((self.project / "bench/accepted").exists())

    def test_a_worker_of_another_place_is_taken_by_flag_or_variable(self):
        by_flag = self.wrapped_worker("other/worker")
        self.run_there("--worker", by_flag)
        self.assertTrue(pathlib.Path(f"{by_flag}.used").exists())
        by_variable = self.wrapped_worker("third/worker")
        self.run_there(PLUMBLINE_WORKER=str(by_variable))
        self.assertTrue(pathlib.Path(f"{by_variable}.used").exists())

    def test_a_mistake_in_plumbline_yaml_is_told_with_its_place(self):
        path = self.plant("project/plumbline.yaml", "baselines: here\nbaseline: there\n")
        done = self.at_desk(2, "run", self.suite, "--device", "cpu")
        self.assertIn(f"{path}:2:1", done.stderr)
        self.assertIn("baselines", done.stderr)

    def test_the_run_knows_the_commit_of_the_project_that_the_suite_belongs_to(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")

        def git(*words):
            names = ["-c", "user.name=A. Tester", "-c", "user.email=a@example.org"]
            done = subprocess.run(
                ["git", "-C", self.project, *names, *words],
                env=self.environment(),
                check=True,
                capture_output=True,
                encoding="utf-8",
            )
            return done.stdout.strip()

        git("init", "--quiet")
        git("add", "bench")
        git("commit", "--quiet", "-m", "theirs")
        run = self.run_there("--runs", self.folder / "runs")
        recorded = json.loads((run / "run.json").read_text())
        self.assertEqual(recorded["environment"]["commit"], git("rev-parse", "HEAD"))
        self.assertEqual(recorded["environment"]["dirty"], "no")
        self.assertEqual(recorded["suites"][0]["path"], "bench/suites/theirs.yaml")
        self.suite.write_text(SUITE + "# changed\n")
        run = self.run_there("--runs", self.folder / "runs")
        self.assertEqual(json.loads((run / "run.json").read_text())["environment"]["dirty"], "yes")

    def test_stock_suites_and_their_schema_are_installed_and_found_by_name(self):
        if not self.is_installed:
            self.skipTest("this is a copy of a build, not an installation")
        self.assertTrue((self.prefix / "share/plumbline/suites/suite.schema.json").is_file())
        listed = self.at_desk(0, "list", "quick", "--device", "cpu").stdout
        self.assertIn("gemm/libtorch/", listed)
        done = self.at_desk(2, "list", "quik")
        self.assertIn("did you mean 'quick'?", done.stderr)
        self.assertEqual(list(self.desk.iterdir()), [])


if __name__ == "__main__":
    planted.main()
