"""The command line under faults: killed, interrupted, locked out, out of disk, resumed, far from home.

Runs `plumbline` with tests/support/fake_worker.py. No sleeps: what must come first is waited for on a fifo.
"""

import csv
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FAKE_WORKER = HERE.parent.parent / "support" / "fake_worker.py"
PROGRAM = None  # from the command line
TIMEOUT_S = 120


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.work = self.folder / "work"
        shutil.copytree(HERE / "fixtures", self.work)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PLUMBLINE_WORKER": str(FAKE_WORKER),
            "PLUMBLINE_CACHE": str(self.folder / "cache"),
            "PLUMBLINE_LOCKS": str(self.folder / "locks"),
            "GIT_CEILING_DIRECTORIES": str(self.folder),
        }

    def start(self, *arguments, program=None, cwd=None, limit=None, **environment):
        return subprocess.Popen(
            [program or PROGRAM, *arguments],
            cwd=cwd or self.work,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )

    def plumbline(self, *arguments, **options):
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err

    def visits(self, run):
        """(case, round) of every row of results.csv that has samples, in order."""
        with open(self.work / run / "results.csv", newline="") as file:
            return [(row["case"], int(row["round"])) for row in csv.DictReader(file) if row["metric"]]

    def hanging(self, *arguments):
        """A run that has taken its lock and hangs in a case."""
        fifo = self.folder / "ready"
        os.mkfifo(fifo)
        process = self.start(*arguments, FAKE_WORKER='[["n=16","hang"]]', FAKE_WORKER_READY=str(fifo))
        self.addCleanup(lambda: process.poll() is None and process.kill())
        with open(fifo) as ready:
            self.assertEqual(ready.read(), "hangs")
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err


class Killed(FaultTest):
    def test_a_run_killed_at_random_visits_resumes_and_measures_nothing_twice(self):
        command = ["run", "demo.yaml", "-o", "killed", "--rounds", "6"]
        kills = self.folder / "kills"
        chance = random.Random(20240229)
        kills.write_text(" ".join(str(chance.randint(1, 5)) for _ in range(8)))
        times = 0
        code, _, _ = self.plumbline(*command, FAKE_WORKER_KILLS=str(kills))
        while code == -signal.SIGKILL:
            times += 1
            self.visits("killed")  # readable at any time
            code, out, err = self.plumbline(*command, "--resume", FAKE_WORKER_KILLS=str(kills))
        self.assertEqual(code, 0, err)
        self.assertGreaterEqual(times, 5)
        visits = self.visits("killed")
        self.assertEqual(len(visits), 5 * 6)
        self.assertEqual(len(set(visits)), len(visits))
        code, _, err = self.plumbline("run", "demo.yaml", "-o", "whole", "--rounds", "6")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.visits("whole"), visits, "the order is that of a run that was not killed")

    def test_a_torn_last_row_is_measured_again(self):
        command = ["run", "demo.yaml", "-o", "torn"]
        process = self.hanging(*command)
        process.kill()
        self.finish(process)
        results = self.work / "torn" / "results.csv"
        before = self.visits("torn")
        text = results.read_bytes()
        results.write_bytes(text[: len(text) - 25])
        code, _, err = self.plumbline(*command, "--resume")
        self.assertEqual(code, 0, err)
        self.assertIn("note:", err)
        visits = self.visits("torn")
        self.assertEqual(len(visits), 10)
        self.assertEqual(len(set(visits)), 10)
        self.assertEqual(visits[: max(len(before) - 1, 0)], before[:-1])


class Interrupted(FaultTest):
    def interrupted_by(self, number, code):
        process = self.hanging("run", "demo.yaml", "-o", "stopped", "--rounds", "1")
        process.send_signal(number)
        found, out, err = self.finish(process)
        self.assertEqual(found, code, err)
        self.assertIn("interrupted after", err)
        self.assertIn("plumbline run demo.yaml --rounds 1 -o stopped --resume", err)
        self.assertNotIn(("aten::exp/libtorch/dtype=float32/n=16", 0), self.visits("stopped"))
        found, out, err = self.plumbline("run", "demo.yaml", "--rounds", "1", "-o", "stopped", "--resume")
        self.assertEqual(found, 0, err)
        self.assertEqual(len(self.visits("stopped")), 5)

    def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(self):
        self.interrupted_by(signal.SIGINT, 130)

    def test_a_termination_is_as_clean(self):
        self.interrupted_by(signal.SIGTERM, 143)


    def cut_off_in_controls(self, controls, *arguments):
        """Exit code and words of a command whose workers hang once that folder is there."""
        fifo = self.folder / "ready"
        os.mkfifo(fifo)
        worker = self.work / "tree" / "build" / "bin" / "plumbline-worker"
        worker.parent.mkdir(parents=True)
        hang = f"export FAKE_WORKER='[[\"\",\"hang\"]]' FAKE_WORKER_READY={fifo}"
        worker.write_text(f'#!/bin/sh\n[ -e {controls} ] && {hang}\nexec "{FAKE_WORKER}" "$@"\n')
        worker.chmod(0o755)
        process = self.start(*arguments, "--looks", "3")
        self.addCleanup(lambda: process.poll() is None and process.kill())
        with open(fifo) as ready:
            self.assertEqual(ready.read(), "hangs")
        process.send_signal(signal.SIGINT)
        return self.finish(process)

    def pairs_of(self, run):
        found = json.loads((self.work / run / "comparison.json").read_text())["findings"]
        return {finding["pairs"] for finding in found if finding["verdict"] == "SAME"}

    def test_pairs_are_judged_where_their_controls_are_cut_off(self):
        ab = ["ab", "tree", "tree", "demo.yaml", "-o", "cut"]
        code, _, err = self.cut_off_in_controls("cut/controls", *ab)
        self.assertEqual(code, 130, err)
        self.assertIn("what the pairs say, without controls, is in cut/comparison.json", err)
        self.assertEqual(self.pairs_of("cut"), {3})

    def test_a_check_is_judged_where_its_controls_are_cut_off(self):
        for words in (["run", "demo.yaml", "-o", "first"], ["accept", "first", "--by", "me", "--why", "first"]):
            code, _, err = self.plumbline(*words)
            self.assertEqual(code, 0, err)
        check = ["check", "demo.yaml", "-o", "cut", "--baseline-tree", "tree"]
        code, out, err = self.cut_off_in_controls("cut/pairs/controls", *check)
        self.assertEqual(code, 130, err)
        self.assertIn("the controls were cut off", err)
        self.assertIn("None of 5 cases is slower", out)
        self.assertIn(3, self.pairs_of("cut"))
        self.assertTrue((self.work / "cut" / "report.html").is_file())


class Locked(FaultTest):
    def test_a_second_run_on_the_device_is_refused_with_the_holders_name(self):
        process = self.hanging("run", "demo.yaml", "-o", "first")
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "second")
        self.assertEqual(code, 2)
        self.assertIn("device FAKE-0001 is in use by 'plumbline run demo.yaml -o first'", err)
        self.assertIn(f"(process {process.pid}, since 2", err)
        self.assertFalse((self.work / "second").exists())
        code, out, _ = self.plumbline("doctor")
        self.assertIn(f"in use by 'plumbline run demo.yaml -o first' (process {process.pid}", out)
        code, _, err = self.plumbline("run", "more/relu.yaml", FAKE_WORKER_UUID="FAKE-0002")
        self.assertEqual(code, 0, err)
        process.kill()
        self.finish(process)
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "second")
        self.assertEqual(code, 0, err)


class Resumed(FaultTest):
    def setUp(self):
        super().setUp()
        process = self.hanging("run", "demo.yaml", "-o", "run", "--filter", "!float16")
        process.kill()
        self.finish(process)

    def refused(self, *arguments, **options):
        code, _, err = self.plumbline("run", *arguments, "-o", "run", "--resume", **options)
        self.assertEqual(code, 2)
        self.assertIn("this is not the command that the run was started with", err)
        return err

    def test_other_flags_are_named(self):
        err = self.refused("demo.yaml", "--rounds", "5")
        self.assertIn("'--filter '!float16'' then, '--rounds 5' now", err)

    def test_an_edited_suite_is_named(self):
        suite = self.work / "demo.yaml"
        suite.write_text(suite.read_text().replace("cols: [64]", "cols: [65]"))
        self.assertIn("suite demo (hash)", self.refused("demo.yaml", "--filter", "!float16"))

    def test_another_device_is_named(self):
        err = self.refused("demo.yaml", "--filter", "!float16", FAKE_WORKER_UUID="FAKE-0002")
        self.assertIn("device: FAKE-0001 then, FAKE-0002 now", err)

    def test_the_same_flags_in_another_order_go_on(self):
        code, _, err = self.plumbline("run", "--resume", "--filter=!float16", "-o", "run", "./demo.yaml")
        self.assertEqual(code, 0, err)


class FullDisk(FaultTest):
    def test_a_full_disk_is_an_error_and_what_was_written_stays_valid(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, resource.RLIM_INFINITY))

        command = ["run", "demo.yaml", "-o", "full", "--rounds", "20"]
        code, _, err = self.plumbline(*command, limit=limit)
        self.assertEqual(code, 2)
        self.assertIn("results.csv", err)
        self.assertIn("--resume", err)
        visits = self.visits("full")
        self.assertGreater(len(visits), 0)
        code, _, err = self.plumbline(*command, "--resume")
        self.assertEqual(code, 0, err)
        self.assertEqual(len(set(self.visits("full"))), 100)
        self.assertEqual(self.visits("full")[: len(visits)], visits)

    def test_a_run_that_could_not_begin_has_nothing_to_go_on_with_and_is_begun_anew(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

        command = ["run", "demo.yaml", "-o", "full"]
        code, _, err = self.plumbline(*command, limit=limit)
        self.assertEqual(code, 2)
        self.assertIn("full/results.csv: cannot write it: File too large", err)
        self.assertNotIn("--resume", err)
        code, _, err = self.plumbline(*command)
        self.assertEqual(code, 0, err)


class NobodyListens(FaultTest):
    """What is said has no reader: standard error on a full disk, or closed."""

    def run_with(self, folder, prepare):
        code, _, _ = self.plumbline("run", "demo.yaml", "-o", folder, limit=prepare)
        self.assertEqual(code, 0)
        self.assertIsNotNone(json.loads((self.work / folder / "run.json").read_text())["finished_at"])
        self.assertEqual(len(self.visits(folder)), 10)

    def test_a_full_disk_under_the_log_stops_no_run(self):
        self.run_with("full", lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 2))

    def test_a_closed_one_stops_no_run(self):
        self.run_with("closed", lambda: os.close(2))

    def test_no_file_of_a_run_takes_the_place_of_a_closed_one(self):
        code, out, err = self.plumbline("run", "demo.yaml", "-o", "run", limit=lambda: os.closerange(0, 3))
        self.assertEqual((code, out, err), (2, "", ""))  # where the run lies could not be told
        self.assertEqual(len(self.visits("run")), 10)
        code, _, err = self.plumbline("compare", "run", "run")
        self.assertEqual(code, 0, err)


class EditedSince(FaultTest):
    """What happens to a run whose suite, folder or origin is not what it was."""

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


class Outputs(FaultTest):
    def test_standard_output_and_links_are_written_to_and_stay(self):
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "run")
        self.assertEqual(code, 0, err)
        (self.work / "link").symlink_to("comparison.json")
        code, _, err = self.plumbline("compare", "run", "run", "-o", "link")
        self.assertEqual(code, 0, err)
        self.assertTrue((self.work / "link").is_symlink())
        written = (self.work / "comparison.json").read_text()
        self.assertIn("findings", json.loads(written))
        # What /dev/stdout leads to; nothing there can be replaced should this go wrong.
        output = "/proc/self/fd/1"
        code, out, err = self.plumbline("compare", "run", "run", "-o", output)
        self.assertEqual(code, 0, err)
        self.assertTrue(out.startswith(written))
        self.assertIn("1 SAME", out)
        log = self.work / "log"
        log.write_text("before\n")
        words = [PROGRAM, "compare", "run", "run", "-o", output]
        with open(log, "a") as file:
            subprocess.run(words, cwd=self.work, env=self.environment, stdout=file, check=True)
        self.assertTrue(log.read_text().startswith("before\n" + written))
        self.assertIn("1 SAME", log.read_text())


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
        shutil.copy(PROGRAM, prefix / "bin")
        shutil.copytree(pathlib.Path(PROGRAM).parent.parent / "lib", prefix / "lib")
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
        self.assertIn("is none of the stock suites: nightly/relu.yaml", err)

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
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
