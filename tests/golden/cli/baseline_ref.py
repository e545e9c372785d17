"""What `plumbline check` records about itself, and the baseline's side that it checks out and builds.

Runs `plumbline` with tests/support/fake_worker.py, and with a `build:` that makes a worker for each side.
"""

import json
import os
import subprocess
import time

import fault_test

CHECK = ["check", "demo.yaml", "--baselines", "accepted"]


class Doubts(fault_test.FaultTest):
    def setUp(self):
        super().setUp()
        self.expect(0, "run", "demo.yaml", "-o", "first")
        self.expect(0, "accept", "first", "--baselines", "accepted", "--author", "me", "--why", "first")

    def expect(self, wanted, *arguments, **options):
        code, out, err = self.plumbline(*arguments, **options)
        self.assertEqual(code, wanted, out + err)
        return out, err

    def findings(self, run):
        comparison = json.loads((self.work / run / "comparison.json").read_text())
        return {finding["case"]: finding for finding in comparison["findings"]}

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)


class Recorded(Doubts):
    def test_a_finished_check_of_another_command_is_not_taken_up(self):
        self.expect(0, *CHECK, "-o", "quiet")
        _, err = self.expect(2, *CHECK, "-o", "quiet", "--resume", "--rounds", "5")
        self.assertIn("this is not the command that the run was started with", err)

    def test_the_command_is_recorded_as_it_was_typed_and_what_it_asked_for_as_values(self):
        (self.work / "runs").mkdir()
        self.expect(
            0, *CHECK, "-o", "asked", "--runs", ".", "--history", "--markdown", "m.md", "--junit=j.xml",
            "--sarif", "s.json", "--github", "--controls", "0", "--rounds", "2",
        )
        run = json.loads((self.work / "asked" / "run.json").read_text())
        self.assertEqual(run["command"][1], "check")
        self.assertEqual(run["asked"]["policy"], {"rounds": "2"})
        self.assertEqual(run["asked"]["suites"], [str(self.work / "demo.yaml")])
        _, err = self.expect(0, *run["command"][1:], "--resume")
        self.assertIn("asked is already measured", err)


class BaselineRef(Doubts):
    """A tiny repository whose `build:` makes a worker."""

    def setUp(self):
        super().setUp()
        self.environment["GIT_CONFIG_GLOBAL"] = os.devnull
        self.git("init", "-q", "-b", "main")
        (self.work / ".gitignore").write_text("*\n!demo.yaml\n!plumbline.yaml\n!scripts/\n!scripts/build\n")
        (self.work / "plumbline.yaml").write_text("build: scripts/build plumbline-worker\n")
        self.commit("echo building $1; mkdir -p build/bin; echo once >>../built\n"
                    f"printf '#!/bin/sh\\nFAKE_WORKER_FACTOR=1 exec {fault_test.FAKE_WORKER} \"$@\"\\n' >build/bin/$1\n"
                    "chmod +x build/bin/$1\n")
        self.git("tag", "good")

    def git(self, *words):
        who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
        return subprocess.run(
            ["git", "-C", self.work, *who, *words], env=self.environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, build):
        self.program(self.work / "scripts/build", '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\n' + build)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a build")

    def built(self):
        return (self.folder / "cache/trees/built").read_text().split()

    def check(self, wanted, ref, run, *more):
        return self.expect(
            wanted, *CHECK, "-o", run, "--baseline-ref", ref, "--looks", "6", "--no-build", *more
        )

    def test_the_commit_is_built_once_and_measured_beside_in_pairs(self):
        _, err = self.check(1, "good", "slower", "--b-env", "FAKE_WORKER_FACTOR=1.5")
        self.assertIn("building good in ", err)
        for finding in self.findings("slower").values():
            self.assertEqual(finding["verdict"], "SLOWER")
            self.assertEqual(finding["pairs"], 6)
        tree = json.loads((self.work / "slower/pairs/a/run.json").read_text())["environment"]
        self.assertEqual(tree["commit"], self.git("rev-parse", "good"))
        _, err = self.check(0, "HEAD", "quiet")
        self.assertNotIn("building", err)
        self.assertEqual(self.built(), ["once"])

    def test_a_build_that_was_cut_short_is_made_again(self):
        self.check(0, "good", "quiet")
        done = list((self.folder / "cache/trees").glob("*.done"))
        self.assertEqual(len(done), 1)
        done[0].unlink()
        self.check(0, "good", "again")
        self.assertEqual(self.built(), ["once", "once"])

    def test_two_checks_at_once_build_it_once(self):
        # The first waits in its build until the second has reported that it also waits.
        fifo = self.folder / "go"
        os.mkfifo(fifo)
        self.commit((self.work / "scripts/build").read_text().split("\n", 3)[3] + f"read word <{fifo}\n")
        def command(name, device):
            sides = [word for side in "ab" for word in (f"--{side}-env", f"FAKE_WORKER_UUID={device}")]
            return [*CHECK, "--baseline-ref", "main", "--looks", "6", "--no-build", *sides, "-o", name]

        first = self.start(*command("one", "FAKE-1"))
        for line in first.stderr:
            if "building main" in line:
                break
        second = self.start(*command("two", "FAKE-2"))
        for line in second.stderr:
            if "another command makes" in line:
                break
        else:
            self.fail("the second check did not wait")
        fifo.write_text("go\n")
        for process in (first, second):
            code, out, err = self.finish(process)
            self.assertIn(code, {0, 3}, out + err)  # 3: not the baseline's device
        self.assertEqual(self.built(), ["once"])

    def test_trees_stay_until_gc_removes_those_that_were_not_used(self):
        self.check(0, "good", "quiet")
        trees = self.folder / "cache/trees"
        [lock] = trees.glob("*.lock")
        tree = lock.with_suffix("")
        self.commit((self.work / "scripts/build").read_text().split("\n", 3)[3] + "true\n")
        then = time.time() - 40 * 24 * 3600
        os.utime(lock, (then, then))
        self.check(0, "main", "later")
        self.assertTrue(tree.exists())
        code, _, err = self.plumbline("gc")
        self.assertEqual((code, tree.exists()), (0, False), err)
        self.assertFalse(lock.with_suffix(".done").exists())
        self.check(0, "good", "again")
        self.assertTrue(tree.exists())

    def test_no_such_commit_is_said(self):
        _, err = self.check(2, "nowhere", "never")
        self.assertIn(f"'nowhere' is no folder, no worker and no revision of {self.work}", err)
        self.assertFalse((self.work / "never").exists())

    def test_a_build_that_fails_names_its_log(self):
        self.commit("echo building; echo no compiler here; exit 3\n")
        _, err = self.check(2, "main", "never")
        log = next((self.folder / "cache/trees").glob("*.log"))
        self.assertIn("main cannot be built: `scripts/build plumbline-worker` in", err)
        self.assertIn(f"exited with code 3. Its last lines:\n  building\n  no compiler here\nthe whole log is {log}", err)
        self.assertFalse((self.work / "never").exists())
        self.check(2, "main", "never")  # and is tried again

    def test_a_build_without_a_worker_of_its_own_is_measured_by_the_running_programs(self):
        self.commit("true\n")
        self.check(0, "main", "quiet")
        tree = json.loads((self.work / "quiet/pairs/a/run.json").read_text())["environment"]
        self.assertEqual(tree["commit"], self.git("rev-parse", "main"))

    def test_a_revision_that_does_not_say_how_it_is_built_is_built_as_the_present_folder(self):
        self.git("rm", "-q", "--cached", "plumbline.yaml")
        self.git("commit", "-q", "-m", "none")
        _, err = self.check(1, "main", "slower", "--b-env", "FAKE_WORKER_FACTOR=1.5")
        self.assertIn("main does not say how it is built", err)
        self.assertEqual(self.built(), ["once"])

    def test_a_suite_outside_of_the_repository_is_read_by_both_sides_and_that_is_said(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "demo.yaml").write_text((self.work / "demo.yaml").read_text())
        _, err = self.expect(0, "check", str(outside / "demo.yaml"), "--baseline-ref", "main", "--looks", "6", "--no-build")
        self.assertIn("demo.yaml lies in neither side: both read it", err)

    def test_an_interrupt_stops_the_build(self):
        self.commit("mkfifo never; kill -INT $(awk '{print $4}' /proc/$PPID/stat); read word <never\n")
        self.check(130, "main", "never")
        self.assertEqual(list((self.folder / "cache/trees").glob("*.done")), [])


if __name__ == "__main__":
    fault_test.main()
