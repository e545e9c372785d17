"""Runs and commands at other places than where they began: other folders, edited suites, other trees."""

import json
import pathlib
import shutil
import subprocess

import fault_test
from fault_test import FAKE_WORKER, FaultTest


class EditedSince(FaultTest):
    """A run whose suite, folder or origin has changed since."""

    def setUp(self):
        super().setUp()
        code, _, err = self.plumbline("run", str(self.work / "more/relu.yaml"), "-o", str(self.folder / "run"))
        self.assertEqual(code, 0, err)

    def edit_run(self, change):
        path = self.folder / "run/run.json"
        run = json.loads(path.read_text())
        change(run)
        path.write_text(json.dumps(run))

    def test_an_edited_suite_still_says_where_its_baselines_are(self):
        suite = self.work / "more/relu.yaml"
        suite.write_text(suite.read_text() + "# edited\n")
        code, out, err = self.plumbline("accept", str(self.folder / "run"), cwd="/")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.strip(), str(self.work / "more/baselines/cpu-fake-device/relu.csv"))
        self.assertFalse((self.folder / "run/baselines").exists())

    def test_so_does_one_in_a_git_tree_that_the_command_named_in_full(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")
        subprocess.run(["git", "init", "-q"], cwd=self.work, check=True)
        suite, run = self.work / "more/relu.yaml", str(self.folder / "outside")
        code, _, err = self.plumbline("run", str(suite), "-o", run, cwd=self.folder)
        self.assertEqual(code, 0, err)
        recorded = json.loads((self.folder / "outside/run.json").read_text())["suites"][0]["path"]
        self.assertEqual(recorded, "more/relu.yaml")
        suite.write_text(suite.read_text() + "# edited\n")
        code, out, err = self.plumbline("accept", run, cwd="/")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.strip(), str(self.work / "more/baselines/cpu-fake-device/relu.csv"))

    def test_where_nothing_says_it_accept_asks_for_the_folder(self):
        (self.work / "more/relu.yaml").unlink()
        code, out, err = self.plumbline("accept", str(self.folder / "run"), cwd="/")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--baselines DIR", err)
        self.assertIn(f"relu ({self.work}/more/relu.yaml)", err)
        self.assertFalse((self.folder / "run/baselines").exists())
        code, out, err = self.plumbline("accept", str(self.folder / "run"), "--baselines", "there")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.strip(), "there/cpu-fake-device/relu.csv")

    def test_a_plumbline_yaml_above_the_run_says_it_too(self):
        (self.work / "more/relu.yaml").unlink()
        (self.folder / "plumbline.yaml").write_text("baselines: accepted\n")
        code, out, err = self.plumbline("accept", str(self.folder / "run"), cwd="/")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.strip(), str(self.folder / "accepted/cpu-fake-device/relu.csv"))

    def test_a_run_without_a_list_of_suites_is_compared_with_its_baseline(self):
        self.edit_run(lambda run: run.update(suites=[]))
        run, baselines = str(self.folder / "run"), str(self.folder / "baselines")
        (self.folder / "baselines").mkdir()
        code, _, err = self.plumbline("compare", baselines, run)
        self.assertEqual(code, 3)
        self.assertIn("holds no accepted baseline of relu for Fake device", err)
        code, _, err = self.plumbline("accept", run)
        self.assertEqual(code, 2)
        self.assertIn("it names no suites", err)
        code, _, err = self.plumbline("accept", run, "--baselines", baselines)
        self.assertEqual(code, 0, err)
        code, out, err = self.plumbline("compare", baselines, run)
        self.assertEqual(code, 0, err)
        self.assertIn("1 SAME", out)

    def test_a_suite_that_no_longer_parses_changes_nothing(self):
        (self.work / "more/relu.yaml").write_text("suite: relu\nbenchmarks: [{op: relo}]\n")
        code, out, err = self.plumbline("compare", str(self.folder / "run"), str(self.folder / "run"))
        self.assertEqual(code, 0, err)
        self.assertIn("1 SAME", out)
        self.assertNotIn("not applied", err)

    def test_a_run_of_an_earlier_plumbline_is_compared_without_thresholds_which_is_said(self):
        self.edit_run(lambda run: run.pop("asked"))
        code, out, err = self.plumbline("compare", str(self.folder / "run"), str(self.folder / "run"))
        self.assertEqual(code, 0, err)
        self.assertIn("1 SAME", out)
        self.assertIn("measured by an earlier Plumbline, which did not record thresholds", err)


class FarFromHome(FaultTest):
    """Another project, another folder, an installed program."""

    def test_plumbline_yaml_says_where_baselines_runs_and_the_worker_are(self):
        project = self.folder / "project"
        (project / "perf" / "suites").mkdir(parents=True)
        shutil.copy(self.work / "more" / "relu.yaml", project / "perf" / "suites")
        shutil.copy(FAKE_WORKER, project / "our-worker")
        (project / "plumbline.yaml").write_text("baselines: perf/accepted\nruns: out\nworker: our-worker\n")
        del self.environment["PLUMBLINE_WORKER"]
        code, out, err = self.plumbline("run", str(project / "perf/suites/relu.yaml"), cwd=self.folder)
        self.assertEqual(code, 0, err)
        run = out.splitlines()[-1]
        self.assertEqual(pathlib.Path(run).parent, project / "out")
        code, out, err = self.plumbline("accept", run, cwd="/")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.strip(), str(project / "perf/accepted/cpu-fake-device/relu.csv"))
        code, _, err = self.plumbline("compare", str(project / "perf/accepted"), run, cwd="/")
        self.assertEqual(code, 0, err)

    def test_without_it_runs_lie_beside_the_suite(self):
        code, out, err = self.plumbline("run", str(self.work / "more/relu.yaml"), cwd=self.folder)
        self.assertEqual(code, 0, err)
        self.assertEqual(pathlib.Path(out.splitlines()[-1]).parent, self.work / "more" / "runs")

    def test_flags_say_it_last(self):
        code, out, err = self.plumbline("run", "more/relu.yaml", "--runs", "there")
        self.assertEqual(code, 0, err)
        self.assertEqual(str(pathlib.Path(out.splitlines()[-1]).parent), "there")

    def test_an_installed_program_finds_its_libraries_and_the_stock_suites(self):
        prefix = self.folder / "prefix"
        stock = prefix / "share" / "plumbline" / "suites" / "nightly"
        (prefix / "bin").mkdir(parents=True)
        stock.mkdir(parents=True)
        shutil.copy(fault_test.PROGRAM, prefix / "bin")
        shutil.copytree(pathlib.Path(fault_test.PROGRAM).parent.parent / "lib", prefix / "lib")
        shutil.copy(self.work / "more" / "relu.yaml", stock)
        program = str(prefix / "bin" / "plumbline")
        code, out, err = self.plumbline("list", "nightly/relu.yaml", program=program)
        self.assertEqual(code, 0, err)
        self.assertEqual(out, "relu/libtorch/dtype=float32/elements=1024\n")
        code, out, err = self.plumbline("run", "nightly", program=program)
        self.assertEqual(code, 0, err)
        self.assertEqual(pathlib.Path(out.splitlines()[-1]).parent, self.work / "runs")
        code, _, err = self.plumbline("list", "nightlie", program=program)
        self.assertEqual(code, 2)
        self.assertIn("suite 'nightlie' does not exist; did you mean 'nightly'?", err)
        code, _, err = self.plumbline("list", "attention", program=program)
        self.assertIn("suite 'attention' does not exist, and is none of the stock suites: nightly/relu.yaml", err)

    def test_a_run_in_a_git_tree_knows_its_commit(self):
        def git(*arguments):
            identity = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
            subprocess.run(["git", *identity, *arguments], cwd=self.work, check=True, capture_output=True)

        git("init", "-q", "-b", "trunk")
        git("add", ".")
        git("commit", "-qm", "first")
        with open(self.work / "demo.yaml", "a") as file:
            file.write("# edited\n")
        code, out, err = self.plumbline("run", "demo.yaml", "-o", str(self.folder / "run"))
        self.assertEqual(code, 0, err)
        text = (self.folder / "run" / "run.json").read_text()
        self.assertIn('"branch": "trunk"', text)
        self.assertIn('"dirty": "yes"', text)
        self.assertIn('"path": "demo.yaml"', text)
        self.assertRegex(text, r'"commit": "[0-9a-f]{40}"')

    def test_the_list_of_operators_is_asked_for_once(self):
        self.plumbline("list", "demo.yaml")
        cached = list((self.folder / "cache").glob("schemas-*"))
        self.assertEqual(len(cached), 1)
        cached[0].write_text('["aten::other(Tensor self) -> Tensor"]')
        code, _, err = self.plumbline("list", "demo.yaml")
        self.assertEqual(code, 2)
        self.assertIn("aten::exp", err)
        cached[0].write_text("torn")
        code, _, err = self.plumbline("list", "demo.yaml")
        self.assertEqual(code, 0, err)


if __name__ == "__main__":
    fault_test.main()
