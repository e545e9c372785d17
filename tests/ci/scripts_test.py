#!/usr/bin/python3
"""ci/nightly.sh and ci/gate.sh in a tree of their own, with a worker that invents its times.

tests/e2e uses real workers.

usage: scripts_test.py PLUMBLINE
"""

import fcntl
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
FAKE_WORKER = TESTS / "support" / "fake_worker.py"
PROGRAM = None  # from the command line
TIMEOUT_S = 120

# The worker of a tree is as slow as the tree's file `slowdown` says, or `local`, which git ignores.
BUILD = """#!/bin/sh
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$tree/build/bin"
ln -sf "{program}" "$tree/build/bin/plumbline"
printf '#!/bin/sh\\nFAKE_WORKER_FACTOR=%s exec "{worker}" "$@"\\n' "$(cat "$tree/local" 2>/dev/null || cat "$tree/slowdown")" \\
  > "$tree/build/bin/plumbline-worker.new"
chmod +x "$tree/build/bin/plumbline-worker.new"
mv "$tree/build/bin/plumbline-worker.new" "$tree/build/bin/plumbline-worker"
"""
HANG = '[["n=16", "hang"]]'


def without_next(pages):
    """Pages of commits without the links to the next commit, which is added later."""
    link = rb'no commit after|<a href="[0-9a-f]+\.html" rel="next.*?</a>'
    return {name: re.sub(link, b"", page) for name, page in pages.items()}


class Scripts(unittest.TestCase):
    TREE = "tree"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / self.TREE
        shutil.copytree(TESTS.parent / "ci", self.tree / "ci")
        (self.tree / "suites").mkdir()
        shutil.copytree(TESTS / "golden/cli/fixtures", self.folder / "fixtures")
        (self.tree / "suites/nightly").mkdir()
        shutil.copy(self.folder / "fixtures/demo.yaml", self.tree / "suites/nightly")
        self.plant("scripts/build", BUILD.format(program=PROGRAM, worker=FAKE_WORKER), 0o755)
        self.plant("plumbline.yaml", "build: scripts/build plumbline-worker\n")
        self.plant("slowdown", "1")
        self.plant(".gitignore", "/build/\n/runs/\n/site/\n/baselines/\n/local\n")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "NO_COLOR": "1",
            "PLUMBLINE_CACHE": str(self.folder / "cache"), "PLUMBLINE_LOCKS": str(self.folder / "locks"),
            "GIT_CEILING_DIRECTORIES": str(self.folder), "GATE_DEVICE": "cpu",
            "PLUMBLINE_WORKER": str(self.tree / "build/bin/plumbline-worker"),
            "GATE_SUITES": str(self.tree / "suites/nightly"),
        }
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("first")

    def plant(self, name, text, mode=0o644):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    def git(self, *words):
        words = ["git", "-c", "user.name=A. Tester", "-c", "user.email=a@b", *words]
        done = subprocess.run(words, cwd=self.tree, env=self.environment, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)

    def begin(self, script, *more, **variables):
        process = subprocess.Popen(
            [self.tree / "ci" / script, *more], cwd=self.folder, env=self.environment | variables,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process, code, *texts):
        """Returns the error output. Checks that the output is one line with the texts and the code."""
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, code, out + err)
        if texts:
            self.assertEqual(out.count("\n"), 1, out)
        for text in (*texts, f"exit code {code}") if texts else ():
            self.assertIn(text, out)
        return out, err

    def hanging(self, script, *more, **variables):
        """A script whose worker hangs in a case, and its children, watched by pidfds."""
        fifo = self.folder / "ready"
        os.mkfifo(fifo)
        process = self.begin(script, *more, FAKE_WORKER=HANG, FAKE_WORKER_READY=str(fifo), **variables)
        with open(fifo) as ready:
            self.assertEqual(ready.read(), "hangs")
        fifo.unlink()
        text = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        return process, [os.pidfd_open(int(pid)) for pid in text.split()]

    def kill(self, process, children):
        """Kills only the script; everything that it started must end."""
        self.assertTrue(children)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=TIMEOUT_S)
        for child in children:
            self.assertTrue(select.select([child], [], [], TIMEOUT_S)[0], "something outlives the script")
            os.close(child)

    def rows(self, run):
        return (run / "results.csv").read_text(encoding="utf-8").splitlines()


class Nightly(Scripts):
    def night(self, name, code, *texts):
        return self.end(self.begin("nightly.sh", "--trust-screen", NIGHTLY_NAME=name), code, *texts)

    def run_of(self, name):
        return self.tree / "runs" / f"{name}-cpu"

    def pages(self):
        return {path.name: path.read_bytes() for path in (self.tree / "site/commits").glob("*.html")}

    def first_and_accepted(self):
        out, _ = self.night("first", 3, "no accepted baseline", " accept ")
        words = re.search(r"(\S+ accept \S+ --baselines \S+);", out)[1].split()
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done)

    def test_the_second_of_two_nights_tells_the_planted_slowdown_and_adds_a_page(self):
        self.first_and_accepted()
        self.night("quiet", 0, "no case is slower")
        before = self.pages()
        self.plant("slowdown", "1.5")
        self.commit("Slower & <worse>")
        self.night("slow", 1, "Slower: ")
        after = self.pages()
        self.assertEqual((len(before), len(after)), (2, 3))
        # A page links to the next commit's page; otherwise it stays the same.
        self.assertEqual(without_next(before), without_next({name: after[name] for name in before}))
        index = (self.tree / "site/index.html").read_text(encoding="utf-8")
        self.assertIn("<h1>1 regression is open: ", index)
        self.assertIn("Slower: softmax is 50", index)
        self.assertIn("Slower &amp; &lt;worse&gt;", index)
        for name in ("report.html", "comparison.json", "verdict.md", "junit.xml"):
            self.assertTrue((self.run_of("slow") / name).stat().st_size > 0, name)

    def test_a_first_night_that_is_too_noisy_is_not_proposed_to_be_accepted(self):
        noisy = {"FAKE_WORKER_SCATTER": "0.5", "NIGHTLY_NAME": "noisy"}
        out, _ = self.end(self.begin("nightly.sh", **noisy), 3, "cannot become a baseline", "too noisy", "run again", "--even-so")
        self.assertNotIn(" accept ", out.split("To accept it")[0])
        self.assertFalse((self.tree / "baselines").exists())

    def test_devices_are_those_of_the_worker_that_measures(self):
        # Beside the program lies no worker: plumbline.yaml names it, or $PLUMBLINE_WORKER.
        alone = self.folder / "alone/bin"
        alone.mkdir(parents=True)
        shutil.copy2(PROGRAM, alone)
        (alone.parent / "lib").symlink_to(PROGRAM.parent.parent / "lib")
        del self.environment["PLUMBLINE_WORKER"]
        gpus = json.dumps([[f"cuda:{i}", f"GPU-{i}", "Fake GPU"] for i in range(2)])
        self.plant("scripts/build", "#!/bin/sh\n", 0o755)
        self.plant("plumbline.yaml", f"worker: {FAKE_WORKER}\n")
        more = {"PLUMBLINE": str(alone / "plumbline"), "FAKE_WORKER_DEVICES": gpus}
        self.end(self.begin("nightly.sh", NIGHTLY_NAME="named", **more), 3, "cuda:0: ", "cuda:1: ")
        self.plant("plumbline.yaml", "runs: runs\n")
        more |= {"PLUMBLINE_WORKER": str(FAKE_WORKER), "NIGHTLY_NAME": "set"}
        self.end(self.begin("nightly.sh", **more), 3, "cuda:0: ", "cuda:1: ")

    def test_a_night_that_is_done_is_told_again_and_not_measured_again(self):
        self.night("first", 3, "no accepted baseline")
        before = (self.run_of("first") / "results.csv").stat()
        _, err = self.night("first", 3, "no accepted baseline")
        self.assertIn("not measured again", err)
        self.assertEqual((self.run_of("first") / "results.csv").stat(), before)

    def test_killed_half_way_the_same_call_goes_on_and_measures_nothing_twice(self):
        self.kill(*self.hanging("nightly.sh"))
        [run] = [path for path in (self.tree / "runs").iterdir() if path.is_dir()]
        before = self.rows(run)
        self.assertFalse((run / "exit_code").exists())
        # It began yesterday, and is continued today.
        begun = run.with_name("2020-01-01" + run.name[10:])
        run.rename(begun)
        self.end(self.begin("nightly.sh"), 3, "no accepted baseline", begun.name)
        after = self.rows(begun)
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(len(after), len(set(after)))
        self.assertEqual(len(after), 1 + 5 * 2 + 1)  # the header; two rounds; the excluded case
        self.assertEqual([path for path in (self.tree / "runs").iterdir() if path.is_dir()], [begun])

    def test_killed_after_measuring_it_is_only_judged(self):
        self.first_and_accepted()
        self.night("next", 0, "no case is slower")
        run = self.run_of("next")
        for name in ("exit_code", "comparison.json", "report.html", "verdict.md", "junit.xml"):
            (run / name).unlink()
        before = (run / "results.csv").stat()
        _, err = self.night("next", 0, "no case is slower")
        self.assertIn("is already measured", err)
        self.assertEqual((run / "results.csv").stat(), before)
        self.assertTrue((run / "report.html").exists())

    def test_of_two_at_once_the_second_names_the_first_and_measures_nothing(self):
        process, children = self.hanging("nightly.sh", NIGHTLY_NAME="one")
        _, err = self.night("two", 2, "not finished")
        self.assertRegex(err, r"is in use by 'plumbline .*one-cpu.*process \d+")
        self.assertFalse(self.run_of("two").exists())
        self.kill(process, children)

    def test_a_second_call_of_the_same_night_leaves_the_log_of_the_first(self):
        process, children = self.hanging("nightly.sh", NIGHTLY_NAME="one")
        log = self.tree / "runs/one-cpu.log"
        log.write_text("said before\n" + log.read_text(encoding="utf-8"), encoding="utf-8")
        self.night("one", 2, "not finished")
        self.assertIn("said before", log.read_text(encoding="utf-8"))
        self.kill(process, children)

    def test_what_fails_beside_the_measurement_is_two_and_is_not_remembered(self):
        self.first_and_accepted()
        self.plant("slowdown", "1.5")
        # Neither the log nor the mark of a finished night can be written: /dev/full stands for a full disk.
        (self.tree / "runs/full-cpu.log").symlink_to("/dev/full")
        _, err = self.night("full", 2, "not finished")
        self.assertIn("full-cpu.log", err)
        self.assertFalse((self.run_of("full") / "exit_code").exists())
        (self.tree / "runs/full-cpu.log").unlink()
        (self.run_of("full") / "exit_code.tmp").symlink_to("/dev/full")
        _, err = self.end(self.begin("nightly.sh", NIGHTLY_NAME="full"), 2)
        self.assertIn("cannot write", err.splitlines()[-1])
        self.assertFalse((self.run_of("full") / "exit_code").exists())
        (self.run_of("full") / "exit_code.tmp").unlink()
        self.night("full", 1, "Slower: ")

    def test_folders_that_cannot_be_made_and_names_that_are_none_are_two(self):
        self.plant("file", "")
        _, err = self.end(self.begin("nightly.sh", NIGHTLY_RUNS=str(self.tree / "file/runs")), 2)
        self.assertTrue(err.splitlines()[-1].startswith("ci/nightly.sh: "), err)
        _, err = self.end(self.begin("nightly.sh", NIGHTLY_NAME="feature/x"), 2)
        self.assertIn("NIGHTLY_NAME", err)
        self.assertFalse((self.tree / "runs/feature").exists())

    def test_a_mistake_is_two_is_not_remembered_and_does_not_hide_other_devices(self):
        self.plant("suites/nightly/demo.yaml", "suite: demo\nbenchmarks: 3\n")
        self.night("bad", 2, "not finished")
        self.assertFalse(self.run_of("bad").exists())
        self.end(self.begin("nightly.sh", NIGHTLY_NAME="bad", NIGHTLY_DEVICES="cpu cuda:7"), 2, "cpu: ", "cuda:7: ")


class Gate(Scripts):
    def gate(self, code, *texts, **variables):
        process = self.begin("gate.sh", "main", "--looks", "6", "--controls", "0", **variables)
        return self.end(process, code, *texts)

    def folders(self):
        return {path.name for path in (self.tree / "runs/gate").iterdir() if path.is_dir()}

    def test_a_branch_that_slows_cases_is_told_and_one_that_does_not_passes(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.commit("nothing")
        self.gate(0, "no case is slower")
        self.plant("slowdown", "1.5")
        self.commit("slower")
        out, _ = self.gate(1, "Slower: ")
        folder = pathlib.Path(re.search(r"(\S+)/report\.html", out)[1])
        self.assertIn("**SLOWER**", (folder / "verdict.md").read_text(encoding="utf-8"))
        # Uncommitted changes are measured, too.
        self.plant("slowdown", "1")
        self.gate(0, "no case is slower")

    def test_killed_half_way_the_same_call_measures_anew_beside_what_it_left(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.plant("slowdown", "1.5")
        self.commit("slower")
        self.kill(*self.hanging("gate.sh", "main", "--looks", "6", "--controls", "0"))
        [left] = [path for path in (self.tree / "runs/gate").iterdir() if path.is_dir()]
        self.gate(1, "Slower: ", f"{left.name}-2/report.html")
        self.assertIsNone(json.loads((left / "a/run.json").read_text())["finished_at"])

    def test_a_checkout_of_the_base_that_was_interrupted_is_completed(self):
        base = self.git("rev-parse", "main")
        tree = self.folder / "cache/trees" / base
        self.git("worktree", "add", "--detach", "--no-checkout", str(tree), base)
        self.git("checkout", "--quiet", "-b", "topic")
        self.gate(0, "no case is slower")
        self.assertTrue((tree / "scripts/build").exists())

    def test_every_call_measures_as_a_build_reads_more_than_git_knows(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.gate(0, "no case is slower")
        self.plant("local", "1.5")
        self.gate(1, "Slower: ")
        self.assertEqual(len(self.folders()), 2)

    def test_a_tree_of_the_base_whose_clone_is_gone_is_made_anew(self):
        base = self.git("rev-parse", "main")
        tree = self.folder / "cache/trees" / base
        gone = self.folder / "gone"
        self.git("clone", "--quiet", str(self.tree), str(gone))
        self.git("-C", str(gone), "worktree", "add", "--quiet", "--detach", str(tree), base)
        shutil.rmtree(gone)
        self.git("checkout", "--quiet", "-b", "topic")
        self.gate(0, "no case is slower")
        self.assertEqual(self.git("-C", str(tree), "rev-parse", "HEAD"), base)

    def test_a_tree_that_another_gate_makes_is_waited_for(self):
        trees = self.folder / "cache/trees"
        trees.mkdir(parents=True)
        with open(trees / (self.git("rev-parse", "main") + ".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = self.begin("gate.sh", "main", "--looks", "6", "--controls", "0")
            for line in process.stderr:
                if "waiting" in line:
                    break
            else:
                self.fail("the gate did not wait")
            self.assertEqual([path.suffix for path in trees.iterdir()], [".lock"])
        self.end(process, 0, "no case is slower")

    def test_mistakes_are_two_and_say_what_to_do(self):
        self.plant("file", "")
        self.end(self.begin("gate.sh", "main", GATE_RUNS=str(self.tree / "file/runs")), 2)
        (self.tree / "file").unlink()
        self.assertIn("name the branch", self.end(self.begin("gate.sh"), 2)[1])
        self.assertIn("no common commit of nowhere", self.end(self.begin("gate.sh", "nowhere"), 2)[1])
        self.plant("scripts/build", "#!/bin/sh\nexit 2\n", 0o755)
        self.commit("breaks")
        self.assertIn("does not build", self.end(self.begin("gate.sh", "main"), 2)[1])


class CheckoutWithABlank(Scripts):
    TREE = "my tree"

    def test_both_scripts_find_their_suites(self):
        del self.environment["GATE_SUITES"]
        shutil.copy(self.tree / "suites/nightly/demo.yaml", self.tree / "suites/quick.yaml")
        self.commit("quick")
        self.end(self.begin("nightly.sh", NIGHTLY_NAME="first"), 3, "no accepted baseline")
        self.end(self.begin("gate.sh", "main", "--looks", "6", "--controls", "0"), 0, "5 cases")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
