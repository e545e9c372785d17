#!/usr/bin/python3
"""Both sides of a comparison measure the right code: a user's repository without any file of Plumbline, its plug-in,
and everything in them that a commit can change. Real workers, on the CPU.

The repository is tests/support/user_repository. Each test makes a commit that changes one thing by a factor of two or
eight, or nothing, and runs `ab`, `check` and the gate.
"""

import json
import os
import re
import shutil
import subprocess
from statistics import median

import planted

REPOSITORY = planted.ROOT / "tests" / "support" / "user_repository"
# A change is found after 4 pairs on a quiet machine, and after more on one that others use.
CHANGED = ("--looks", "4,12,24", "--controls", "0")
# Wide enough for pairs on such a machine, far below the +100 % of the wrong code.
UNCHANGED = ("--looks", "6,12,24,48", "--controls", "0", "--threshold", "25%", "--margin", "30%")
CASES = {f"double/custom/dtype=float32/n={n}" for n in (100000, 200000)}
CALM = {"SAME", "UNRESOLVED"}
# A factor of two, as measured on a machine that others also use, is 1.25 to 4; one of eight is 5 to 16.
LEAST, MOST = 0.625, 2.0
LIMIT_S = 600  # for a command that may measure all pairs


class Sides(planted.Planted):
    @classmethod
    def environment(cls, **more):
        variables = {
            "HOME": str(cls.class_folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PLUMBLINE_INCLUDE": str(planted.ROOT / "harness" / "backends" / "plugin"),
            # Its own cache, empty at first: results of earlier tests must not help.
            "PLUMBLINE_CACHE": str(cls.class_folder / "cache"),
        }
        return super().environment(**(variables | more))

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        shutil.copytree(REPOSITORY, self.repository)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("one")

    def git(self, *words):
        who = ["-c", "user.name=A. User", "-c", "user.email=a@user"]
        done = subprocess.run(
            ["git", *who, *words], cwd=self.repository, env=self.environment(), capture_output=True, encoding="utf-8"
        )
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)

    def edit(self, name, before, after):
        """A commit that replaces `before` by `after` in a file of the repository."""
        path = self.repository / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after), encoding="utf-8")
        self.commit(f"{name}: {after}")

    def ask(self, code, *words, cwd="", pairs=None, **variables):
        """Runs the command in the repository; returns it with its findings: {case: finding}. `code`: its exit code, or
        the set of those that are allowed."""
        pairs = pairs or (CHANGED if code == 1 else UNCHANGED)
        folder = self.folder / f"result-{len(list(self.folder.glob('result-*')))}"
        done = self.plumbline(
            *words, "-o", folder, "--device", self.device, *pairs, cwd=self.repository / cwd, timeout=LIMIT_S,
            **variables,
        )  # fmt: skip
        if isinstance(code, set):
            self.assertIn(done.returncode, code, done)
        else:
            self.expect(code, done)
        comparison = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
        return done, {finding["case"]: finding for finding in comparison["findings"]}, comparison["notes"]

    def assert_slower(self, findings, cases=CASES, factor=2):
        for case in cases:
            self.assertEqual(findings[case]["verdict"], "SLOWER", findings[case])
            self.assertGreater(findings[case]["change"] + 1, LEAST * factor)
            self.assertLess(findings[case]["change"] + 1, MOST * factor)


class Ab(Sides):
    def test_an_unchanged_commit_passes_and_both_sides_are_said_to_be_the_same(self):
        self.commit("nothing")
        _, findings, notes = self.ask(0, "ab", "HEAD~1", ".")
        self.assertEqual(set(findings), CASES)
        self.assertLessEqual({finding["verdict"] for finding in findings.values()}, CALM)
        self.assertIn("Both sides ran the same bytes in every case", " ".join(notes))

    def test_a_control_is_the_baselines_code_in_both_workers(self):
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        done, findings, _ = self.ask(1, "ab", "HEAD~1", ".", pairs=("--looks", "6,12", "--controls", "50%"))
        self.assert_slower(findings, factor=8)
        self.assertRegex(done.stdout, r"False alarms: \d in [12] trials? without a change")
        pairs = self.folder / "result-0"
        case = planted.read_rows(pairs / "controls" / "b")[0]["case"]
        candidate, control = (self.time_of(case, folder / "b") for folder in (pairs, pairs / "controls"))
        self.assertGreater(candidate / control, 3)
        self.assertLess(control / self.time_of(case, pairs / "a"), 3)

    def time_of(self, case, run):
        rows = [row for row in planted.read_rows(run) if row["case"] == case]
        return median(float(sample) for row in rows for sample in re.split("[;|]", row["samples"]))

    def test_a_source_a_header_and_a_build_output_move_the_verdict(self):
        self.edit("kernels/double.c", "ROUNDS * turns()", "2 * ROUNDS * turns()")
        self.assert_slower(self.ask(1, "ab", "HEAD~1", ".")[1])
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        self.assert_slower(self.ask(1, "ab", "HEAD~1", ".")[1])
        # A library that the plug-in links, changed by a build flag.
        self.edit("kernels/Makefile", "TURNS = 1", "TURNS = 2")
        done, findings, _ = self.ask(1, "ab", "HEAD~1", ".")
        self.assert_slower(findings)
        self.assertIn("source file kernels/build/libturns.so", done.stdout)
        # And back, between two revisions, from a folder inside the repository.
        faster = self.ask(0, "ab", "HEAD", "HEAD~1", "perf.yaml", cwd="kernels", pairs=CHANGED)[1]
        self.assertEqual({finding["verdict"] for finding in faster.values()}, {"FASTER"})

    def test_each_side_reads_its_own_file_of_shapes_and_what_changed_is_said(self):
        (self.repository / "shapes").mkdir()
        shapes = "shapes:\n  long: [{n: 100000}]\n"
        (self.repository / "shapes" / "lengths.yaml").write_text(shapes, encoding="utf-8")
        self.edit("kernels/perf.yaml", "suite: perf\n", "suite: perf\nshapes: {from: ../shapes/lengths.yaml}\n")
        self.edit("kernels/perf.yaml", "n: [100000, 200000]", "shape: [$long]")
        self.edit("shapes/lengths.yaml", "{n: 100000}", "{n: 100000}, {n: 300000}")
        result = self.folder / "result"
        done = self.plumbline("ab", "HEAD~1", ".", "-o", result, "--device", self.device, *UNCHANGED,
                              cwd=self.repository, timeout=LIMIT_S)  # fmt: skip
        self.assertIn(done.returncode, {0, 3}, done)  # 3: a busy machine is too noisy for a verdict
        comparison = json.loads((result / "comparison.json").read_text(encoding="utf-8"))
        kept, new = (f"double/custom/dtype=float32/n={n}" for n in (100000, 300000))
        is_new = {finding["case"]: finding["verdict"] == "NEW" for finding in comparison["findings"]}
        self.assertEqual(is_new, {kept: False, new: True})
        said = "The shapes in ../shapes/lengths.yaml that the suite perf of the present folder reads are not those of HEAD~1"
        self.assertIn(said + " (line 2: ", " ".join(comparison["notes"]))
        run = json.loads((result / "b" / "run.json").read_text(encoding="utf-8"))
        self.assertIn("shapes/lengths.yaml", {file["path"] for file in run["suites"][0]["sources"]})

    def test_a_variable_of_a_side_moves_the_verdict(self):
        done, findings, _ = self.ask(1, "ab", ".", ".", "--b-env", "REPEAT=2")
        self.assert_slower(findings)
        self.assertIn("variable REPEAT", done.stdout)

    def test_a_suite_is_read_in_each_revision_however_it_is_named(self):
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        whole = str(self.repository / "kernels/perf.yaml")
        self.assert_slower(self.ask(1, "ab", "HEAD~1", "HEAD", whole)[1])
        self.assert_slower(self.ask(1, "ab", "HEAD~1", "..", "perf.yaml", cwd="kernels")[1])

    def test_a_suite_that_moved_is_found_by_each_sides_plumbline_yaml(self):
        (self.repository / "kernels/perf.yaml").rename(self.repository / "kernels/times.yaml")
        self.edit("plumbline.yaml", "perf.yaml", "times.yaml")
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        self.assert_slower(self.ask(1, "ab", "HEAD~2", ".")[1])

    def test_a_library_of_the_other_side_by_an_absolute_path_is_not_judged(self):
        library = self.repository / "kernels/build/libdouble.so"
        self.edit("kernels/perf.yaml", "library: build/libdouble.so", f'library: "{library}"')
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        done, findings, _ = self.ask(3, "ab", "HEAD~1", ".")
        self.assertEqual({finding["verdict"] for finding in findings.values()}, {"NOT_JUDGED"})
        self.assertIn(f"HEAD~1 reads {library}, which is a file of the present folder", done.stdout)
        self.assertNotIn("ran the same bytes in every case", done.stdout)

    def test_a_cache_that_cannot_be_written_is_said(self):
        done = self.plumbline("ab", "HEAD", ".", cwd=self.repository, PLUMBLINE_CACHE="/proc/none")
        self.expect(2, done, "cannot write to /proc/none/trees", "PLUMBLINE_CACHE")

    def test_a_submodule_moves_the_verdict(self):
        shared = self.folder / "shared"
        shared.mkdir()

        def publish(times):
            (shared / "shared.h").write_text(f"#define SHARED {times}\n", encoding="utf-8")
            self.git("-C", str(shared), "add", "--all")
            self.git("-C", str(shared), "commit", "--quiet", "--message", f"{times} times")

        self.git("init", "--quiet", str(shared))
        publish(1)
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(shared), "kernels/shared")
        self.edit("kernels/double.c", '#include "work.h"', '#include "shared/shared.h"\n#include "work.h"')
        self.edit("kernels/double.c", "ROUNDS * turns()", "SHARED * ROUNDS * turns()")
        publish(2)
        submodule = str(self.repository / "kernels" / "shared")
        self.git("-c", "protocol.file.allow=always", "-C", submodule, "pull", "--quiet")
        self.commit("another shared header")
        (self.repository / "kernels" / "build" / "libdouble.so").unlink(missing_ok=True)
        self.assert_slower(self.ask(1, "ab", "HEAD~1", ".")[1])

    def test_a_suite_of_a_submodule_is_read_in_each_sides_submodule(self):
        whole = self.folder / "whole"
        self.git("init", "--quiet", "--initial-branch=main", str(whole))
        (whole / "plumbline.yaml").write_text("build: make -s -C part/kernels\n", encoding="utf-8")
        part, self.repository = self.repository, whole
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "part")
        self.commit("a part")
        self.repository = part
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        self.repository = whole
        self.git("-c", "protocol.file.allow=always", "-C", "part", "pull", "--quiet")
        self.commit("a slower part")
        self.assert_slower(self.ask(1, "ab", "HEAD~1", ".", "part/kernels/perf.yaml")[1])

    def test_a_kept_build_is_used_again_only_in_the_environment_that_made_it(self):
        self.edit("kernels/Makefile", "TURNS = 1", "TURNS ?= 1")
        self.commit("nothing")
        self.ask(0, "ab", "HEAD~1", ".")
        done, findings, _ = self.ask(0, "ab", "HEAD~1", "HEAD", TURNS="2")
        self.assertLessEqual({finding["verdict"] for finding in findings.values()}, CALM)
        self.assertIn("variable TURNS changed since HEAD~1 was built", done.stderr)
        done, _, _ = self.ask(0, "ab", "HEAD~1", "HEAD", TURNS="2", GITHUB_RUN_ID="7")
        self.assertNotIn("building", done.stderr)

    def test_a_checkout_that_somebody_edited_is_made_anew(self):
        self.commit("nothing")
        self.ask(0, "ab", "HEAD~1", ".")
        kernels = self.class_folder / "cache" / "trees" / self.git("rev-parse", "HEAD~1") / "kernels"
        (kernels / "work.h").write_text("#define ROUNDS 2\n", encoding="utf-8")
        subprocess.run(["make", "-s"], cwd=kernels, env=self.environment(), check=True)
        done, findings, _ = self.ask(0, "ab", "HEAD~1", ".")
        self.assertLessEqual({finding["verdict"] for finding in findings.values()}, CALM)
        self.assertIn("files of its checkout changed since HEAD~1 was built", done.stderr)

    def test_a_suite_of_another_name_is_told(self):
        self.edit("kernels/perf.yaml", "suite: ", "suite: other_")
        _, findings, notes = self.ask(3, "ab", "HEAD~1", ".")
        self.assertIn("have 2 cases of the same id", " ".join(notes))

    def test_two_folders_without_git_are_two_sides(self):
        for name in ("old", "new"):
            shutil.copytree(REPOSITORY, self.folder / name)
        header = self.folder / "new" / "kernels" / "work.h"
        header.write_text("#define ROUNDS 2\n", encoding="utf-8")
        done = self.plumbline(
            "ab", "old", "new", "--device", "cpu", *CHANGED, "-o", "pairs", cwd=self.folder, timeout=LIMIT_S
        )
        self.expect(1, done)
        self.assertEqual(set(planted.verdicts(self.folder / "pairs" / "comparison.json").values()), {"SLOWER"})

    def test_a_deleted_and_a_new_case_and_the_change_of_the_suite_are_told(self):
        self.edit("kernels/perf.yaml", "200000", "300000")
        _, findings, notes = self.ask(3, "ab", "HEAD~1", ".")
        verdicts = {case: finding["verdict"] for case, finding in findings.items()}
        self.assertEqual(verdicts.pop("double/custom/dtype=float32/n=200000"), "MISSING")
        self.assertEqual(verdicts.pop("double/custom/dtype=float32/n=300000"), "NEW")
        self.assertLessEqual(set(verdicts.values()), CALM)
        self.assertIn("line 10: `sweep: {n: [100000, 200000], dtype: [float32]}` is now", " ".join(notes))

    def test_another_tolerance_is_another_problem_and_is_not_judged(self):
        self.edit("kernels/perf.yaml", "    sweep:", "    tolerance: 0.5\n    sweep:")
        _, findings, notes = self.ask(3, "ab", "HEAD~1", ".")
        self.assertEqual({finding["verdict"] for finding in findings.values()}, {"NOT_JUDGED"})
        self.assertIn("revision", findings[min(CASES)]["reason"])
        self.assertIn("`tolerance: 0.5` is new", " ".join(notes))

    def test_a_threshold_and_options_that_differ_are_told_and_the_candidates_hold(self):
        self.edit("kernels/perf.yaml", "samples: 9", "samples: 7")
        self.edit("kernels/perf.yaml", "    sweep:", "    threshold: {slowdown: 50%}\n    sweep:")
        _, findings, notes = self.ask(0, "ab", "HEAD~2", ".")
        self.assertEqual(set(findings), CASES)
        told = " ".join(notes)
        self.assertIn("`measure: samples` differs: both sides are measured as the present folder says", told)
        self.assertIn("The threshold of 2 cases differs", told)
        rows = [row for side in "ab" for row in planted.read_rows(self.folder / "result-0" / side)]
        self.assertEqual({row["samples"].split("|")[0].count(";") for row in rows}, {6})

    def test_a_renamed_case_is_paired_with_its_former_self(self):
        text = (self.repository / "kernels/perf.yaml").read_text(encoding="utf-8")
        text = text.replace("name: double", "name: twice")
        text += "renames:\n" + "".join(f"  {case}: twice{case[len('double'):]}\n" for case in sorted(CASES))
        (self.repository / "kernels/perf.yaml").write_text(text, encoding="utf-8")
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        self.assert_slower(
            self.ask(1, "ab", "HEAD~1", ".")[1], {case.replace("double", "twice") for case in CASES}
        )

    def test_a_side_that_cannot_be_built_is_an_error_with_the_compilers_words(self):
        self.edit("kernels/double.c", "return PLUMBLINE_OK;\n}\n\nstatic void", "return PLUMBLINE_KO;\n}\n\nstatic void")
        done = self.plumbline("ab", "HEAD~1", ".", *UNCHANGED, cwd=self.repository)
        self.expect(2, done, "the present folder cannot be built", "PLUMBLINE_KO", "the whole log is")
        self.edit("kernels/double.c", "PLUMBLINE_KO", "PLUMBLINE_OK")
        done = self.plumbline("ab", "HEAD~1", ".", *UNCHANGED, cwd=self.repository)
        self.expect(2, done, "HEAD~1 cannot be built", "PLUMBLINE_KO")
        self.assertFalse((self.repository / "runs").exists())

    def test_names_that_mean_nothing_or_two_things_are_said(self):
        done = self.plumbline("ab", "nowhere", ".", cwd=self.repository)
        self.expect(2, done, f"'nowhere' is no folder, no worker and no revision of {self.repository}")
        done = self.plumbline("ab", "HEAD", "plumbline.yaml", cwd=self.repository)
        self.expect(2, done, "'plumbline.yaml' is no folder, no revision, and no worker", "cannot be executed")
        self.git("branch", "kernels")
        done = self.plumbline("ab", "kernels", ".", cwd=self.repository)
        self.expect(2, done, "'kernels' is a folder here and a revision", "./kernels")
        done = self.plumbline("ab", "HEAD", ".", "missing.yaml", cwd=self.repository)
        self.expect(2, done, "missing.yaml")
        done = self.plumbline("ab", "HEAD", ".", "--a-env", "NOTHING", cwd=self.repository)
        self.expect(2, done, "--a-env NOTHING: expected NAME=VALUE")


class Check(Sides):
    """Two runs of different times are compared before there are pairs. They differ more, so commits make 8 rounds."""

    def accepted(self):
        """A run of the present folder, accepted as the baseline."""
        subprocess.run(["make", "-s", "-C", "kernels"], cwd=self.repository, env=self.environment(), check=True)
        words = ["run", "--device", "cpu", "-o", self.folder / "accepted"]
        self.expect(0, self.plumbline(*words, cwd=self.repository))
        words = ["accept", self.folder / "accepted", "--author", "a test", "--why", "first"]
        words += ["--even-so", "a test"]
        self.expect(0, self.plumbline(*words, cwd=self.repository))

    def test_a_slow_commit_is_found_and_an_unchanged_one_passes(self):
        self.accepted()
        self.commit("nothing")
        _, findings, _ = self.ask({0, 3}, "check", "--baseline-ref", "HEAD~1")  # 3: a busy machine is too noisy
        self.assertLessEqual({finding["verdict"] for finding in findings.values()}, CALM)
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        done, findings, _ = self.ask(1, "check", "--baseline-ref", "HEAD~1")
        self.assert_slower(findings, factor=8)
        self.assertIn("confirmed: 2.", done.stdout)
        # The factor is the commit's: the baseline's side, measured today, does not show it.
        for finding in findings.values():
            self.assertLess(3 * finding["baseline_today"], finding["candidate"], finding)

    def test_a_candidate_that_crashes_in_every_case_is_broken(self):
        self.edit("kernels/double.c", "int pass = 0; pass <", "int pass = (abort(), 0); pass <")
        _, findings, _ = self.ask(1, "check", "--baseline-ref", "HEAD~1")
        self.assertEqual({finding["verdict"] for finding in findings.values()}, {"BROKEN"})

    def test_without_an_accepted_baseline_pairs_judge_every_case(self):
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        done, findings, _ = self.ask(1, "check", "--baseline-ref", "HEAD~1")
        self.assert_slower(findings)
        self.assertIn("No baseline is accepted", done.stdout)

    def test_the_same_bytes_on_both_sides_although_hashes_differ_are_refused(self):
        self.accepted()
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        done, findings, _ = self.ask(3, "check", "--baseline-tree", ".")
        for case in CASES:
            self.assertEqual(findings[case]["verdict"], "NOT_JUDGED")
            self.assertIn("both sides of the pairs ran the same bytes", findings[case]["reason"])
            self.assertIn("kernels/build/libdouble.so", findings[case]["reason"])
        self.assertNotIn("SAME", done.stdout)
        self.assertNotIn("environment moved", done.stdout)

    def test_a_side_that_is_not_what_was_accepted_is_compared_with_in_pairs_alone(self):
        self.accepted()
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        self.edit("kernels/work.h", "ROUNDS 8", "ROUNDS 1")
        # Like the accepted result, so that no case looks changed; but unlike the named side.
        done, findings, _ = self.ask(0, "check", "--baseline-ref", "HEAD~1", pairs=CHANGED)
        self.assertEqual({finding["verdict"] for finding in findings.values()}, {"FASTER"})
        self.assertIn("does not hold the code that was accepted: all 2 cases", done.stdout)

    def test_what_the_environment_moved_is_told_from_what_the_commit_moved(self):
        self.accepted()
        self.commit("nothing")
        done, findings, _ = self.ask({0, 3}, "check", "--baseline-ref", "HEAD~1", REPEAT="8")
        self.assertLessEqual({finding["verdict"] for finding in findings.values()}, CALM)
        self.assertIn("The environment moved, not the commit alone", done.stdout)


class Gate(Sides):
    def gate(self, code, text, pairs=CHANGED, **variables):
        variables = self.environment(
            PLUMBLINE=str(planted.BIN / "plumbline"), GATE_DEVICE="cpu", **variables
        )
        done = subprocess.run(
            [planted.ROOT / "ci" / "gate.sh", "main", *pairs], cwd=self.repository, env=variables,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(text, done.stdout + done.stderr)
        return done

    def test_a_branch_of_a_users_repository_is_judged_against_where_it_left(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.commit("nothing")
        self.gate(0, "no case is slower", UNCHANGED)
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 2")
        self.gate(1, "Slower: ")
        self.edit("kernels/work.h", "ROUNDS 2", "ROUNDS TWO")
        self.gate(2, "cannot be built")


if __name__ == "__main__":
    planted.main()
