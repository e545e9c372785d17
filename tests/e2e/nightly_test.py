#!/usr/bin/python3
"""ci/nightly.sh and ci/gate.sh in a tree of their own, with planted truths, kills and concurrent runs."""

import json
import os
import re
import shutil
import signal
import subprocess

import planted

SIZES = (100, 200, 300, 400)
CHOSEN = "planted::work/libtorch/dtype=float32/n=400"
# The tree's build is the tested one; each tree slows the operators named in its file `slowdown`.
BUILD_SCRIPT = """#!/bin/sh
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
echo "$@" >> "$tree/../builds"
mkdir -p "$tree/build/bin"
ln -sf "{bin}/plumbline" "$tree/build/bin/plumbline"
cat > "$tree/build/bin/plumbline-worker.new" <<END
#!/bin/sh
export PLANTED_SLOWDOWN=$(cat "$tree/slowdown") PLANTED_ELEMENTS=400
exec "{bin}/plumbline-worker" "\\$@"
END
chmod +x "$tree/build/bin/plumbline-worker.new"
mv "$tree/build/bin/plumbline-worker.new" "$tree/build/bin/plumbline-worker"
"""


def without_next(page):
    """A commit's page without the link to the next commit, which is added later."""
    return re.sub(rb'no commit after|<a href="[0-9a-f]+\.html" rel="next.*?</a>', b"", page)


class Scripts(planted.Planted):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        shutil.copytree(planted.ROOT / "ci", self.tree / "ci")
        script = self.plant("tree/scripts/build", BUILD_SCRIPT.format(bin=planted.BIN))
        script.chmod(0o755)
        self.plant("tree/plumbline.yaml", "build: scripts/build plumbline-worker\n")
        self.plant("tree/slowdown", "1")
        text = planted.suite_text("work", [planted.work(SIZES)], planted.MEASURE_WORK)
        self.suite = self.plant("tree/suites/nightly/work.yaml", text)
        self.plant("tree/.gitignore", "/build/\n/runs/\n/site/\n/baselines/\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("first")

    def git(self, *words):
        done = subprocess.run(
            ["git", "-C", str(self.tree), "-c", "user.name=A. Tester", "-c", "user.email=a@b", *words],
            env=self.environment(), capture_output=True, encoding="utf-8",
        )
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.git("rev-parse", "HEAD")

    def words(self, script, *more):
        return [str(self.tree / "ci" / script), *more, "--extension", str(planted.EXTENSION)]

    def script_environment(self, **variables):
        return self.environment(
            PLUMBLINE_WORKER=str(self.tree / "build/bin/plumbline-worker"),
            PLUMBLINE_CACHE=str(self.folder / "cache"),
            NIGHTLY_DEVICES=self.device,
            GATE_DEVICE=self.device,
            GATE_SUITES=str(self.suite),
            **variables,
        )

    def script(self, script, *more, **variables):
        return subprocess.run(
            self.words(script, *more), cwd=self.folder, env=self.script_environment(**variables),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            timeout=2 * planted.LIMIT_S,
        )

    def begin(self, script, *more, **variables):
        process = subprocess.Popen(
            self.words(script, *more), cwd=self.folder, env=self.script_environment(**variables),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", start_new_session=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def night(self, name, code, *texts, **variables):
        done = self.script("nightly.sh", "--trust-screen", NIGHTLY_NAME=name, **variables)
        self.expect(code, done)
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        for text in (*texts, f"exit code {code}"):
            self.assertIn(text, done.stdout)
        return done

    def accept(self, run):
        baselines = self.tree / "baselines"
        words = ["accept", run, "--baselines", baselines, "--author", "me", "--why", "first"]
        self.expect(0, self.plumbline(*words, "--even-so", "a test"))

    def run_of(self, name):
        return self.tree / "runs" / f"{name}-{self.device}"

    def pages(self):
        """The commit pages of the site, by name."""
        return {path.name for path in (self.tree / "site" / "commits").glob("*.html")}

    def kill_when(self, run, rows, process):
        """Kills only the script when the run has that many rows; waits for everything that it had started."""
        run.parent.mkdir(parents=True, exist_ok=True)
        with planted.Changes(run.parent) as changes:
            changes.wait(run.exists, process)
        with planted.Changes(run) as changes:
            changes.wait(lambda: planted.whole_rows(run) >= rows, process)
        started = planted.children(process.pid)
        watched = {pid: os.pidfd_open(pid) for pid in started}
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertTrue(planted.ends(watched), "what the script had started outlives it")


class Nightly(Scripts):
    def test_a_planted_slowdown_is_the_second_nights_verdict_and_page(self):
        first = self.night("first", 3, "no accepted baseline", "accept")
        self.assertEqual(len(self.pages()), 1)
        accept = re.search(r"(\S+ accept \S+ --baselines \S+);", first.stdout)[1]
        self.expect(0, subprocess.run(
            accept.split(), cwd=self.folder, env=self.environment(), capture_output=True,
            encoding="utf-8",
        ))
        self.commit("second")
        self.night("quiet", 0, "no case is slower")
        self.assertEqual(len(self.pages()), 2)
        self.plant("tree/slowdown", "1.5")
        self.commit("slower")
        before = {path.name: path.read_bytes() for path in (self.tree / "site/commits").iterdir()}
        self.night("slow", 1, "Slower: ")
        self.assertEqual(len(self.pages()), 3)
        for name, content in before.items():
            now = (self.tree / "site/commits" / name).read_bytes()
            self.assertEqual(without_next(now), without_next(content), name)
        self.assertEqual(planted.verdicts(self.run_of("slow") / "comparison.json")[CHOSEN], "SLOWER")
        page = (self.run_of("slow") / "report.html").read_text(encoding="utf-8")
        self.assertRegex(page, r'class="strip past"[^>]*aria-label="3 runs since [0-9-]+; their level is')  # its card
        index = (self.tree / "site/index.html").read_text(encoding="utf-8")
        self.assertIn("<h1>1 regression is open: ", index)
        self.assertIn("slower</bdi>", index)  # the commit's subject
        # The same call again measures nothing and says the same.
        results = (self.run_of("slow") / "results.csv").stat()
        done = self.night("slow", 1, "Slower: ")
        self.assertIn("not measured again", done.stderr)
        self.assertEqual((self.run_of("slow") / "results.csv").stat(), results)

    def test_killed_half_way_the_same_call_goes_on_and_measures_nothing_twice(self):
        process = self.begin("nightly.sh")
        runs = self.tree / "runs"
        with planted.Changes(self.tree) as changes:
            changes.wait(runs.exists, process)
        with planted.Changes(runs) as changes:
            changes.wait(lambda: any(path.is_dir() for path in runs.iterdir()), process)
        run = next(path for path in runs.iterdir() if path.is_dir())
        self.kill_when(run, 5, process)
        before = (run / "results.csv").read_text(encoding="utf-8")
        self.assertFalse((run / "exit_code").exists())
        # A night that began yesterday is continued today.
        yesterday = runs / run.name.replace(run.name[:10], "2020-01-01")
        run.rename(yesterday)
        done = self.script("nightly.sh")
        self.expect(3, done)
        self.assertIn("no accepted baseline", done.stdout)
        after = (yesterday / "results.csv").read_text(encoding="utf-8")
        self.assertTrue(after.startswith(before))
        measured = planted.visits(yesterday)
        self.assertEqual(len(measured), len(set(measured)))
        self.assertEqual(len(measured), 3 * len(SIZES))
        self.assertEqual([path.name for path in runs.iterdir() if path.is_dir()], [yesterday.name])
        self.assertEqual(len(self.pages()), 1)

    def test_killed_after_measuring_it_is_judged_without_measuring_again(self):
        self.night("base", 3)
        self.accept(self.run_of("base"))
        self.night("next", 0)
        run = self.run_of("next")
        for name in ("exit_code", "comparison.json", "report.html", "verdict.md"):
            (run / name).unlink()
        results = (run / "results.csv").stat()
        self.night("next", 0, "no case is slower")
        self.assertEqual((run / "results.csv").stat(), results)
        self.assertTrue((run / "report.html").exists())

    def test_of_two_at_once_the_second_names_the_first_and_measures_nothing(self):
        process = self.begin("nightly.sh", NIGHTLY_NAME="one")
        run = self.run_of("one")
        runs = self.tree / "runs"
        with planted.Changes(self.tree) as changes:
            changes.wait(runs.exists, process)
        with planted.Changes(runs) as changes:
            changes.wait(run.exists, process)
        done = self.script("nightly.sh", NIGHTLY_NAME="two")
        self.expect(2, done, "is in use by")
        self.assertFalse(self.run_of("two").exists())
        self.assertEqual(process.communicate()[0].count("no accepted baseline"), 1)
        self.assertEqual(process.returncode, 3)

    def test_a_mistake_in_a_suite_is_two_and_not_remembered(self):
        self.suite.write_text("suite: work\nbenchmarks: 3\n", encoding="utf-8")
        done = self.script("nightly.sh", NIGHTLY_NAME="bad")
        self.expect(2, done)
        self.assertIn("exit code 2", done.stdout)
        self.assertFalse(self.run_of("bad").exists())

    def test_a_confirmation_that_was_killed_is_measured_anew_beside_what_it_left(self):
        self.night("base", 3)
        self.accept(self.run_of("base"))
        base = self.folder / "base"
        shutil.copytree(self.tree / "build", base / "build", symlinks=True)
        self.plant("tree/slowdown", "1.5")
        variables = {"NIGHTLY_NAME": "slow", "NIGHTLY_BASELINE_TREE": str(base)}
        process = self.begin("nightly.sh", "--looks", "6,12,24,48", "--controls", "0", **variables)
        run = self.run_of("slow")
        runs = self.tree / "runs"
        with planted.Changes(runs) as changes:
            changes.wait(run.exists, process)
        with planted.Changes(run) as changes:
            changes.wait((run / "pairs").exists, process)
        self.kill_when(run / "pairs" / "b", 1, process)
        results = (run / "results.csv").stat()
        done = self.script("nightly.sh", "--looks", "6,12,24,48", "--controls", "0", **variables)
        self.expect(1, done)
        self.assertIn("Slower: ", done.stdout)
        self.assertEqual((run / "results.csv").stat(), results)
        self.assertIsNone(json.loads((run / "pairs/a/run.json").read_text())["finished_at"])
        self.assertIsNotNone(json.loads((run / "pairs-2/a/run.json").read_text())["finished_at"])


class Gate(Scripts):
    def gate(self, code, *texts):
        done = self.script("gate.sh", "main", "--looks", "6,12,24,48", "--controls", "0")
        self.expect(code, done)
        for text in (*texts, f"exit code {code}"):
            self.assertIn(text, done.stdout)
        return done

    def test_a_branch_that_slows_a_case_is_found_and_one_that_does_not_passes(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.commit("no change of times")
        self.gate(0, "no case is slower")
        self.plant("tree/slowdown", "1.5")
        self.commit("slower")
        done = self.gate(1, "Slower: ")
        folder = re.search(r"(\S+)/report\.html", done.stdout)[1]
        self.assertEqual(planted.verdicts(f"{folder}/comparison.json")[CHOSEN], "SLOWER")
        text = (self.tree.joinpath(folder) / "verdict.md").read_text(encoding="utf-8")
        self.assertIn("**SLOWER**", text)
        # An unknown base is an error.
        done = self.script("gate.sh", "nowhere")
        self.expect(2, done, "no common commit of nowhere")

    def test_killed_half_way_the_same_call_ends_with_a_verdict(self):
        self.git("checkout", "--quiet", "-b", "topic")
        self.plant("tree/slowdown", "1.5")
        self.commit("slower")
        process = self.begin("gate.sh", "main", "--looks", "6,12,24,48", "--controls", "0")
        name = f"{self.git('rev-parse', 'main')[:10]}-{self.git('rev-parse', 'HEAD')[:10]}"
        runs = self.tree / "runs" / "gate"
        runs.mkdir(parents=True, exist_ok=True)
        with planted.Changes(runs) as changes:
            changes.wait((runs / name).is_dir, process)
        folder = runs / name
        self.kill_when(folder / "b", 1, process)
        done = self.gate(1, "Slower: ")
        self.assertIn(f"{folder.name}-2/report.html", done.stdout)

    def test_an_interrupted_checkout_of_the_base_is_completed(self):
        self.git("checkout", "--quiet", "-b", "topic")
        base = self.git("rev-parse", "main")
        tree = self.folder / "cache" / "trees" / base
        self.git("worktree", "add", "--detach", "--no-checkout", str(tree), base)
        self.gate(0)
        self.assertTrue((tree / "scripts/build").exists())


if __name__ == "__main__":
    planted.main()
