#!/usr/bin/python3
"""Runs that do not reach their end: killed, interrupted, locked out, out of disk space."""

import json
import os
import signal
import subprocess
import sys

import planted
from fault_rows import VisitLost, injected
from planted import Changes, benchmark

CASES = 5
ROUNDS = 2
ROWS = CASES * ROUNDS
KEPT = "what was measured stays, --resume completes it, nothing is measured twice"
SUITE = planted.suite_text("kept", [planted.work([100, 200, 300, 400, 500], microseconds=100)])


class Interrupted(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.suite = cls.class_folder / "kept.yaml"
        cls.suite.write_text(SUITE)
        whole = cls.class_folder / "whole"
        cls.expect(0, cls.plumbline(*cls.run_words(cls.suite, whole)))
        cls.all_visits = planted.visits(whole)
        assert len(cls.all_visits) == ROWS

    def stop_at(self, run, rows, signal_number, *more):
        """Starts or resumes a run and sends a signal once its results have that many rows.

        Returns the ended process and pidfds of its workers."""
        run.mkdir(exist_ok=True)
        with Changes(run) as changes:
            process = self.start(*self.run_words(self.suite, run, *more))
            changes.wait(lambda: planted.whole_rows(run) >= rows, process)
        # Stopped, it cannot start another worker between the check and the signal.
        os.kill(process.pid, signal.SIGSTOP)
        workers = {pid: os.pidfd_open(pid) for pid in planted.children(process.pid)}
        for descriptor in workers.values():
            self.addCleanup(os.close, descriptor)
        os.kill(process.pid, signal_number)
        os.kill(process.pid, signal.SIGCONT)
        process.said = process.communicate(timeout=planted.LIMIT_S)
        return process, workers

    def resume_and_check(self, run, rows):
        """Existing results stay unchanged and are completed without measuring anything twice."""
        before = (run / "results.csv").read_text(encoding="utf-8")
        kept = planted.visits(run)
        if len(kept) < rows:
            raise VisitLost(f"kept are {len(kept)} of {rows} visits")
        if json.loads((run / "run.json").read_text())["finished_at"]:
            # The signal came between the last row and the end of the process: nothing is missing.
            self.assertEqual(kept, self.all_visits)
            return
        self.expect(0, self.plumbline(*self.run_words(self.suite, run, "--resume")))
        after = (run / "results.csv").read_text(encoding="utf-8")
        if not after.startswith(before) or not set(self.all_visits) <= set(planted.visits(run)):
            raise VisitLost("results.csv no longer holds what was kept")
        self.assertEqual(planted.visits(run), self.all_visits)
        self.assertIsNotNone(json.loads((run / "run.json").read_text())["finished_at"])

    def test_a_run_killed_at_any_moment_leaves_a_valid_prefix_that_resumes(self):
        for rows in (0, 1, CASES, CASES + 1, ROWS - 1):
            moment = f"after {rows} of {ROWS} visits"
            with self.subTest(rows=rows), injected("SIGKILL", moment, "resumed", KEPT):
                run = self.folder / f"run{rows}"
                process, workers = self.stop_at(run, rows, signal.SIGKILL)
                # Between the second-to-last row and the end, a run can be faster than a signal; the
                # check below shows that nothing is missing then.
                ended_first = rows == ROWS - 1 and process.returncode == 0
                if not ended_first:
                    self.assertEqual(process.returncode, -signal.SIGKILL)
                self.assertTrue(planted.ends(workers), "a worker outlives the run")
                self.resume_and_check(run, rows)

    @injected("SIGKILL", "again and again", "resumed", KEPT)
    def test_a_run_killed_again_and_again_is_completed_in_the_end(self):
        run = self.folder / "run"
        for rows in range(2, ROWS, 3):
            more = ["--resume"] if (run / "run.json").exists() else []
            _, workers = self.stop_at(run, rows, signal.SIGKILL, *more)
            self.assertTrue(planted.ends(workers), "a worker outlives the run")
        self.resume_and_check(run, rows)

    @injected("torn row", "at the end of results.csv", "told, measured again", KEPT)
    def test_a_torn_row_of_an_unfinished_run_is_told_and_measured_again(self):
        run = self.folder / "run"
        self.stop_at(run, CASES, signal.SIGKILL)
        results = run / "results.csv"
        whole = results.read_bytes()
        torn = whole[: whole.rindex(b",", 0, -1)]  # inside the last row
        results.write_bytes(torn)
        self.expect(0, self.plumbline("report", run, "-o", self.folder / "page.html"), "left out")
        done = self.plumbline(*self.run_words(self.suite, run, "--resume"))
        self.expect(0, done, "to be measured again")
        self.assertEqual(planted.visits(run), self.all_visits)

    def test_ctrl_c_ends_the_run_cleanly_and_says_how_to_go_on(self):
        for number, rows in ((signal.SIGINT, 0), (signal.SIGINT, 2), (signal.SIGTERM, CASES)):
            moment = f"after {rows} of {ROWS} visits"
            with self.subTest(number.name, rows=rows), injected(number.name, moment, "ended cleanly, resumed", KEPT):
                run = self.folder / f"{number.name}{rows}"
                process, workers = self.stop_at(run, rows, number)
                self.assertEqual(process.returncode, 128 + number)
                self.assertTrue(planted.ends(workers), "a worker outlives the run")
                self.assertIn("interrupted after", process.said[1])
                self.assertIn("--resume", process.said[1])
                self.resume_and_check(run, rows)

    def test_signals_are_caught_before_there_is_anything_to_go_on_with(self):
        run = self.folder / "run"
        run.mkdir()
        with Changes(run) as changes:
            process = self.start(*self.run_words(self.suite, run))
            changes.wait(lambda: any(run.iterdir()), process)
        os.kill(process.pid, signal.SIGSTOP)
        blocked = planted.blocked_signals(process.pid)
        self.assertLessEqual({signal.SIGINT, signal.SIGTERM}, blocked)

    def test_the_command_that_an_interrupted_run_prints_completes_it(self):
        run = self.folder / "run"
        process, _ = self.stop_at(run, 2, signal.SIGINT)
        command = process.said[1].strip().splitlines()[-1]
        self.assertTrue(command.strip().startswith("plumbline run"), command)
        path = f"{planted.BIN}:{os.environ['PATH']}"
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env=self.environment(PATH=path),
            cwd=self.folder,
            capture_output=True,
        )
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(planted.visits(run), self.all_visits)

    def test_a_finished_run_another_suite_or_other_flags_are_not_resumed(self):
        run = self.folder / "run"
        self.stop_at(run, 2, signal.SIGKILL)
        before = (run / "results.csv").read_bytes()
        done = self.plumbline(*self.run_words(self.suite, run, "--resume", "--rounds", "4"))
        self.expect(2, done, "not the command that the run was started with")
        other = self.plant("kept.yaml", SUITE.replace("100, 200", "150, 200"))
        done = self.plumbline(*self.run_words(other, run, "--resume"))
        self.expect(2, done, "not the command that the run was started with")
        self.assertEqual((run / "results.csv").read_bytes(), before)
        self.expect(2, self.plumbline(*self.run_words(self.suite, run)), "found a run in it")
        self.expect(0, self.plumbline(*self.run_words(self.suite, run, "--resume")))
        done = self.plumbline(*self.run_words(self.suite, run, "--resume"))
        self.expect(2, done, "a run that finished")

    @injected("second run on the device", "while a case hangs", "refused, the holder named", "the first run goes on alone")
    def test_a_second_run_on_the_device_is_refused_and_the_holder_named(self):
        suite = self.plant("hang.yaml", planted.suite_text("hang", [benchmark("hang")]))
        run = self.folder / "run"
        run.mkdir()
        with Changes(run) as changes:
            holder = self.start(*self.run_words(suite, run))
            changes.wait(lambda: (run / "run.json").exists(), holder)
        second = self.folder / "second"
        done = self.plumbline(*self.run_words(self.suite, second))
        self.expect(2, done, "is in use by", "plumbline run", f"process {holder.pid}")
        self.assertFalse(second.exists())
        holder.kill()
        holder.wait()
        self.expect(0, self.plumbline(*self.run_words(self.suite, second)))


class FullDisk(planted.Planted):
    """A limit on file sizes stands for a full disk; a real one is used if the test may mount."""

    def check(self, run, done, make_room):
        self.expect(2, done, "results.csv", "stays valid", "--resume")
        rows = planted.read_rows(run)
        self.assertTrue(rows)
        self.assertTrue((run / "results.csv").read_bytes().endswith(b"\n"))
        self.assertIsNone(json.loads((run / "run.json").read_text())["finished_at"])
        make_room()
        before = planted.visits(run)
        self.expect(0, self.plumbline(*self.run_words(self.suite, run, "--resume")))
        after = planted.visits(run)
        self.assertEqual(len(after), 2 * 40)
        self.assertEqual(len(set(after)), len(after))
        if not set(before) <= set(after):
            raise VisitLost(f"lost: {set(before) - set(after)}")

    def setUp(self):
        super().setUp()
        sizes = list(range(100, 140))
        self.suite = self.plant(
            "long.yaml", planted.suite_text("long", [benchmark("no_float64", sizes)])
        )

    @injected("file too large", "while results.csv grows", "ended with 2, resumed", KEPT)
    def test_a_file_that_cannot_grow_ends_the_run_with_what_is_there(self):
        run = self.folder / "run"
        limit_bytes = 8192  # of every file that the run writes
        code = "import os, resource, signal, sys\n"
        code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit_bytes}, {limit_bytes}))\n"
        code += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])"
        words = [str(word) for word in self.run_words(self.suite, run)]
        done = subprocess.run(
            [sys.executable, "-c", code, planted.BIN / "plumbline", *words],
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=planted.LIMIT_S,
        )
        self.check(run, done, lambda: None)

    @injected("full disk", "while results.csv grows", "ended with 2, resumed", KEPT)
    def test_a_full_disk_ends_the_run_with_what_is_there(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk],
            capture_output=True,
            encoding="utf-8",
        )
        if mount.returncode != 0:
            self.skipTest(f"a small disk cannot be mounted: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        filler = disk / "filler"
        filler.write_bytes(bytes(232 * 1024))
        run = disk / "run"
        done = self.plumbline(*self.run_words(self.suite, run))
        self.check(run, done, filler.unlink)


if __name__ == "__main__":
    planted.main()
