#!/usr/bin/python3
"""--sandbox: code that overwrites results, reads tokens, calls a server, kills its parent, leaves processes behind and
writes into the tree is stopped. Each fault is planted, and tried without the sandbox too, where it succeeds.

Real workers, on the CPU. Needs a Python that has torch; CTest runs it with one.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import planted
from fault_rows import injected
from strangers import BOMB, MEASURE, MISTAKE, TOKEN, Repository, can_sandbox, end_left_behind, left_behind

OUT_OF_REACH = "nothing outside of the sandbox is read, written or ended"


class Workers(Repository):
    """`run`."""

    def assert_all_ended(self):
        """The kernel ends the processes of a sandbox a moment after its first one."""
        until = time.monotonic() + 10
        while left_behind() and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(left_behind(), [])

    def test_without_it_the_planted_code_reaches_everything(self):
        self.expect(0, self.ran(["spying"]))
        self.assertEqual(
            self.spied(),
            {"variable": TOKEN, "proc": "reached", "home": TOKEN, "git": TOKEN}
            | {"network": "reached", "tree": "reached"},
        )
        self.assertGreater(self.server.calls(), 0)
        self.assertTrue((self.tree / "was-here").exists())

    @injected("reads tokens, calls a server, writes into the tree", "while a case runs", "refused", OUT_OF_REACH)
    def test_tokens_home_network_and_tree_are_out_of_reach(self):
        self.expect(0, self.ran(["spying"], "--sandbox"))
        found = self.spied()
        self.assertEqual((found["variable"], found["proc"]), ("nothing", "nothing"))
        self.assertEqual(found["rights"], "none")
        for what in ("home", "git", "network", "tree", "kernel", "bwrap"):
            self.assertTrue(found[what].startswith("refused"), found)
        self.assertEqual(self.server.calls(), 0)
        self.assertFalse((self.tree / "was-here").exists())

    @injected("overwrites results.csv and run.json", "while a case runs", "refused", OUT_OF_REACH)
    def test_results_cannot_be_overwritten(self):
        self.ran(["spoiling"])
        self.assertIn("SPOIL reached", self.log())
        self.assertIn("spoiled", (self.folder / "run" / "results.csv").read_text())
        self.expect(0, self.ran(["spoiling"], "--sandbox"))
        self.assertIn("SPOIL refused", self.log())
        for name in ("results.csv", "run.json"):
            self.assertNotIn("spoiled", (self.folder / "run" / name).read_text())

    @injected("kills its parent", "while a case runs", "refused", OUT_OF_REACH)
    def test_the_parent_cannot_be_killed(self):
        self.assertEqual(self.ran(["killing"]).returncode, -signal.SIGKILL)
        self.expect(0, self.ran(["killing"], "--sandbox"))

    @injected("leaves processes behind", "at the end of a worker", "ended", OUT_OF_REACH)
    def test_processes_end_with_their_worker(self):
        self.addCleanup(end_left_behind)
        self.expect(0, self.ran(["leaving"]))
        self.assertGreaterEqual(len(left_behind()), BOMB)
        end_left_behind()
        self.assert_all_ended()
        self.expect(0, self.ran(["leaving"], "--sandbox"))
        self.assert_all_ended()

    @injected("hangs, with processes beside it", "at the time limit", "TIMEOUT, all ended", OUT_OF_REACH)
    def test_a_time_limit_ends_all_processes_of_a_case(self):
        self.plant("tree/ops.py", (self.tree / "ops.py").read_text() + textwrap.dedent("""
            def hanging(x):
                leaving(x)
                while True:
                    signal.pause()
        """))
        self.addCleanup(end_left_behind)
        self.expect(1, self.ran(["hanging"], "--sandbox", "--timeout-s", "20"))
        self.assertEqual(planted.read_rows(self.folder / "run")[0]["status"], "TIMEOUT")
        self.assert_all_ended()

    def test_statuses_are_those_of_a_run_without_it(self):
        names = ["honest", "crashing"]
        statuses = []
        for more in ((), ("--sandbox",)):
            self.expect(1, self.ran(names, *more))
            rows = planted.read_rows(self.folder / "run")
            statuses.append({row["case"]: row["status"] for row in rows})
            crashed = next(row["reason"] for row in rows if row["status"] == "CRASHED")
            self.assertIn("killed by signal 11 (SIGSEGV)", crashed)
        self.assertEqual(statuses[0], statuses[1])
        self.assertEqual(set(statuses[0].values()), {"OK", "CRASHED"})

    def test_ops_of_the_catalogue_run_in_it(self):
        suite = self.plant("tree/healthy.yaml", planted.healthy())
        run = self.folder / "healthy"
        self.expect(0, self.command("run", suite, "--device", "cpu", "-o", run, "--sandbox"))
        self.assertEqual({row["status"] for row in planted.read_rows(run)}, {"OK"})
        self.assertIn("--sandbox", json.loads((run / "run.json").read_text())["command"])

    def test_ranks_of_a_network_talk_over_its_loopback(self):
        self.plant("tree/net.py", textwrap.dedent("""
            from torch import nn

            class Net(nn.Linear):
                def __init__(self):
                    super().__init__(64, 10)

                def forward(self, x):
                    return super().forward(x)
        """))
        suite = self.plant("tree/net.yaml", f"""
suite: net
measure: {{{MEASURE}}}
benchmarks:
  - {{op: module, name: net, source: net.py, function: Net, args: {{x: 'randn[32, 64]'}},
     sweep: {{dtype: float32, step: inference, ranks: 2}}}}
""")
        run = self.folder / "net"
        self.expect(0, self.command("run", suite, "--device", "cpu", "-o", run, "--sandbox"))
        self.assertEqual({row["status"] for row in planted.read_rows(run)}, {"OK"})

    @injected("acts while an extension is loaded", "at a worker's start", "confined", OUT_OF_REACH)
    def test_an_extension_is_loaded_inside(self):
        for more in ([], ["--sandbox"]):
            mark, library = self.marking(f"mark-{len(more)}")
            suite = self.plant("tree/any.yaml", planted.suite_text("any", [
                "  - {op: 'aten::relu', args: {self: 'randn[n]'}, sweep: {n: [100], dtype: [float32]}}\n"]))
            self.expect(0, self.command(
                "run", suite, "--device", "cpu", "--extension", library, "-o", self.folder / f"any-{len(more)}", *more))
            self.assertEqual(mark.exists(), not more)

    @injected("acts while a suite in Python is read", "before the run", "confined", OUT_OF_REACH)
    def test_a_suite_in_python_is_read_inside(self):
        suite = self.plant("tree/suite.py", textwrap.dedent("""
            import pathlib
            import plumbline_gpu, torch
            try:
                (pathlib.Path(__file__).resolve().parent / "was-here").write_text("")
            except OSError:
                pass

            @plumbline_gpu.case({"n": [1000]})
            def relu(n):
                return torch.relu, torch.randn(n)
        """))
        mark = self.tree / "was-here"
        self.command("run", suite, "--device", "cpu", "--dry-run")
        self.assertTrue(mark.exists())
        mark.unlink()
        self.command("run", suite, "--device", "cpu", "--dry-run", "--sandbox")
        self.assertFalse(mark.exists())

    def test_a_missing_bwrap_is_a_mistake_before_anything_runs(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "git").symlink_to(shutil.which("git"))
        done = self.ran(["spying"], "--sandbox", PATH=str(tools))
        self.expect(MISTAKE, done, "there is no `bwrap` on PATH", "apt-get install bubblewrap")
        self.assertFalse((self.folder / "run").exists())

    def test_a_bwrap_that_may_not_is_a_mistake_before_anything_runs(self):
        says = "No permissions to create a new namespace"
        refusing = self.plant("tools/bwrap", f"#!/bin/sh\necho 'bwrap: {says}' >&2\nexit 1\n")
        refusing.chmod(0o755)
        tools = f"{refusing.parent}:{os.environ['PATH']}"
        for command in (["run", "others.yaml"], ["check", "others.yaml"], ["ab", ".", "HEAD", "others.yaml"]):
            self.suite("spying")
            done = self.command(*command, "--device", "cpu", "--sandbox", PATH=tools)
            self.expect(MISTAKE, done, says, "user namespaces")
        self.assertFalse((self.tree / "was-here").exists())
        self.assertEqual(self.server.calls(), 0)

    def test_a_tree_that_holds_the_home_is_a_mistake(self):
        done = self.ran(["honest"], "--sandbox", HOME=str(self.tree / "home"))
        self.expect(MISTAKE, done, "holds a home")

    def test_options_that_do_not_go_with_it_are_mistakes(self):
        self.expect(MISTAKE, self.ran(["honest"], "--sandbox", "--lock-clocks", "base"), "--lock-clocks")
        self.expect(MISTAKE, self.ran(["honest"], "--sandbox-read", "/usr"), "only for --sandbox")

    def test_more_is_shown_if_asked_for(self):
        shown = self.plant("home/shown/text", "seen")
        self.plant("tree/ops.py", textwrap.dedent(f"""
            import pathlib
            def reading(x):
                assert pathlib.Path("{shown}").read_text() == "seen"
                return x * 2
        """))
        self.expect(1, self.ran(["reading"], "--sandbox"))
        self.expect(0, self.ran(["reading"], "--sandbox", "--sandbox-read", shown.parent))


class Sides(Repository):
    """`ab` and `build:`."""

    def pair(self, *words, slow=""):
        suite = self.plant("tree/work.yaml", planted.suite_text(
            "work", [planted.work([64, 128])], planted.MEASURE_WORK.replace("rounds: 3, ", "")))
        output = self.folder / f"pairs-{len(list(self.folder.glob('pairs-*')))}"
        done = self.command("ab", ".", ".", suite, "--device", "cpu", "--extension", planted.EXTENSION, "-o", output,
                            "--looks", "4,12,24", "--controls", "0", *words, *slow)
        return done, output

    def test_ab_finds_a_planted_slowdown(self):
        slow = [word for name, value in planted.slowed(128).items() for word in ("--b-env", f"{name}={value}")]
        done, output = self.pair("--sandbox", slow=slow)
        self.expect(1, done)
        verdicts = planted.verdicts(output / "comparison.json")
        slower = [case.rsplit("n=", 1)[1] for case, verdict in verdicts.items() if verdict == "SLOWER"]
        self.assertEqual(slower, ["128"], verdicts)

    def built(self, command, *more, **variables):
        self.plant("tree/plumbline.yaml", f"build: {json.dumps(command)}\n")
        self.suite("honest")
        output = self.folder / f"pairs-{len(list(self.folder.glob('pairs-*')))}"
        few = ["--looks", "3", "--controls", "0"]
        return self.command("ab", ".", ".", "others.yaml", "--device", "cpu", "-o", output, *few, *more, **variables)

    @injected("reads tokens, spoils an old run", "in `build:`", "refused", OUT_OF_REACH)
    def test_a_build_may_change_its_tree_and_nothing_else(self):
        outside = self.folder / "outside"
        command = (f"{{ echo > {outside}; cat {self.home}/credentials .git/credentials; echo $DEPLOY_TOKEN; "
                   "} > seen 2>/dev/null; echo spoiled > runs/old/results.csv; echo built > product")
        old = self.plant("tree/runs/old/results.csv", "as measured")
        self.assertIn(self.built(command).returncode, (0, 3))
        self.assertTrue(outside.exists())
        self.assertIn(TOKEN, (self.tree / "seen").read_text())
        self.assertEqual(old.read_text(), "spoiled\n")
        outside.unlink()
        old.write_text("as measured")
        (self.tree / "product").unlink()
        self.assertIn(self.built(command, "--sandbox").returncode, (0, 3))
        self.assertFalse(outside.exists())
        self.assertEqual(old.read_text(), "as measured")
        self.assertNotIn(TOKEN, (self.tree / "seen").read_text())
        self.assertEqual((self.tree / "product").read_text(), "built\n")

    def test_check_measures_a_revision_in_it(self):
        self.plant("tree/plumbline.yaml", "build: 'echo built > product'\n")
        self.suite("honest")
        self.git("add", "plumbline.yaml", "others.yaml")
        self.git("-c", "user.name=A. User", "-c", "user.email=a@user", "commit", "--quiet", "--message", "two")
        run, cache = self.folder / "run", self.folder / "cache"
        few = ["--looks", "3", "--controls", "0"]
        words = ["check", "others.yaml", "--baseline-ref", "HEAD", "--device", "cpu", "-o", run, *few, "--sandbox"]
        done = self.command(*words, PLUMBLINE_CACHE=str(cache))
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual((self.tree / "product").read_text(), "built\n")
        self.assertEqual(len(list((cache / "trees").rglob("product"))), 1, done.stderr)
        for side in ("a", "b"):
            self.assertEqual({row["status"] for row in planted.read_rows(run / "pairs" / side)}, {"OK"})

    @injected("preloads a library", "at a worker's start", "confined", OUT_OF_REACH)
    def test_a_library_that_a_variable_preloads_acts_inside(self):
        for more in ([], ["--sandbox"]):
            mark, library = self.marking(f"mark-{len(more)}")
            done = self.built("true", "--b-env", f"LD_PRELOAD={library}", *more)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertEqual(mark.exists(), not more)

    @injected("puts a program on PATH", "in `build:`", "refused", OUT_OF_REACH)
    def test_a_build_cannot_change_what_plumbline_uses(self):
        tools = self.tree / "tools"
        tools.mkdir()
        done = self.built("true", "--sandbox", PATH=f"{tools}:{os.environ['PATH']}")
        self.expect(MISTAKE, done, "PATH names", "in the tree that `build:` may change")

    @injected("puts another .git in the place of one", "in `build:`", "refused", OUT_OF_REACH)
    def test_a_build_cannot_put_another_git_in_the_place_of_one(self):
        inner = self.tree / "deep" / "sub"
        inner.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet"], cwd=inner, check=True, env=self.environment())
        before = (inner / ".git").stat().st_ino
        done = self.built("mv deep away && mkdir -p deep/sub/.git && echo > deep/sub/.git/config", "--sandbox")
        self.expect(MISTAKE, done)
        self.assertTrue(not (inner / ".git").exists() or (inner / ".git").stat().st_ino == before, done.stderr)

    @injected("leaves orders for git", "in `build:`", "refused", OUT_OF_REACH)
    def test_a_build_cannot_leave_orders_for_git(self):
        outside = self.folder / "outside"
        orders = f"mkdir -p sub && git init -q sub && git -C sub config core.fsmonitor 'touch {outside}'"
        done = self.built(orders, "--sandbox")
        self.expect(MISTAKE, done, "sub/.git", "which git would obey")
        self.assertFalse((self.tree / "sub" / ".git").exists())
        self.assertFalse(outside.exists())


if __name__ == "__main__":
    if not can_sandbox():
        print("skipped: bubblewrap cannot make a sandbox here")
        sys.exit(planted.SKIPPED)
    planted.main()
