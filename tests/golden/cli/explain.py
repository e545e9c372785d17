"""Recomputes every number on the way to a verdict from the two runs; also a baseline of several cards."""

import json
import pathlib
import sys

import fault_test
from fault_test import FaultTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import planted_run
import recompute


QUIET = {"process_sd": 0.0003, "block_sd": 0.0005}


class Explained(FaultTest):
    """Two runs without earlier ones."""

    def compare(self, count=60, slower=None, card_sd=0, **noise):
        ids = planted_run.cases(count)
        planted_run.write_run(self.work / "before", ids, seed=1, **noise)
        planted_run.write_run(self.work / "now", ids, seed=2, day=2, slower=slower, card_sd=card_sd, **noise)
        code, _, err = self.plumbline("compare", "before", "now", "-o", "comparison.json")
        self.assertIn(code, (0, 3), err)
        return json.loads((self.work / "comparison.json").read_text())

    def recomputed(self, comparison):
        changes, level = recompute.recomputed(self.work / "before", self.work / "now", comparison)
        self.assertEqual(len(changes), len(comparison["findings"]))
        for change in changes:
            for what, (ours, theirs) in recompute.pairs_of(change, level).items():
                rounding = 1e-14 if what in ("change", "shift") else 0
                self.assertLessEqual(abs(ours - theirs), 1e-9 * abs(theirs) + rounding, what)
            self.assertEqual(change.finding["verdict"].replace("LOOKS_", ""), change.verdict)
        return changes

    def test_quiet_runs_have_their_prior_narrowed_and_a_slower_case_found(self):
        slow = planted_run.cases(60)[7]
        changes = self.recomputed(self.compare(**QUIET, slower={slow: 1.05}))
        self.assertLess(changes[0].narrowed, 1)
        self.assertEqual({c.finding["case"] for c in changes if c.verdict == "SLOWER"}, {slow})

    def test_a_folder_stands_for_its_comparison(self):
        slow = planted_run.cases(60)[7]
        self.compare(**QUIET, slower={slow: 1.05})
        (self.work / "night").mkdir()
        (self.work / "comparison.json").rename(self.work / "night/comparison.json")
        code, out, err = self.plumbline("explain", "night", slow)
        self.assertEqual(code, 0, err)
        self.assertIn(slow, out)
        code, _, err = self.plumbline("explain", "nihgt", slow)
        self.assertEqual(code, 2)
        self.assertIn("near it: night/comparison.json", err)

    def test_a_slowdown_of_one_case_alone_is_planted_too(self):
        alone = self.compare(**QUIET)["self_check"]["own"]["alone"]
        self.assertEqual([rate["size"] for rate in alone], [0.05])
        self.assertEqual((alone[0]["seen"], alone[0]["cases"]), (40, 40))

    def test_runs_that_scatter_have_their_errors_widened(self):
        changes = self.recomputed(self.compare(count=120, card_sd=0.02))
        self.assertGreater(changes[0].widened, 1.5)
        self.assertEqual([c for c in changes if c.verdict == "SLOWER"], [])

    def test_few_cases_keep_the_rule(self):
        changes = self.recomputed(self.compare(count=5))
        self.assertEqual({(c.narrowed, c.widened) for c in changes}, {(1, 1)})

    def test_a_shift_of_the_run_is_taken_off(self):
        ids = planted_run.cases(60)
        changes = self.recomputed(self.compare(slower=dict.fromkeys(ids, 1.03)))
        self.assertAlmostEqual(changes[0].shift, 0.03, delta=0.005)

    def test_a_number_that_is_off_is_seen(self):
        comparison = self.compare()
        comparison["findings"][3]["p_value"] *= 1 + 1e-6
        (self.work / "comparison.json").write_text(json.dumps(comparison))
        self.assertEqual(recompute.main(self.work / "before", self.work / "now", self.work / "comparison.json"), 1)

    def test_the_command_tells_the_steps_of_a_case(self):
        comparison = self.compare(**QUIET, slower={planted_run.cases(60)[7]: 1.05})
        finding = next(f for f in comparison["findings"] if f["case"].endswith("n=7"))
        code, out, err = self.plumbline("explain", "comparison.json", finding["case"], "--metrics", finding["metric"])
        self.assertEqual(code, 0, err)
        for step in ("estimates", "change", "visits", "rule", "fit", "error", "test", "interval", "decision", "verdict"):
            self.assertRegex(out, rf"(?m)^ +\d+  {step} ")
        self.assertIn(f"p = {finding['p_value']:.4g}", out)
        self.assertIn("LOOKS_SLOWER", out)
        code, _, err = self.plumbline("explain", "comparison.json", "op3/libtorch/n=70")
        self.assertEqual(code, 2)
        self.assertIn("no finding of the case 'op3/libtorch/n=70'; nearest is 'op3/libtorch/n=7'", err)


class BaselineOfSeveralCards(FaultTest):
    """Accepted one after the other; a run on a new card is judged by the differences between cards."""

    def run_on(self, card, seed, **truth):
        name = f"{card}-{seed}"
        planted_run.write_run(
            self.work / name, planted_run.cases(60), seed=seed, uuid=card, day=seed, card_sd=0.002, **truth
        )
        return name

    def accept(self, run, *more):
        code, _, err = self.plumbline("accept", run, "--baselines", "b", "--author", "Ada", *more)
        self.assertEqual(code, 0, err)
        return err

    def test_of_three_cards_a_slowdown_is_found_on_a_fourth(self):
        for seed, card in enumerate(("GPU-a", "GPU-b", "GPU-c"), 1):
            err = self.accept(self.run_on(card, seed))
        self.assertIn("the baseline stands on 3 runs, 3 devices, 3 days", err)
        slow = planted_run.cases(60)[::20]
        now = self.run_on("GPU-d", 9, slower=dict.fromkeys(slow, 1.05))
        code, out, err = self.plumbline("compare", "b", now, "-o", "c.json")
        self.assertEqual(code, 3, out + err)
        self.assertIn("single cards differ in some cases, and this one is new", out)
        self.assertIn("vary from device to device of the class", out)
        self.assertIn("120 of them are compared with the median of those devices.", out)
        findings = json.loads((self.work / "c.json").read_text())["findings"]
        self.assertEqual({f["case"] for f in findings if f["verdict"] == "LOOKS_SLOWER"}, set(slow))
        code, out, err = self.plumbline("explain", "c.json", slow[0])
        self.assertRegex(out, r"devices +the baseline's 3 devices differ by .* a device strays by ")
        self.assertRegex(out, r"this one +a new device differs from their median by ")
        self.assertIn("called from 2 % on; SAME inside", out)
        same = sum(f["verdict"] == "SAME" for f in findings)
        self.assertGreater(same, 0.7 * len(findings))

    def of_code(self, run, commit):
        """The run, changed to have that commit and its worker."""
        path = self.work / run / "run.json"
        recorded = json.loads(path.read_text())
        recorded["environment"].update(commit=commit * 40, worker_hash=commit * 16)
        path.write_text(json.dumps(recorded))
        return run

    def test_what_one_card_does_otherwise_is_kept_where_the_code_is_the_same(self):
        slow = {planted_run.cases(60)[4]: 1.3}
        self.accept(self.of_code(self.run_on("GPU-a", 1), "a"))
        err = self.accept(self.of_code(self.run_on("GPU-b", 2, slower=slow), "a"))
        self.assertNotIn("changed", err)
        err = self.accept(self.of_code(self.run_on("GPU-c", 3, slower={planted_run.cases(60)[9]: 1.3}), "b"))
        self.assertIn("2 cases changed: what was accepted of them before is dropped", err)

    def test_a_case_that_changed_begins_anew_and_replace_drops_all(self):
        self.accept(self.run_on("GPU-a", 1))
        slow = planted_run.cases(60)[4]
        err = self.accept(self.run_on("GPU-a", 2, slower={slow: 1.5}))
        self.assertIn("1 case changed: what was accepted of it before is dropped", err)
        code, out, err = self.plumbline("compare", "b", self.run_on("GPU-a", 3, slower={slow: 1.5}))
        self.assertNotIn("FASTER", out)
        self.assertEqual(code, 0, out + err)
        err = self.accept(self.run_on("GPU-a", 4), "--replace")
        self.assertIn("in place of the baseline accepted by Ada", err)
        self.assertNotIn("stands on", err)

    def test_a_card_that_is_slower_in_all_cases_is_added(self):
        ids = planted_run.cases(60)
        self.accept(self.run_on("GPU-a", 1))
        err = self.accept(self.run_on("GPU-b", 2, slower=dict.fromkeys(ids, 1.04)))
        self.assertIn("the baseline stands on 2 runs, 2 devices", err)

    def test_a_run_that_shifted_as_a_whole_begins_anew(self):
        ids = planted_run.cases(60)
        self.accept(self.run_on("GPU-a", 1))
        err = self.accept(self.run_on("GPU-a", 2, slower=dict.fromkeys(ids, 1.05)))
        self.assertIn("in place of the baseline accepted by Ada", err)


if __name__ == "__main__":
    fault_test.main()
