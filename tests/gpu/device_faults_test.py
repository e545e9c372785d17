#!/usr/bin/python3
"""Faults of the GPU, of its driver, and of other processes on it, during a run on a CUDA GPU.

The GPU is real. What it cannot be made to do is planted below the worker: ../gpu/device_faults.c makes calls of the CUDA
run time, of NVML and of CUPTI fail. Other processes are real: ../support/other_process.py. Planted faults of single
cases, such as an illegal address, are in faults_test.py; refused clocks and a lock that is left behind are also in
e2e/clock_keeper_test.py and unit/device/clock_lock_test.cpp, NVML's process lists in unit/device/nvml_test.cpp, counters
that another tool has in unit/device/counters_test.cpp.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/, Python and a C compiler; ends with 77 and the reason where
there is no GPU.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import planted  # noqa: E402
from fault_rows import VisitLost, WrongVerdict, injected  # noqa: E402
from planted import Changes  # noqa: E402

OTHER_PROCESS = HERE.parent / "support" / "other_process.py"
SIZES = [1000 * i for i in range(1, 17)]
ROUNDS = 2
ONE_METRIC = f"{planted.MEASURE}, metrics: [gpu_time], cache: [cold]"
UNHARMED = "the status says it, other cases are OK in every round, the next run is as before"
# Codes of the CUDA run time.
ECC_UNCORRECTABLE, DEVICES_UNAVAILABLE, NO_DEVICE = 214, 46, 100
RESUMED = "exit code 2, what was measured stays, --resume completes it, nothing is measured twice"
MULTIPLE_SUBSCRIBERS = "39"  # CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
NO_PERMISSION = "4"  # NVML_ERROR_NO_PERMISSION
CLOCK_SETTING, HW_SLOWDOWN = 0x2, 0x8  # NVML's reasons for the clock
FOREIGN_PROCESS = "foreign process on the GPU"


class Other:
    """Another process on the GPU, which does what it is told."""

    def __init__(self, test):
        words = [sys.executable, str(OTHER_PROCESS)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        test.addCleanup(self.process.communicate)
        test.addCleanup(self.process.kill)
        self.tell("free")  # it has its context now

    def tell(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        if not (answer := self.process.stdout.readline()):
            raise AssertionError(f"the other process could not {order}")
        return answer.strip()

    def end(self):
        self.process.communicate(timeout=planted.LIMIT_S)


class Running:
    """A run in the background."""

    def __init__(self, test, suite, run, *more, **variables):
        self.test, self.run = test, run
        run.mkdir(exist_ok=True)
        self.changes = Changes(run)
        test.addCleanup(self.changes.__exit__)
        self.process = test.start(*test.run_words(suite, run, *more), **variables)

    def wait(self, rows):
        self.changes.wait(lambda: planted.whole_rows(self.run) >= rows, self.process)

    def wait_for_status(self, status):
        self.changes.wait(lambda: status in (self.run / "results.csv").read_text(encoding="utf-8"), self.process)

    @contextlib.contextmanager
    def stopped(self):
        """The command is stopped meanwhile: only the visit in flight goes on. Gives the number of rows before."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            yield planted.whole_rows(self.run)
        finally:
            os.kill(self.process.pid, signal.SIGCONT)

    def end(self):
        out, said = self.process.communicate(timeout=planted.LIMIT_S)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, said)


class Faults(planted.Planted):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = cls.class_folder / "device_faults.so"
        words = ["cc", "-O2", "-shared", "-fPIC", "-o", cls.library, HERE / "device_faults.c"]
        subprocess.run(words, check=True)
        cls.suite = cls.suite_of("faults", SIZES, ONE_METRIC)

    @classmethod
    def suite_of(cls, name, sizes, measure):
        path = cls.class_folder / f"{name}.yaml"
        entry = f"  - {{op: relu, sweep: {{elements: {list(sizes)}, dtype: [float32]}}}}\n"
        path.write_text(planted.suite_text(name, [entry], measure), encoding="utf-8")
        return path

    def with_faults(self, **variables):
        return {"LD_PRELOAD": str(self.library), **{name: str(value) for name, value in variables.items()}}

    def check_next_run(self):
        """A run without faults is as before."""
        suite = self.suite_of("next", SIZES[:3], ONE_METRIC.replace("rounds: 2", "rounds: 1"))
        rows = planted.read_rows(self.measured(suite, "run-after-it"))
        self.assertEqual([row["status"] for row in rows], ["OK"] * 3)

    def check_others(self, run):
        """All cases are OK in each round, once, but those of a row that is not OK. Returns the rows."""
        rows = planted.read_rows(run)
        harmed = {row["case"] for row in rows if row["status"] != "OK"}
        found = [(row["case"], row["round"]) for row in rows if row["case"] not in harmed]
        if len(found) != ROUNDS * (len(SIZES) - len(harmed)) or len(set(found)) != len(found):
            raise VisitLost(f"other cases than {harmed} are not OK once in each round: {found}")
        return rows

    def check_resumed(self, run, code):
        """Without the fault, --resume completes the run; what it had stays, and is not measured again."""
        before = (run / "results.csv").read_text(encoding="utf-8")
        self.expect(code, self.plumbline(*self.run_words(self.suite, run, "--resume")))
        if not (run / "results.csv").read_text(encoding="utf-8").startswith(before):
            raise VisitLost("results.csv no longer holds what was kept")
        self.check_others(run)
        self.assertIsNotNone(json.loads((run / "run.json").read_text())["finished_at"])


class LostDevice(Faults):
    def losing(self, run, code, words, **more):
        """A run whose GPU fails in the third visit or a little later; checks that one visit is CRASHED, with these words,
        and that its worker measured nothing more. Returns the ended command."""
        loss = self.folder / "loss"
        running = Running(self, self.suite, run, **self.with_faults(PLANTED_LOSS=loss, PLANTED_LOSS_CODE=code, **more))
        running.wait(2)
        loss.touch()
        done = running.end()
        rows = planted.read_rows(run)
        lost = [row for row in rows if row["status"] != "OK"]
        if [row["status"] for row in lost] != ["CRASHED"]:
            raise WrongVerdict(f"expected one CRASHED: {lost}")
        self.assertIn(words, lost[0]["reason"])
        later = rows[rows.index(lost[0]) + 1 :]
        self.assertNotIn(lost[0]["worker"], {row["worker"] for row in later})
        return done

    @injected("uncorrectable ECC error", "in the middle of a run", "CRASHED", UNHARMED)
    def test_an_ecc_error_costs_the_visit_in_flight(self):
        run = self.folder / "run"
        self.expect(1, self.losing(run, ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"))
        self.check_others(run)
        self.check_next_run()

    def stays_away(self, code, words):
        run = self.folder / "run"
        self.expect(2, self.losing(run, code, words, PLANTED_LOSS_STAYS=1), "did not start", words, "--resume")
        (self.folder / "loss").unlink()
        self.check_resumed(run, 1)

    @injected("device unavailable", "in the middle of a run, until it ends", "ended with 2, resumed", RESUMED)
    def test_a_gpu_that_becomes_unavailable_ends_the_run_which_resumes_later(self):
        self.stays_away(DEVICES_UNAVAILABLE, "busy or unavailable")

    @injected("device off the bus", "in the middle of a run, until it ends", "ended with 2, resumed", RESUMED)
    def test_a_gpu_that_falls_off_the_bus_ends_the_run_which_resumes_when_it_is_back(self):
        self.stays_away(NO_DEVICE, "no CUDA-capable device is detected")


class Memory(Faults):
    HELD = "another process takes all memory"

    @injected(HELD, "in the middle of a round", "all OK", "all cases are OK: their memory was taken at the worker's start")
    def test_memory_that_is_taken_and_given_back_within_a_round_harms_nothing(self):
        other, run = Other(self), self.folder / "run"
        running = Running(self, self.suite, run)
        running.wait(2)
        with running.stopped() as before:
            print(other.tell("take"), file=sys.stderr)
        running.wait(before + 3)
        with running.stopped() as after:
            other.tell("free")
        self.assertLess(after, len(SIZES), "the round was over")
        self.expect(0, running.end())
        self.assertEqual({row["status"] for row in self.check_others(run)}, {"OK"})

    @injected(HELD, "from the middle of a round to the end", "ended with 2, resumed", RESUMED)
    def test_memory_that_is_gone_when_the_next_worker_starts_ends_the_run(self):
        other, run = Other(self), self.folder / "run"
        running = Running(self, self.suite, run)
        running.wait(2)
        with running.stopped():
            other.tell("take")
        self.expect(2, running.end(), "did not start", "out of memory", "--resume")
        self.assertEqual({row["status"] for row in planted.read_rows(run)}, {"OK"})
        other.end()
        self.check_resumed(run, 0)

    @injected(HELD, "a case needs more of the driver", "OUT_OF_MEMORY", UNHARMED)
    def test_a_case_that_finds_no_memory_is_out_of_memory_and_no_other(self):
        large = 1 << 30  # 4 GiB of float32
        measure = f"{planted.MEASURE}, metrics: [memory]".replace("rounds: 2", "rounds: 1")
        suite = self.suite_of("large", [*SIZES, large], measure)
        other, run = Other(self), self.folder / "run"
        running = Running(self, suite, run)
        running.wait(1)
        with running.stopped():
            other.tell("take")
            begun = {row["case"] for row in planted.read_rows(run)}
        self.assertFalse([case for case in begun if f"={large}" in case], "the large case came first: choose another seed")
        running.wait_for_status("OUT_OF_MEMORY")
        other.tell("free")  # before the next worker asks for memory
        self.expect(1, running.end())
        rows = planted.read_rows(run)
        harmed = [row for row in rows if row["status"] != "OK"]
        if [(row["status"], f"={large}" in row["case"]) for row in harmed] != [("OUT_OF_MEMORY", True)]:
            raise WrongVerdict(f"expected only the large case: {harmed}")
        self.assertIn("out of memory", harmed[0]["reason"])
        self.assertEqual(len({row["case"] for row in rows}), len(SIZES) + 1)
        self.check_next_run()


class Busy(Faults):
    """Another process keeps the GPU busy."""

    def hammered(self, run):
        """A run during which another process works from the third visit on. Returns the rows before that."""
        other = Other(self)
        running = Running(self, self.suite, run)
        running.wait(2)
        with running.stopped() as before:
            other.tell("work")
        done = running.end()
        other.end()
        self.assertIn(done.returncode, (0, 1), done)
        return before

    def nvml_lists_processes(self):
        """Whether NVML shows processes on the GPU here; a container may hide them."""
        if not shutil.which("nvidia-smi"):
            self.skipTest("there is no nvidia-smi to ask whether NVML shows processes")
        other = Other(self)
        words = ["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"]
        listed = subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stdout
        other.end()
        return bool(listed.strip())

    @injected("another process works on the GPU", "from the third visit on", "flagged, set aside", "each visit beside it says so")
    def test_visits_beside_another_process_say_so(self):
        if not self.nvml_lists_processes():
            self.skipTest("NVML shows no processes here, as in some containers")
        run = self.folder / "run"
        before = self.hammered(run)
        rows = planted.read_rows(run)
        for row in rows[before + 1 :]:
            is_told = row["status"] == "THROTTLED" and "foreign work" in row["reason"] or FOREIGN_PROCESS in row["flags"]
            if not is_told:
                raise WrongVerdict(f"a visit beside another process does not say so: {row}")
        self.assertFalse([row for row in rows if row["status"] not in ("OK", "THROTTLED")])
        self.check_next_run()

    @injected("another process works on the GPU", "during one of two runs", "no regression", "no case is called SLOWER or BROKEN")
    def test_no_regression_is_found_beside_another_process(self):
        quiet, run = self.measured(self.suite, "quiet"), self.folder / "run"
        self.hammered(run)
        output = self.folder / "comparison.json"
        done = self.plumbline("compare", quiet, run, "-o", output)
        told = set(planted.verdicts(output).values())
        print(f"compare: exit code {done.returncode}, {sorted(told)}", file=sys.stderr)
        if done.returncode not in (0, 3) or told & {"SLOWER", "BROKEN"}:
            raise WrongVerdict(f"exit code {done.returncode}, {told}: {done.stderr}")


class Clocks(Faults):
    """NVML tells what others did to the clocks; nothing is set on the GPU."""

    def changed_during(self, reasons):
        """Rows before, during and after a time in which NVML gave these reasons. Rows at its borders are left out."""
        planted_reasons, run = self.folder / "reasons", self.folder / "run"
        running = Running(self, self.suite, run, **self.with_faults(PLANTED_CLOCK_REASONS=planted_reasons))
        running.wait(2)
        with running.stopped() as first:
            planted_reasons.write_text(str(reasons))
        running.wait(first + 4)
        with running.stopped() as last:
            planted_reasons.unlink()
        done = running.end()
        self.expect(0, done)
        rows = planted.read_rows(run)
        self.assertGreater(last, first + 1)
        return rows[:first], rows[first + 1 : last], rows[last + 1 :]

    @injected("clocks locked and unlocked by others", "in the middle of a run", "recorded", "only visits meanwhile say it, all are OK")
    def test_clocks_that_others_lock_are_recorded_with_the_visits_meanwhile(self):
        before, meanwhile, after = self.changed_during(CLOCK_SETTING)
        self.assertTrue(all("clock_setting" in row["throttle"] for row in meanwhile), meanwhile)
        self.assertFalse([row for row in before + after if "clock_setting" in row["throttle"]])
        self.assertEqual({row["status"] for row in before + meanwhile + after}, {"OK"})

    @injected("hardware slowdown", "in the middle of a run", "THROTTLED", "visits meanwhile are set aside, others are OK")
    def test_visits_during_a_slowdown_are_set_aside(self):
        before, meanwhile, after = self.changed_during(HW_SLOWDOWN)
        for row in meanwhile:
            if row["status"] != "THROTTLED" or "hw slowdown" not in row["reason"]:
                raise WrongVerdict(f"a visit during a slowdown: {row}")
        # A case that was set aside in one round is not measured in the next one.
        self.assertEqual({row["status"] for row in before + after}, {"OK"})

    def check_environment(self):
        """run.json of a run that begins while others hold the clocks says so."""
        reasons = self.folder / "reasons"
        reasons.write_text(str(CLOCK_SETTING))
        run = self.measured(self.suite, "run", **self.with_faults(PLANTED_CLOCK_REASONS=reasons))
        self.assertEqual(json.loads((run / "run.json").read_text())["environment"]["clocks_locked"], "yes")

    @injected("clocks locked by others", "before a run", "recorded in run.json", "the environment says it")
    def test_clocks_that_others_locked_before_are_part_of_the_environment(self):
        self.check_environment()

    @injected("reset of the clocks refused", "at the end of a run", "told, restored by the next run", "it is told, with the way out")
    def test_a_reset_that_is_refused_is_told_and_made_up_for_by_the_next_run(self):
        # The library must stand before NVML, or the GPU's clocks would really be locked.
        self.check_environment()
        accepts = "nvmlDeviceSetGpuLockedClocks"
        reset = "nvmlDeviceResetGpuLockedClocks"
        words = self.run_words(self.suite, self.folder / "locked", "--lock-clocks", "base")
        refused = self.with_faults(PLANTED_ACCEPTS=accepts, PLANTED_REFUSES=reset, PLANTED_REFUSAL=NO_PERMISSION)
        self.expect(0, self.plumbline(*words, **refused), "cannot restore the SM clock", "Insufficient Permissions", "-rgc")
        words = self.run_words(self.suite, self.folder / "next", "--lock-clocks", "base")
        done = self.plumbline(*words, **self.with_faults(PLANTED_ACCEPTS=f"{accepts},{reset}"))
        self.expect(0, done, "had been left locked by process ", "it was restored")
        self.assertNotIn("cannot restore", done.stderr)


class Libraries(Faults):
    def check_absent(self, metric, reason, **faults):
        """gpu_time is OK for all cases in each round; `metric` is UNSUPPORTED for the reason."""
        suite = self.suite_of("absent", SIZES[:3], ONE_METRIC.replace("gpu_time", f"gpu_time, {metric}"))
        rows = planted.read_rows(self.measured(suite, "run", **self.with_faults(**faults)))
        found = [row["metric"] for row in rows if row["status"] == "OK"]
        self.assertEqual(found, ["gpu_time_cold"] * 3 * ROUNDS)
        absent = [row for row in rows if row["status"] != "OK"]
        self.assertEqual(len({row["case"] for row in absent}), 3)
        for row in absent:
            if row["status"] != "UNSUPPORTED":
                raise WrongVerdict(f"expected UNSUPPORTED: {row}")
            self.assertIn(reason, row["reason"])
        self.check_next_run()

    @injected("CUPTI taken by another tool", "records of kernels refused", "UNSUPPORTED", "kernel_time says why, gpu_time is OK")
    def test_without_cuptis_records_only_kernel_time_is_absent(self):
        words = "cuptiActivityEnable: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
        self.check_absent("kernel_time", words, PLANTED_REFUSES="cuptiActivityEnable", PLANTED_REFUSAL=MULTIPLE_SUBSCRIBERS)

    @injected("CUPTI taken by another tool", "subscription refused", "all OK", "all times are measured")
    def test_without_a_subscription_all_times_are_measured(self):
        suite = self.suite_of("subscribed", SIZES[:3], ONE_METRIC.replace("gpu_time", "gpu_time, kernel_time"))
        faults = self.with_faults(PLANTED_REFUSES="cuptiSubscribe", PLANTED_REFUSAL=MULTIPLE_SUBSCRIBERS)
        rows = planted.read_rows(self.measured(suite, "run", **faults))
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        self.assertLessEqual({"gpu_time_cold", "kernel_time_cold"}, {row["metric"] for row in rows})

    @injected("function of the driver missing", "cuCtxGetCurrent", "UNSUPPORTED", "counters say why, gpu_time is OK")
    def test_without_a_function_of_the_driver_only_counters_are_absent(self):
        self.check_absent("counters", "cuCtxGetCurrent", PLANTED_NO_ENTRY="cuCtxGetCurrent")

    @injected("functions of the driver missing", "all", "refused", "exit code 2, nothing is measured elsewhere instead")
    def test_a_driver_without_functions_is_no_gpu(self):
        run = self.folder / "run"
        faults = self.with_faults(PLANTED_MISSING="cuGetProcAddress_v2,cuGetProcAddress")
        self.expect(2, self.plumbline(*self.run_words(self.suite, run), **faults), "there is no such device", "plumbline doctor")
        self.assertFalse(run.exists())
        self.check_next_run()

    @injected("functions of NVML missing", "all but the start", "all OK", "all times are measured, the sensors are unknown")
    def test_without_sensors_all_times_are_measured(self):
        missing = "nvmlDeviceGetClockInfo,nvmlDeviceGetTemperature,nvmlDeviceGetPowerUsage,nvmlDeviceGetCurrentClocksEventReasons"
        rows = self.check_others(self.measured(self.suite, "run", **self.with_faults(PLANTED_MISSING=missing)))
        self.assertEqual({(row["status"], row["temperature"], row["throttle"]) for row in rows}, {("OK", "", "")})


if __name__ == "__main__":
    planted.main_on_gpu()
