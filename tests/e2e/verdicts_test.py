#!/usr/bin/python3
"""Planted truths from run to verdict: changes are named, everything else is not."""

import json

import planted

SIZES = (100, 200, 300, 400, 500, 600)
CHOSEN = "planted::work/libtorch/dtype=float32/n=400"
OTHERS = {f"planted::work/libtorch/dtype=float32/n={size}" for size in SIZES} - {CHOSEN}
SLOWED = planted.slowed(400)
QUIET = {"SAME", "UNRESOLVED"}


def suite_of(*entries):
    return planted.suite_text("work", entries, planted.MEASURE_WORK)


class Verdicts(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.measure_both(suite_of(planted.work(SIZES)), SLOWED)

    def page_of(self, comparison):
        page = self.folder / "report.html"
        self.expect(0, self.plumbline("report", comparison, "-o", page))
        return page.read_text(encoding="utf-8")

    def test_an_equal_run_raises_no_alarm(self):
        again = self.measured(self.suite, "again")
        done, found = self.compared(self.base, again, 0)
        self.assertEqual(set(found), OTHERS | {CHOSEN})
        self.assertLessEqual(set(found.values()), QUIET)
        self.assertIn("no case is slower", done.stdout)
        self.assertIn(
            "no case is slower",
            self.page_of(self.folder / "comparison-again.json").replace("\u00a0", " "),
        )

    def test_a_case_slowed_by_half_is_found_alone_and_named_on_the_page(self):
        done, found = self.compared(self.base, self.slow, 1)
        self.assertEqual(found[CHOSEN], "SLOWER")
        self.assertLessEqual({found[case] for case in OTHERS}, QUIET)
        finding = json.loads((self.folder / "comparison-slow.json").read_text())["findings"][0]
        self.assertEqual(finding["case"], CHOSEN)
        self.assertLess(finding["change_low"], 0.5)
        self.assertGreater(finding["change_high"], 0.5)
        self.assertIn("Slower: ", done.stdout)
        page = self.page_of(self.folder / "comparison-slow.json")
        alarms = page[: page.index("<script")]
        self.assertIn(CHOSEN, alarms)
        self.assertIn("slower", alarms)
        # In the other direction it is faster, which is no alarm.
        _, found = self.compared(self.slow, self.base, 0)
        self.assertEqual(found[CHOSEN], "FASTER")

    def test_a_slowdown_below_the_threshold_of_its_case_is_no_alarm(self):
        suite = self.plant("work.yaml", suite_of(planted.work(SIZES, threshold="{slowdown: 100%}")))
        base = self.measured(suite, "base")
        slow = self.measured(suite, "slow", **SLOWED)
        _, found = self.compared(base, slow, 0)
        self.assertNotIn("SLOWER", found.values())

    def test_a_wrong_result_breaks_its_case_and_has_no_time(self):
        for fault, status in (("wrong", "WRONG"), ("segfault", "CRASHED")):
            with self.subTest(fault):
                broken = self.measured(
                    self.suite, fault, code=1, PLANTED_FAULT=fault, PLANTED_ELEMENTS="400"
                )
                rows = [row for row in planted.read_rows(broken) if row["case"] == CHOSEN]
                self.assertEqual([(row["status"], row["samples"]) for row in rows], [(status, "")])
                done, found = self.compared(self.base, broken, 1)
                self.assertEqual(found[CHOSEN], "BROKEN")
                self.assertLessEqual({found[case] for case in OTHERS}, QUIET)
                self.assertIn("Broken: ", done.stdout)
                _, found = self.compared(broken, self.base, 0)
                self.assertEqual(found[CHOSEN], "FIXED")

    def test_other_processors_are_not_judged_and_never_an_alarm(self):
        words = ["accept", self.base, "--baselines", self.folder / "baselines"]
        accepted = self.plumbline(*words, "--even-so", "a test")
        csv = self.expect(0, accepted).stdout.strip()
        self.compared(csv, self.slow, 1)
        planted.edit_json(
            planted.pathlib.Path(csv).with_suffix(".json"),
            lambda baseline: baseline["runs"][-1]["environment"].update(
                device_class="Abacus, 10 rods", device_model="Abacus"
            ),
        )
        done, found = self.compared(csv, self.slow, 3)
        self.assertEqual(set(found.values()), {"NOT_JUDGED"})
        self.assertIn("'Abacus, 10 rods'", done.stdout)

    def test_a_folder_without_a_baseline_of_this_device_is_not_judged_and_says_what_to_do(self):
        (self.folder / "baselines").mkdir()
        done = self.plumbline("compare", self.folder / "baselines", self.base)
        self.expect(3, done, "no accepted baseline", f"plumbline accept {self.base}")

    def test_a_changed_problem_is_not_judged(self):
        changed = self.measured(
            self.plant("work.yaml", suite_of(planted.work(SIZES, microseconds=150))), "changed"
        )
        done, found = self.compared(self.base, changed, 3)
        self.assertEqual(set(found.values()), {"NOT_JUDGED"})
        self.assertIn("revision", done.stdout)

    def test_a_case_that_went_is_missing_and_one_that_came_is_new(self):
        other = self.measured(
            self.plant("work.yaml", suite_of(planted.work([*SIZES[:-1], 700]))), "other"
        )
        _, found = self.compared(self.base, other, 3)
        self.assertEqual(found["planted::work/libtorch/dtype=float32/n=600"], "MISSING")
        self.assertEqual(found["planted::work/libtorch/dtype=float32/n=700"], "NEW")
        more = self.measured(self.plant("work.yaml", suite_of(planted.work([*SIZES, 700]))), "more")
        _, found = self.compared(self.base, more, 0)
        self.assertEqual(
            [case for case in found if found[case] == "NEW"],
            ["planted::work/libtorch/dtype=float32/n=700"],
        )

    def test_a_renamed_case_keeps_its_history(self):
        case = "/libtorch/dtype=float32/n="
        renames = [f"  planted::work{case}{n}: labour{case}{n}\n" for n in SIZES]
        text = suite_of(planted.work(SIZES, name="labour")) + "renames:\n" + "".join(renames)
        renamed = self.measured(self.plant("work.yaml", text), "renamed")
        _, found = self.compared(self.base, renamed, 0)
        self.assertLessEqual(set(found.values()), QUIET)

    def test_accepting_makes_a_baseline_that_judges_like_the_run(self):
        accepted = self.plumbline(
            "accept",
            self.base,
            "--baselines",
            self.folder / "baselines",
            "--even-so",
            "a test",
            "--author",
            "A. Tester",
            "--why",
            "first",
        )
        csv = planted.pathlib.Path(self.expect(0, accepted).stdout.strip())
        acceptance = json.loads(csv.with_suffix(".json").read_text())["runs"][-1]["acceptance"]
        self.assertEqual((acceptance["by"], acceptance["why"]), ("A. Tester", "first"))
        _, found = self.compared(self.folder / "baselines", self.slow, 1)
        self.assertEqual([case for case in found if found[case] == "SLOWER"], [CHOSEN])


HOSTILE = [
    "</script><script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "<!-- ${7*7} {{7*7}} %s &amp; \\u003c",
    "\u202egnp.exe\u202c \u05d0\u05d1\u05d2",
    "\U0001f9ee, \U0001f468\u200d\U0001f52c; a|b=c/d",
    "=1+1",
    "x" * 10_000,
]


class HostileNames(planted.Planted):
    def test_hostile_names_travel_whole_from_the_suite_to_the_page_and_do_nothing_there(self):
        labels = json.dumps(HOSTILE, ensure_ascii=False)
        reason = json.dumps(HOSTILE[0] + HOSTILE[1])
        entry = (
            "  - op: planted::prints\n"
            '    args: {x: "uniform[n]"}\n'
            f"    sweep: {{n: [64, 65], dtype: [float32], label: {labels}}}\n"
            f"    exclude: [{{where: {{n: 65}}, reason: {reason}}}]\n"
        )
        description = f"description: {json.dumps(HOSTILE[0])}\n"
        suite = self.plant("hostile.yaml", description + planted.suite_text("hostile", [entry]))
        run = self.measured(suite, "run")
        listed = self.expect(
            0, self.plumbline("list", suite, "--extension", planted.EXTENSION)
        ).stdout
        ids = {row["case"] for row in planted.read_rows(run)}
        self.assertEqual(len(ids), 2 * len(HOSTILE))
        self.assertEqual(ids, {line.split("  # ")[0] for line in listed.splitlines()})
        for case in ids:  # on the command line, an id selects exactly its case
            again = self.plumbline("list", suite, "--extension", planted.EXTENSION, "--case", case)
            self.assertEqual(self.expect(0, again).stdout.count("\n"), 1)
        _, found = self.compared(run, run, 0)
        self.assertLess(set(found), ids)
        for source in (run, self.folder / "comparison-run.json"):
            page = self.folder / "page.html"
            title = HOSTILE[0]
            self.expect(0, self.plumbline("report", source, "-o", page, "--title", title))
            text = page.read_text(encoding="utf-8")
            for harmful in ("<script>alert", "<img src=x", "</script><script>"):
                self.assertNotIn(harmful, text)
            self.assertEqual(text.count("<script"), text.count("</script>"))


if __name__ == "__main__":
    planted.main()
