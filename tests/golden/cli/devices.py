"""The command line with several worker profiles and several devices; tests/support/fake_worker.py plays them."""

import csv
import json
import signal

import fault_test
from fault_test import FaultTest

GPUS = [["cuda:0", "GPU-a", "Fake GPU"], ["cuda:1", "GPU-b", "Fake GPU"], ["cpu", "FAKE-0001", "Fake device"]]


class GpuTest(FaultTest):
    def setUp(self):
        super().setUp()
        self.environment |= {"FAKE_WORKER_DEVICES": json.dumps(GPUS), "FAKE_WORKER_PROFILES": "timing trace stock"}

    def rows(self, run):
        with open(self.work / run / "results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def measured(self, run):
        """(case, round, metric) of the rows with samples, sorted."""
        return sorted((row["case"], row["round"], row["metric"]) for row in self.rows(run) if row["samples"])

    def run_json(self, run):
        return json.loads((self.work / run / "run.json").read_text())

    def run_demo(self, run, *more, code=0, **variables):
        found, out, err = self.plumbline("run", "demo.yaml", "-o", run, *more, **variables)
        self.assertEqual(found, code, err)
        return err


class Profiles(GpuTest):
    def test_a_round_goes_through_the_profiles_that_the_metrics_need(self):
        self.run_demo("run", "--device", "cuda:0", "--metrics", "gpu_time,memory,kernel_time")
        rows = self.rows("run")
        turns = [(row["round"], row["worker"].rsplit("-", 1)[0]) for row in rows if row["worker"]]
        turns = [turn for i, turn in enumerate(turns) if i == 0 or turn != turns[i - 1]]
        self.assertEqual(turns, [(r, p) for r in "01" for p in ("timing", "trace", "stock")])
        absent = [row for row in rows if row["metric"] == "kernel_time_hot"]
        self.assertEqual(len(absent), 5 * 2)
        self.assertEqual({(row["status"], row["reason"]) for row in absent}, {("UNSUPPORTED", "planted absence")})
        self.assertEqual({(row["unit"], row["part"], row["samples"]) for row in absent}, {("s", "2/2", "")})

    def test_workers_are_kept_with_what_they_measured_first_and_last(self):
        err = self.run_demo("run", "--device", "cuda:0")
        kept = self.run_json("run")
        self.assertEqual(kept["calibration"], {"event_floor_s": 3e-6})
        self.assertEqual([worker["round"] for worker in kept["workers"]], [0, 0, 1, 1])
        for worker in kept["workers"]:
            self.assertEqual(worker["sentinel_before"], {"spin": 1e-3})
            self.assertEqual(worker["sentinel_after"], {"spin": 2e-3})
        names = {row["worker"] for row in self.rows("run") if row["worker"]}
        self.assertEqual(names, {worker["name"] for worker in kept["workers"]})
        # The sum of 20 visits, as they report.
        measuring = r"\d+\.\d s, \d+ % of it measuring: start-up .* s, measuring 10\.0 s, verification 5\.0 s"
        self.assertRegex(err, measuring)

    def test_a_run_killed_in_the_trace_profile_goes_on_there(self):
        command = ["run", "demo.yaml", "-o", "run", "--device", "cuda:0"]
        self.run_demo("whole", "--device", "cuda:0")
        kills = self.folder / "kills"
        kills.write_text("8 5")  # timing has 5 visits a round
        code, _, _ = self.plumbline(*command, FAKE_WORKER_KILLS=str(kills))
        self.assertEqual(code, -signal.SIGKILL)
        before = (self.work / "run/results.csv").read_bytes()
        self.assertTrue(self.rows("run")[-1]["worker"].startswith("trace-"))
        code, _, _ = self.plumbline(*command, "--resume", FAKE_WORKER_KILLS=str(kills))
        self.assertEqual(code, -signal.SIGKILL)
        code, _, err = self.plumbline(*command, "--resume", FAKE_WORKER_KILLS=str(kills))
        self.assertEqual(code, 0, err)
        self.assertTrue((self.work / "run/results.csv").read_bytes().startswith(before))
        self.assertEqual(self.measured("run"), self.measured("whole"))
        order = [(row["case"], row["round"], row["metric"], row["order"]) for row in self.rows("run")]
        self.assertEqual(order, [(r["case"], r["round"], r["metric"], r["order"]) for r in self.rows("whole")])
        self.assertEqual(len(self.run_json("run")["workers"]), 6, "two of the six did not end in order")

    def test_without_permission_for_counters_nothing_else_is_lost(self):
        words = ("--device", "cuda:0", "--metrics", "gpu_time,counters")
        self.run_demo("allowed", *words, FAKE_WORKER_PROFILES="timing counters")
        counted = [row for row in self.rows("allowed") if row["metric"] == "dram_bytes" and row["samples"]]
        self.assertEqual(len(counted), 5 * 2)
        self.assertEqual({row["unit"] for row in counted}, {"B"})
        refuses = json.dumps([["", "UNSUPPORTED", "counters"]])
        err = self.run_demo("refused", *words, FAKE_WORKER_PROFILES="timing counters", FAKE_WORKER=refuses)
        times = [case for case in self.measured("allowed") if case[2] == "gpu_time_cold"]
        self.assertEqual([case for case in self.measured("refused") if case[2] == "gpu_time_cold"], times)
        rows = [row for row in self.rows("refused") if row["worker"].startswith("counters")]
        self.assertEqual({(row["status"], row["reason"], row["samples"]) for row in rows}, {("UNSUPPORTED", "planted UNSUPPORTED", "")})
        self.assertEqual(len(rows), 5, "once for each case")
        self.assertNotIn("planted UNSUPPORTED", err, "the cases are OK")

    def test_a_worker_without_a_profile_leaves_its_metrics_unsupported(self):
        for variables, reason in (
            ({"FAKE_WORKER_PROFILES": "timing"}, "it has no profile 'trace'"),
            ({"FAKE_WORKER_REFUSES": "trace"}, "libfake: no trace here; tried 3 times in a row"),
        ):
            with self.subTest(reason):
                run = next(iter(variables))
                err = self.run_demo(run, "--device", "cuda:0", **variables)
                self.assertEqual(err.count("note:"), 1, err)
                self.assertIn("what profile trace measures is missing", err)
                missing = [row for row in self.rows(run) if row["worker"] == "trace-0"]
                self.assertEqual(len(missing), 5)
                for row in missing:
                    self.assertEqual((row["status"], row["metric"], row["round"]), ("UNSUPPORTED", "", "0"))
                self.assertIn(reason, missing[0]["reason"])
                self.assertIn("5 OK, 1 EXCLUDED", err)


class TwoDevices(GpuTest):
    def devices_of_cases(self, run):
        found = {}
        for row in self.rows(run):
            found.setdefault(row["case"], set()).add(row["device"])
        return found

    def test_each_case_is_measured_on_one_of_the_devices(self):
        err = self.run_demo("two", "--device", "cuda:1,cuda:0")
        self.assertIn("6 cases on Fake GPU (cuda:0, cuda:1), into two", err)
        self.run_demo("all", "--device", "cuda:all")
        self.run_demo("one", "--device", "cuda:0")
        self.assertEqual(self.measured("two"), self.measured("one"))
        devices = self.devices_of_cases("two")
        self.assertTrue(all(len(found) == 1 for found in devices.values()), devices)
        self.assertEqual({name for found in devices.values() for name in found}, {"GPU-a", "GPU-b"})
        self.assertEqual(self.devices_of_cases("all"), devices)
        self.assertEqual(self.run_json("two")["environment"]["device_uuid"], "GPU-a,GPU-b")
        self.assertRegex(err, r"2 × \d+\.\d s, ")
        logs = sorted(path.name for path in (self.work / "two").glob("*.log"))
        self.assertEqual(logs, ["worker-cuda-0.log", "worker-cuda-1.log"])

    def test_a_case_that_kills_its_worker_does_not_hurt_the_other_device(self):
        err = self.run_demo("run", "--device", "cuda:all", code=1, FAKE_WORKER='[["","segfault","cuda:1"]]')
        measured = [row for row in self.rows("run") if row["worker"] and row["reason"] != "planted absence"]
        status = {(row["device"], row["status"]) for row in measured}
        self.assertEqual(status, {("GPU-a", "OK"), ("GPU-b", "CRASHED")}, err)

    def test_a_device_that_is_taken_refuses_the_run_and_frees_the_other(self):
        process = self.hanging("run", "demo.yaml", "-o", "holder", "--device", "cuda:1")
        err = self.run_demo("run", "--device", "cuda:all", code=2)
        self.assertIn("device GPU-b is in use by 'plumbline run demo.yaml -o holder --device cuda:1'", err)
        self.assertFalse((self.work / "run").exists())
        self.run_demo("run", "--device", "cuda:0")
        process.kill()
        self.finish(process)
        self.run_demo("both", "--device", "cuda:all")

    def test_an_interrupted_run_ends_on_both_and_resumes_on_both(self):
        process = self.hanging("run", "demo.yaml", "-o", "run", "--device", "cuda:0,cuda:1")
        process.send_signal(signal.SIGINT)
        code, _, err = self.finish(process)
        self.assertEqual(code, 130, err)
        self.assertIn("interrupted after", err)
        code, _, err = self.plumbline("run", "demo.yaml", "-o", "run", "--device", "cuda:1", "--resume")
        self.assertEqual(code, 2)
        self.assertIn("device: GPU-a,GPU-b then, GPU-b now", err)
        self.run_demo("run", "--device", "cuda:all", "--resume")
        self.run_demo("whole", "--device", "cuda:all")
        self.assertEqual(self.measured("run"), self.measured("whole"))
        self.assertEqual(self.devices_of_cases("run"), self.devices_of_cases("whole"))

    def test_devices_of_two_classes_are_refused_by_name(self):
        err = self.run_demo("run", "--device", "cuda:0,cpu", code=2)
        self.assertIn("more than one class, cuda:0 (Fake GPU, GPU-a), cpu (Fake device, FAKE-0001)", err)
        err = self.run_demo("run", "--device", "cuda:0,GPU-a", code=2)
        self.assertIn("it names cuda:0 twice", err)
        err = self.run_demo("run", "--device", "cuda:0,cuda:7", code=2)
        self.assertIn("--device cuda:7: there is no such device; there are: cuda:0 (Fake GPU, GPU-a), cuda:1", err)


class Doctor(GpuTest):
    def test_a_clock_that_somebody_left_locked_is_told_with_the_way_out(self):
        self.assertNotIn("locked", self.plumbline("doctor")[1])
        marker = self.folder / "locks" / "GPU-b.clock"
        marker.parent.mkdir(exist_ok=True)
        marker.write_text("process 4711 of eve")
        code, out, _ = self.plumbline("doctor")
        self.assertEqual(code, 2)
        self.assertIn("left locked by process 4711 of eve", out)
        self.assertIn("nvidia-smi --reset-gpu-clocks -i GPU-b", out)


if __name__ == "__main__":
    fault_test.main()
