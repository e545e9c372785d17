#!/usr/bin/python3
"""`plumbline bisect` finds the commit that made a case slower, in a repository that holds nothing of Plumbline's. Real
builds and a real worker, on the CPU.

The repository is that of tests/support/user_repository. One commit of the branch of a merge makes eight times the
work. One commit cannot be built, one lacks the case.
"""

import json
import os
import shutil
import signal
import subprocess

import planted

REPOSITORY = planted.ROOT / "tests" / "support" / "user_repository"
LIMIT_S = 900  # for a search
CASE = "double/custom/dtype=float32/n=100000"


class Bisect(planted.Planted):
    @classmethod
    def environment(cls, **more):
        variables = {
            "HOME": str(cls.class_folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PLUMBLINE_INCLUDE": str(planted.ROOT / "harness" / "backends" / "plugin"),
            "PLUMBLINE_CACHE": str(cls.class_folder / "cache"),
        }
        return super().environment(**(variables | more))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.repository = cls.class_folder / "repository"
        shutil.copytree(REPOSITORY, cls.repository)
        cls.git("init", "--quiet", "--initial-branch=main")
        cls.good = cls.commit("one")
        cls.commit("two")
        cls.broken = cls.commit("broken", {"kernels/Makefile": ("-O2", "-O2 -nonsense")})
        cls.commit("mended", {"kernels/Makefile": ("-O2 -nonsense", "-O2")})
        cls.git("checkout", "--quiet", "-b", "topic")
        cls.commit("topic one")
        cls.guilty = cls.commit("more rounds", {"kernels/work.h": ("ROUNDS 1", "ROUNDS 8")})
        cls.git("checkout", "--quiet", "main")
        cls.without = cls.commit("without", {"kernels/perf.yaml": ("[100000, 200000]", "[200000]")})
        cls.commit("with", {"kernels/perf.yaml": ("[200000]", "[100000, 200000]")})
        cls.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
        cls.merge = cls.git("rev-parse", "HEAD")
        cls.commit("last")

    @classmethod
    def git(cls, *words):
        who = ["-c", "user.name=A. User", "-c", "user.email=a@user"]
        done = subprocess.run(["git", *who, *words], cwd=cls.repository, env=cls.environment(), capture_output=True,
                              encoding="utf-8")  # fmt: skip
        assert done.returncode == 0, done
        return done.stdout.strip()

    @classmethod
    def commit(cls, subject, edits=None):
        """A commit with these edits, {file: (before, after)}; its hash."""
        for name, (before, after) in (edits or {}).items():
            path = cls.repository / name
            text = path.read_text(encoding="utf-8")
            assert before in text, (name, before)
            path.write_text(text.replace(before, after), encoding="utf-8")
        cls.git("add", "--all")
        cls.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return cls.git("rev-parse", "HEAD")

    def words(self, good, bad, *more):
        return ["bisect", good, bad, "--case", CASE, "--device", self.device, "-o", self.folder / "search", *more]

    def ask(self, code, good, bad, *more):
        done = self.plumbline(*self.words(good, bad, "--json", *more), cwd=self.repository, timeout=LIMIT_S)
        self.expect(code, done)
        return json.loads(done.stdout)["searches"], done

    def test_the_commit_of_a_merged_branch_is_found_and_what_lacks_the_case_is_left_out(self):
        searches, _ = self.ask(0, self.good, "main")
        self.assertEqual([search["kind"] for search in searches], ["one_step", "one_step"])
        self.assertEqual(searches[0]["found"], [self.merge])
        self.assertEqual(searches[1]["found"], [self.guilty])
        own = searches[1]["own"]  # eight times the work; the interval is wide on a busy machine
        self.assertTrue(1 < own["low"] < 8 and own["high"] > 5, searches)
        left_out = {one["version"] for search in searches for one in search["left_out"]}
        self.assertEqual(left_out, {self.without})
        self.assertTrue((self.folder / "search" / "merged" / "bisect.json").exists())

    def test_without_a_change_none_is_found(self):
        # Wide enough for the pairs of a busy machine, far below the guilty commit's +700 %.
        searches, _ = self.ask(3, self.good, "topic~1", "--threshold", "25%")
        self.assertIn(searches[0]["kind"], {"none", "cannot_tell"})
        self.assertEqual(searches[0]["found"], [])

    def test_a_killed_search_goes_on_without_measuring_again(self):
        state = self.folder / "search" / "bisect.json"
        state.parent.mkdir()
        words = list(map(str, self.words(self.good, "topic")))
        with planted.Changes(state.parent) as changes:
            process = subprocess.Popen([str(planted.BIN / "plumbline"), *words],
                                       cwd=self.repository, env=self.environment(), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, encoding="utf-8")  # fmt: skip
            changes.wait(state.exists, process)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        before = json.loads(state.read_text(encoding="utf-8"))["steps"]
        self.assertGreaterEqual(len(before), 1)
        self.expect(2, self.plumbline(*self.words(self.good, "topic"), cwd=self.repository), "--resume")
        searches, _ = self.ask(0, self.good, "topic", "--resume")
        after = json.loads(state.read_text(encoding="utf-8"))["steps"]
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(searches[0]["found"], [self.guilty])

    def test_mistakes_are_said_before_anything_is_measured(self):
        for words, message in (
            ((self.good, "nonsense"), "'nonsense' is no revision of"),
            (("main", self.good), "is not on the line of first parents"),
            ((self.good, self.broken), "(BAD) cannot be measured"),
        ):
            with self.subTest(words=words):
                self.expect(2, self.plumbline(*self.words(*words), cwd=self.repository), message)


if __name__ == "__main__":
    planted.main()
