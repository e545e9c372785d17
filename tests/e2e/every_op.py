"""Every op of the catalogue, from suite to results: shared by the tests of both devices."""

import collections
import json

import planted

SUITE = planted.ROOT / "suites" / "catalogue.yaml"
QUICK = ("--rounds", "1", "--blocks-min", "2", "--blocks-max", "2", "--samples", "2", "--warmup-s", "0")


class EveryOp:
    """For a subclass of planted.Planted; `refused` lists what its device cannot do."""

    refused = {}  # op -> LibTorch's message; all others must be right
    never_right = set()  # ops among them for which no case can be right
    known_wrong = set()  # parts of ids of cases that the suite expects to be WRONG here

    def test_every_op_and_direction_is_in_its_suite_and_right(self):
        done = self.plumbline("ops", "--json")
        self.expect(0, done)
        ops = {op["op"]: op for op in json.loads(done.stdout)}
        self.check_catalogue(ops)
        run = self.folder / "run"
        self.expect(0, self.plumbline("run", SUITE, "-o", run, "--device", self.device, *QUICK))
        expected = json.loads((run / "run.json").read_text()).get("expected", [])
        self.assertEqual(
            {case["case"] for case in expected},
            {row["case"] for row in planted.read_rows(run) if self.is_known_wrong(row["case"])},
        )
        results = collections.defaultdict(dict)
        for row in planted.read_rows(run):
            results[row["op"]][row["case"]] = row

        self.assertEqual(set(results), set(ops))
        for name, rows in results.items():
            with self.subTest(op=name):
                directions = {"backward" if "direction=backward" in case else "forward" for case in rows}
                self.assertEqual("backward" in directions, ops[name]["backward"])
                self.check_rows(name, rows)

    def check_catalogue(self, ops):
        """Op × backend × dtype × direction, with cost and tolerance; directions that do not exist are not listed."""
        for name, op in ops.items():
            with self.subTest(op=name):
                directions = ["forward", "backward"] if op["backward"] else ["forward"]
                [direction] = (param for param in op["params"] if param["name"] == "direction")
                self.assertEqual(direction["allowed"], directions)
                self.assertEqual(list(op["cost"]), directions)
                self.assertTrue(all(cost["flops"] and cost["bytes"] for cost in op["cost"].values()))
                self.assertEqual(list(op["tolerance"]), op["dtypes"])
                self.assertEqual([made["backend"] for made in op["implementations"]], op["backends"])
                for made in op["implementations"]:
                    self.assertEqual(list(made["dtypes"]), directions)
                    self.assertTrue(made["dtypes"]["forward"], made)
                    self.assertLessEqual(set(made["dtypes"]["forward"]), set(op["dtypes"]))

    def is_known_wrong(self, case):
        return any(all(part in case for part in parts) for parts in self.known_wrong)

    def check_rows(self, name, rows):
        for case, row in rows.items():
            if self.is_known_wrong(case):
                self.assertEqual(row["status"], "WRONG", f"{case} is right: its expectation can go")
            elif row["status"] not in ("OK", "EXCLUDED"):  # the suite says why it is not for this device
                self.assertEqual(row["status"], "UNSUPPORTED", f"{case}: {row['reason']}")
                self.assertIn(self.refused.get(name, "no refusal"), row["reason"], case)
        statuses = {row["status"] for row in rows.values()}
        if name not in self.never_right and statuses != {"EXCLUDED"}:
            self.assertIn("OK", statuses)
