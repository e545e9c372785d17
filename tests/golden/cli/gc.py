"""plumbline gc on a cache that plumbline made, and on one that is something else."""

import fcntl
import json
import os
import pathlib
import subprocess
import time

import fault_test
from fault_test import FaultTest

DAY_S = 86400
HASH = "0123456789abcdef" * 2


class Gc(FaultTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "--quiet")
        (self.repository / "file").write_text("as it was committed\n")
        self.git("add", "file")
        self.git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "x")
        self.commit = self.git("rev-parse", "HEAD").strip()

    def git(self, *words):
        return subprocess.run(
            ["git", "-C", self.repository, *words], check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def write(self, name, text="x", days=40):
        path = self.cache / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.age(path, days)
        return path

    def age(self, path, days=40):
        then = time.time() - days * DAY_S
        os.utime(path, (then, then))

    def check_out(self, days=40):
        tree = self.cache / "trees" / self.commit
        self.git("worktree", "add", "--quiet", "--detach", str(tree), self.commit)
        self.write(f"trees/{self.commit}.lock", "", days)
        return tree

    def gc(self, *words, code=0, **variables):
        found, out, err = self.plumbline("gc", *words, "--json", **variables)
        self.assertEqual(found, code, err)
        return json.loads(out)

    def whats(self, result, key="removed"):
        return sorted(one["what"] for one in result[key])

    def files(self):
        return sorted(str(path.relative_to(self.cache)) for path in self.cache.rglob("*") if path.is_file())

    def test_what_was_not_used_for_long_goes_and_the_rest_stays(self):
        old = self.write(f"kernels/{HASH}.kernel", "plumbline-kernel 2\n")
        young = self.write(f"kernels/{HASH[::-1]}.kernel", "plumbline-kernel 2\n", days=3)
        schemas = self.write(f"schemas-{HASH}", "[]")
        log = self.write(f"builds/{HASH}.log")
        tree = self.check_out()
        self.write(f"trees/{self.commit}.log")
        expected = ["1 compiled kernel", "1 list of operators", "1 log of a build", "checkout"]
        shown = self.gc("--dry-run")
        self.assertEqual(self.whats(shown), expected)
        self.assertTrue(old.exists() and tree.exists())
        removed = self.gc()
        self.assertEqual(removed, shown | {"dry_run": False})
        self.assertGreater(removed["bytes"], 0)
        for path in (old, schemas, log, tree):
            self.assertFalse(path.exists(), path)
        self.assertEqual(self.files(), [f"kernels/{young.name}", f"trees/{self.commit}.lock"])
        self.assertNotIn(self.commit[:7], "".join(self.git("worktree", "list").splitlines()[1:]))
        self.assertEqual(list((self.repository / ".git").glob("worktrees/*")), [])
        self.assertEqual(self.gc()["removed"], [])

    def test_the_commands_of_the_page_work(self):
        self.write(f"schemas-{HASH}", "[]")
        self.follow("how-to/clean-up.md")
        self.assertEqual(self.files(), [])

    def test_a_look_at_the_cache_is_no_use_of_it(self):
        kernel = self.write(f"kernels/{HASH}.kernel", "plumbline-kernel 2\n")
        before = kernel.stat().st_atime_ns
        self.gc("--dry-run")
        self.assertEqual(kernel.stat().st_atime_ns, before)

    def test_a_checkout_that_somebody_uses_stays(self):
        tree = self.check_out()
        with open(f"{tree}.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            result = self.gc("--older-than", "0")
            self.assertEqual([one["why"] for one in result["kept"]], ["in use"])
            self.assertTrue((tree / "file").exists())
        self.assertEqual(self.whats(self.gc("--older-than", "0")), ["checkout"])

    def test_a_checkout_that_somebody_edited_stays(self):
        tree = self.check_out()
        (tree / "file").write_text("my work\n")
        result = self.gc()
        self.assertEqual([one["why"] for one in result["kept"]], ["somebody edited files in it"])
        self.assertEqual((tree / "file").read_text(), "my work\n")

    def test_a_checkout_with_a_commit_of_its_own_stays(self):
        tree = self.check_out()
        (tree / "file").write_text("my work\n")
        words = ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-am", "mine"]
        subprocess.run(["git", "-C", tree, *words], check=True)
        self.assertEqual([one["why"] for one in self.gc()["kept"]], ["somebody committed in it"])
        self.assertEqual((tree / "file").read_text(), "my work\n")

    def test_a_checkout_with_a_file_that_came_after_its_build_stays(self):
        tree = self.check_out()
        (tree / "made").write_text("by the build\n")
        (tree / "mine").write_text("my work\n")
        result = self.gc()
        self.assertEqual([one["why"] for one in result["kept"]], ["somebody added files to it"])
        self.assertTrue((tree / "mine").exists())

    def test_a_checkout_that_git_cannot_read_stays(self):
        tree = self.check_out()
        (tree / "file").write_text("my work\n")
        self.repository.rename(self.folder / "moved")
        self.assertEqual([one["why"] for one in self.gc()["kept"]], ["git cannot read it, so it may hold work"])
        self.assertEqual((tree / "file").read_text(), "my work\n")

    def test_a_folder_that_is_no_cache_loses_nothing(self):
        self.write("kernels/mine.kernel")
        self.write(f"kernels/{HASH}.kernel", "somebody else's")
        self.write(f"schemas-{HASH}", "not JSON")
        self.write(f"trees/{self.commit}/file")
        self.write("trees/main/file")
        self.write("builds/thesis.log")
        self.write("venv-0123456789ab/bin/python")
        self.write("wheel.txt")
        self.write("wheels/photos.tar")
        self.write("worker-build/thesis")
        before = self.files()
        for what in ("cache", "environments"):
            self.assertEqual(self.gc(what, "--older-than", "0")["removed"], [])
        self.assertEqual(self.files(), before)

    def test_links_in_the_cache_are_not_followed(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / f"{HASH}.kernel").write_text("plumbline-kernel 2\n")
        (outside / "precious").write_text("x")
        self.cache.mkdir()
        (self.cache / "kernels").symlink_to(outside)
        (self.cache / f"schemas-{HASH}").symlink_to(outside / "precious")
        (self.cache / "trees").mkdir()
        (self.cache / "trees" / self.commit).symlink_to(outside)
        self.write(f"trees/{self.commit}.lock", "")
        self.assertEqual(self.gc("--older-than", "0")["removed"], [])
        self.assertEqual(len(list(outside.iterdir())), 2)

    def test_environments_go_when_they_are_named_except_those_that_a_link_leads_to(self):
        for name in ("venv-0123456789ab", "venv-ba9876543210"):
            for file in ("pyvenv.cfg", ".complete", "lib/big"):
                self.write(f"{name}/{file}")
        (self.cache / "venv").symlink_to("venv-ba9876543210")
        self.assertEqual(self.gc()["removed"], [])
        result = self.gc("environments")
        self.assertEqual([pathlib.Path(one["path"]).name for one in result["removed"]], ["venv-0123456789ab"])
        self.assertEqual([one["why"] for one in result["kept"]], ["a link in the cache leads to it"])
        self.assertTrue((self.cache / "venv" / "lib/big").exists())

    def test_a_command_that_was_killed_is_finished_by_the_next(self):
        tree = self.check_out()
        (self.cache / ".plumbline-gc").mkdir()
        tree.rename(self.cache / ".plumbline-gc" / self.commit)
        self.gc()
        self.assertEqual(self.files(), [f"trees/{self.commit}.lock"])
        self.assertEqual(list((self.repository / ".git").glob("worktrees/*")), [])

    def test_two_commands_do_not_clean_one_folder(self):
        self.write(f"schemas-{HASH}", "[]")
        rival = os.open(self.cache, os.O_RDONLY)
        self.addCleanup(os.close, rival)
        fcntl.flock(rival, fcntl.LOCK_EX)
        code, _, err = self.plumbline("gc")
        self.assertEqual((code, "another `plumbline gc` is cleaning it" in err), (2, True), err)

    def test_what_cannot_be_removed_is_told_and_the_rest_goes(self):
        if os.geteuid() == 0:
            self.skipTest("root may remove everything")
        self.write(f"schemas-{HASH}", "[]")
        kernel = self.write(f"kernels/{HASH}.kernel", "plumbline-kernel 2\n")
        kernel.parent.chmod(0o500)
        self.addCleanup(kernel.parent.chmod, 0o700)
        self.assertEqual(self.whats(self.gc(code=2)), ["1 list of operators"])

    def test_runs_go_only_when_they_are_asked_for(self):
        for name in ("one", "two"):
            self.plumbline("run", "demo.yaml", "-o", f"runs/{name}", "--rounds", "2")
        self.finish(self.killed("runs/cut"))
        for path in sorted(self.work.glob("runs/**/*")):
            self.age(path)
        for path in self.work.glob("runs/*"):
            self.age(path)
        self.assertEqual(self.gc()["removed"], [])
        self.assertEqual(self.whats(self.gc("runs", "--dry-run")), ["unfinished run"])
        code, _, err = self.plumbline("gc", "runs", "--keep", "1")
        self.assertEqual((code, "name the folder with --baselines" in err), (2, True), err)
        (self.work / "baselines").mkdir()
        self.assertEqual(self.whats(self.gc("runs", "--keep", "1")), ["run", "unfinished run"])
        self.assertEqual(len(list((self.work / "runs").iterdir())), 1)
        self.assertEqual(self.gc("runs", "--keep", "1")["removed"], [])

    def measured(self, *names):
        for name in names:
            self.plumbline("run", "demo.yaml", "-o", f"runs/{name}", "--rounds", "2")
        for path in [*self.work.glob("runs/**/*"), *self.work.glob("runs/*")]:
            self.age(path)

    def test_two_finished_runs_in_a_folder_are_no_unfinished_pairs(self):
        (self.work / "runs" / "mine").mkdir(parents=True)
        self.measured("mine/a", "mine/b")
        self.assertEqual(self.gc("runs")["removed"], [])

    def test_a_comparison_that_is_cut_off_ends_the_command(self):
        self.measured("one", "two")
        (self.work / "baselines").mkdir()
        (self.work / "runs" / "two" / "comparison.json").write_text('{"findings": [')
        code, _, err = self.plumbline("gc", "runs", "--keep", "1")
        self.assertEqual((code, "found no JSON" in err), (2, True), err)
        self.assertEqual(len(list((self.work / "runs").iterdir())), 2)

    def test_a_run_that_is_accepted_through_a_link_stays(self):
        self.measured("one")
        words = ["accept", "runs/one", "--author", "x", "--why", "x", "--even-so", "x", "--baselines", "kept"]
        code, _, err = self.plumbline(*words)
        self.assertEqual(code, 0, err)
        (self.work / "baselines").mkdir()
        for device in (self.work / "kept").iterdir():
            (self.work / "baselines" / device.name).symlink_to(device)
        self.assertEqual([one["why"] for one in self.gc("runs", "--keep", "0")["kept"]], ["a baseline holds it"])

    def killed(self, run):
        process = self.hanging("run", "demo.yaml", "-o", run)
        result = self.gc("runs", "--older-than", "0")
        self.assertEqual(result["removed"], [])
        process.kill()
        return process

    def test_an_accepted_run_stays(self):
        self.plumbline("run", "demo.yaml", "-o", "runs/one", "--rounds", "2")
        code, _, err = self.plumbline("accept", "runs/one", "--author", "x", "--why", "x", "--even-so", "x")
        self.assertEqual(code, 0, err)
        for path in [*self.work.glob("runs/**/*"), *self.work.glob("runs/*")]:
            self.age(path)
        result = self.gc("runs", "--keep", "0")
        self.assertEqual(([one["why"] for one in result["kept"]], result["removed"]), (["a baseline holds it"], []))


if __name__ == "__main__":
    fault_test.main()
