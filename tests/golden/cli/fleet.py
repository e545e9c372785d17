"""`plumbline fleet` over runs with planted slow cards: its answer, its files, its exit codes."""

import csv
import json
import pathlib
import sys

import fault_test
from fault_test import FaultTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import planted_run  # noqa: E402

CARDS, NODE = 12, 4
HOSTILE = "node'; touch ../hacked; echo '"


class Fleet(FaultTest):
    def make(self, slow=(), nights=1, cards=CARDS, by=1.08, host="node{}", **environment):
        ids = planted_run.cases(12)
        for day in range(1, nights + 1):
            for card in range(cards):
                folder = self.work / "nights" / f"{day:02}-{card:02}"
                folder.parent.mkdir(exist_ok=True)
                slower = {case: by for case in ids if case.startswith("op2")} if card in slow else None
                planted_run.write_run(folder, ids, seed=100 * day + card, uuid=f"GPU-{card}", day=day, card_sd=0.001,
                                      process_sd=0.0005, block_sd=0.002, slower=slower)
                path = folder / "run.json"
                info = json.loads(path.read_text())
                info["environment"] |= {"host": host.format(card // NODE), "driver": "580.1"} | environment
                path.write_text(json.dumps(info))

    def fleet(self, *more, code):
        found, out, err = self.plumbline("fleet", "nights", *more)
        self.assertEqual(found, code, out + err)
        return out, err

    def rules(self, *lines):
        (self.work / "rules.yaml").write_text("rules:\n" + "".join(f"  - {{{line}}}\n" for line in lines))
        return "--rules", "rules.yaml"


class Answers(Fleet):
    def test_a_slow_card_is_named_with_its_family_and_the_night_it_began(self):
        self.make(slow={5}, nights=2)
        out, err = self.fleet(code=1)
        self.assertIn("Outside of their class: 1 device slower, of 12 devices.", out)
        self.assertRegex(out, r"node1 +GPU-5 +op2 +\+[78]\.\d % +p")
        self.assertRegex(" ".join(out.split()), r"since 2025-12-31, 2 of 2 nights")
        self.assertEqual(err, "")

    def test_where_all_are_alike_nothing_is_called(self):
        self.make()
        out, _ = self.fleet(code=0)
        self.assertIn("None of 12 devices is outside of its class.", out)

    def test_three_cards_cannot_be_judged(self):
        self.make(cards=3, slow={0}, by=2)
        out, _ = self.fleet(code=3)
        self.assertIn("No device can be judged.", out)
        self.assertIn("a class needs 4", out)

    def test_files_hold_every_card_and_family(self):
        self.make(slow={5})
        out, _ = self.fleet("--json", "--csv", "fleet.csv", "-o", "fleet.html", code=1)
        told = json.loads(out)
        slow = [unit["name"] for unit in told["units"] if unit["slower"]]
        self.assertEqual(slow, ["GPU-5"])
        families = {cell["family"]: cell for cell in told["units"][5]["families"]}
        self.assertEqual(set(families), {"all", "op0", "op1", "op2", "op3"})
        self.assertAlmostEqual(families["op2"]["deviation"], 0.08, delta=0.01)
        with open(self.work / "fleet.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), (12 + 3) * 5, "cards and nodes, each with four families and all")
        self.assertEqual([(r["name"], r["family"]) for r in rows if r["outside"] == "yes"], [("GPU-5", "op2")])
        self.assertIn("GPU-5", (self.work / "fleet.html").read_text())

    def test_the_answer_does_not_depend_on_the_order_of_the_runs(self):
        self.make(slow={5})
        runs = sorted(str(run) for run in (self.work / "nights").iterdir())
        one = json.loads(self.plumbline("fleet", *runs, "--json")[1])
        other = json.loads(self.plumbline("fleet", *reversed(runs), "--json")[1])
        key = lambda told: sorted((u["name"], c["family"], c["deviation"], c["adjusted_p"]) for u in told["units"] for c in u["families"])
        self.assertEqual(key(one), key(other))


class Rules(Fleet):
    def test_nodes_to_drain_are_listed_and_nothing_is_run(self):
        self.make(slow={5, 9})
        out, _ = self.fleet(*self.rules("slower_than_class: 5%, action: drain"), "--drain", "drain.sh", code=1)
        self.assertRegex(out, r"drain node1\n +GPU-5: op2 \+")
        commands = (self.work / "drain.sh").read_text().splitlines()
        self.assertEqual(len(commands), 2)
        for node, command in zip(("node1", "node2"), commands):
            self.assertRegex(command, f"^scontrol update NodeName={node} State=DRAIN 'Reason=plumbline: GPU")

    def test_a_rule_that_holds_of_none_drains_nothing(self):
        self.make(slow={5})
        out, _ = self.fleet(*self.rules("slower_than_class: 30%, action: drain"), code=0)
        self.assertIn("The rules drain no node.", out)

    def test_what_was_not_recorded_cannot_be_told(self):
        self.make()
        out, _ = self.fleet(*self.rules('ecc_uncorrected: "> 0", action: drain'), code=3)
        self.assertIn("cannot tell", out)
        self.assertIn("ecc_uncorrected is not recorded", out)
        self.fleet(*self.rules('ecc_uncorrected: "> 0", action: drain, if_unknown: ignore'), code=0)

    def test_counted_errors_drain(self):
        self.make(ecc_uncorrected="0")
        path = self.work / "nights/01-03/run.json"
        info = json.loads(path.read_text())
        info["environment"]["ecc_uncorrected"] = "2"
        path.write_text(json.dumps(info))
        out, _ = self.fleet(*self.rules('ecc_uncorrected: "> 0", action: drain'), code=1)
        self.assertIn("GPU-3: ecc_uncorrected 2, limit > 0", out)

    def test_each_node_has_an_exit_code_of_its_own(self):
        self.make(slow={5})
        for rules in ((), self.rules("slower_than_class: 5%, action: drain")):
            for node, code in (("node0", 0), ("node1", 1), ("node2", 0)):
                out, _ = self.fleet(*rules, "--node", node, code=code)
                self.assertIn("GPU-5", out, "the answer is about all")
        _, err = self.fleet("--node", "node9", code=2)
        self.assertIn("--node node9: found no run of this node", err)

    def test_what_cannot_be_told_of_a_node_is_no_other_node_s(self):
        self.make(ecc_uncorrected="0")
        path = self.work / "nights/01-03/run.json"
        info = json.loads(path.read_text())
        info["environment"]["ecc_uncorrected"] = ""
        path.write_text(json.dumps(info))
        rules = self.rules('ecc_uncorrected: "> 0", action: drain')
        for words, code in (((), 3), (("--node", "node0"), 3), (("--node", "node1"), 0)):
            self.fleet(*rules, *words, code=code)

    def test_a_hostile_host_is_one_word_for_the_shell(self):
        self.make(slow={5}, host=HOSTILE + "{}")
        out, _ = self.fleet(*self.rules("slower_than_class: 5%, action: drain"), "--drain", "-", code=1)
        words = self.start("-c", f'scontrol() {{ printf "%s\\n" "$@"; }}\n{out}', program="/bin/sh").communicate()[0]
        self.assertIn(f"NodeName={HOSTILE}1\n", words)
        self.assertFalse((self.folder / "hacked").exists())

    def test_mistakes_have_their_place(self):
        self.make()
        _, err = self.fleet(*self.rules("slower_than_class: 5, action: drain"), code=2)
        self.assertIn("rules.yaml:2:25: ", err)
        _, err = self.fleet("--drain", "-", code=2)
        self.assertIn("--rules FILE", err)
        _, err = self.fleet("--rate", "0", code=2)
        self.assertIn("--rate", err)


class Input(Fleet):
    def test_what_is_no_run_is_refused(self):
        for words in (("nowhere",), (".",), ("demo.yaml",)):
            code, out, err = self.plumbline("fleet", *words)
            self.assertEqual((code, out), (2, ""), err)

    def test_torn_results_are_an_error_that_names_them(self):
        self.make()
        path = self.work / "nights/01-03/results.csv"
        path.write_bytes(path.read_bytes()[:-20])
        _, err = self.fleet(code=2)
        self.assertIn("01-03/results.csv", err)

    def test_a_class_that_is_not_named_is_left_out_and_told(self):
        self.make(device_class="")
        code, _, err = self.plumbline("fleet", "nights")
        self.assertEqual(code, 2)
        self.assertIn("names no device class", err)

    def test_the_schema_of_rules_is_printed(self):
        code, out, _ = self.plumbline("schema", "fleet")
        self.assertEqual(code, 0)
        self.assertIn("slower_than_class", json.loads(out)["definitions"]["rule"]["properties"])


if __name__ == "__main__":
    fault_test.main()
