#!/usr/bin/python3
"""--sandbox: suites, plumbline.yaml and links in a tree of others lead nowhere else. Plumbline reads what they name
outside of the sandbox, and its messages may quote it; and it writes runs where they say. Each way out is planted.

No case is measured: mistakes are found before.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys

import planted
from strangers import MISTAKE, TOKEN, can_sandbox

PLAIN = "suite: others\nbenchmarks:\n  - {op: relu, sweep: {elements: [1000], dtype: [float32]}}\n"
KERNEL = ("suite: others\nbenchmarks:\n  - {op: kernel, name: k, source: %s, entry: k, args: {x: 'randn[n]', "
          "y: {output: [n]}}, launch: {grid: n, block: 1}, sweep: {n: [64], dtype: [float32]}%s}\n")
PYTHON = ("suite: others\nbenchmarks:\n  - {op: python, name: f, source: %s, function: f, args: {x: %s}, "
          "sweep: {n: [64], dtype: [float32]}}\n")
FAKE_WORKER = planted.ROOT / "tests" / "support" / "fake_worker.py"
LEADS_OUT = "code in the sandbox does not see"


class Trees(planted.Planted):
    """A tree of others beside a home with a token."""

    def setUp(self):
        super().setUp()
        self.home = self.folder / "home"
        self.secret = self.plant("home/credentials", TOKEN + "\n")
        self.plant("home/shapes.yaml", f"shapes: {{{TOKEN}: [{{rows: 1}}], {TOKEN}: []}}\n")
        self.plant("home/f.py", "def f(x): return x\n")
        self.plant("home/k.cu", "extern \"C\" __global__ void k(float* x) {}\n")
        self.plant("home/k.json", json.dumps({"name": TOKEN}))
        self.npy(self.home / "x.npy")
        self.tree = self.folder / "tree"
        self.plant("tree/others.yaml", PLAIN)
        self.plant("tree/f.py", "def f(x): return x\n")
        self.plant("tree/k.cu", "extern \"C\" __global__ void k(const float* x, float* y) {}\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.plant("tree/.git/shapes.yaml", f"shapes: {{{TOKEN}: [{{rows: 1}}], {TOKEN}: []}}\n")
        (self.tree / "sub").mkdir()
        (self.tree / "link").symlink_to(self.home)
        (self.tree / "shapes.yaml").symlink_to("../home/shapes.yaml")

    @staticmethod
    def npy(path):
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(256))

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.tree, check=True, env=self.environment(), stdout=subprocess.DEVNULL)

    def listed(self, *words, sandbox=True):
        """`run --dry-run`: reads all that a run does, and measures nothing."""
        more = ["--sandbox"] if sandbox else []
        return self.plumbline("run", *words, "--worker", FAKE_WORKER, "--device", "cpu", "--dry-run", *more, cwd=self.tree,
                              HOME=str(self.home), PLUMBLINE_PYTHON=sys.executable)

    def taken(self, done):
        """The suite was read without a mistake, though perhaps no case of it can run here."""
        self.assertIn(done.returncode, (0, MISTAKE))
        self.assertFalse(LEADS_OUT in done.stderr or "others.yaml:" in done.stderr, done.stderr)
        self.assertTrue(done.returncode == 0 or "no selected case can run here" in done.stderr, done.stderr)

    def refused(self, done, *texts):
        self.expect(MISTAKE, done, *texts)
        self.assertNotIn(TOKEN, done.stderr + done.stdout)

    def ways_out(self, name):
        """The paths that lead to a file of the home."""
        whole = self.home / name
        return ["../home/" + name, str(whole), "link/" + name, "sub/../../home/" + name, "/proc/self/root" + str(whole),
                "/proc/self/cwd/link/" + name]

    def trick(self, name):
        """A path that leads to a file of the tree if links are followed, and to the home's if `..` is dropped as text."""
        self.plant("tree/home/" + name, (self.home / name).read_text())
        (self.tree / "one" / "two").mkdir(parents=True, exist_ok=True)
        if not (self.tree / "trick").exists():
            (self.tree / "trick").symlink_to("one/two")
        return "trick/../../home/" + name

    def test_files_of_shapes_lie_in_the_tree(self):
        for way in [*self.ways_out("shapes.yaml"), "shapes.yaml", ".git/shapes.yaml"]:
            with self.subTest(way):
                self.plant("tree/others.yaml", PLAIN.replace("benchmarks:", f"shapes: {{from: {way}}}\nbenchmarks:"))
                self.assertIn(TOKEN, self.listed("others.yaml", sandbox=False).stderr)
                self.refused(self.listed("others.yaml"), "others.yaml:2:", LEADS_OUT)

    def test_a_file_of_shapes_names_no_others(self):
        (self.tree / "deep").mkdir()
        self.plant("tree/deep/inner.yaml", "shapes: {from: ../../home/shapes.yaml}\n")
        self.plant("tree/others.yaml", PLAIN.replace("benchmarks:", "shapes: {from: deep/inner.yaml}\nbenchmarks:"))
        self.assertIn(TOKEN, self.listed("others.yaml", sandbox=False).stderr)
        self.refused(self.listed("others.yaml"), LEADS_OUT)

    def test_code_lies_in_the_tree(self):
        for name, text in (("f.py", PYTHON % ("%s", "'randn[n]'")), ("k.cu", KERNEL % ("%s", ""))):
            for way in [*self.ways_out(name), self.trick(name)]:
                with self.subTest(way):
                    self.plant("tree/others.yaml", text % way)
                    self.taken(self.listed("others.yaml", sandbox=False))
                    self.refused(self.listed("others.yaml"), "others.yaml:3:", LEADS_OUT)

    def test_what_a_compiler_and_a_recorder_wrote_lies_in_the_tree(self):
        self.plant("tree/k.ptx", ".version 8.0")
        for text in (KERNEL % ("k.ptx", ", metadata: link/k.json"), PYTHON % ("f.py", "\"file('../home/x.npy')[n]\"")):
            with self.subTest(text):
                self.plant("tree/others.yaml", text)
                self.refused(self.listed("others.yaml"), "others.yaml:3:", LEADS_OUT)

    def test_the_suite_is_no_link_out_of_the_tree(self):
        (self.tree / "linked.yaml").symlink_to(self.secret)
        self.assertIn(TOKEN, self.listed("linked.yaml", sandbox=False).stderr)
        self.refused(self.listed("linked.yaml"), "the suite", "is a link to")
        self.refused(self.listed("link/shapes.yaml"), "the suite", "is a link to")

    def test_what_is_trusted_may_be_named(self):
        shown = self.plant("home/shown/f.py", "def f(x): return x\n")
        self.plant("tree/others.yaml", PYTHON % (shown, "'randn[n]'"))
        self.refused(self.listed("others.yaml"), LEADS_OUT)
        self.taken(self.listed("others.yaml", "--sandbox-read", shown.parent))

    def test_strange_names_in_the_tree_are_names(self):
        for name in ("-rf.py", "--help.py", "a\nb.py", "$(touch was-here).py", "'; touch was-here; '.py", "%s%n.py"):
            with self.subTest(name):
                self.plant(f"tree/{name}", "def f(x): return x\n")
                self.plant("tree/others.yaml", PYTHON % (json.dumps(name), "'randn[n]'"))
                self.git("add", "--all", "--", ":!link", ":!shapes.yaml")
                self.taken(self.listed("others.yaml"))
        self.assertFalse((self.tree / "was-here").exists())

    def project(self, text, *words, suite=("others.yaml",), **variables):
        self.plant("tree/plumbline.yaml", text)
        return self.plumbline(*(words or ("run",)), *suite, "--device", "cpu", "--sandbox", cwd=self.tree,
                              HOME=str(self.home), **variables)

    def outside(self):
        return sorted(path.relative_to(self.home) for path in self.home.rglob("*"))

    def test_runs_are_made_in_the_tree(self):
        before = self.outside()
        for place in ("../home/runs", str(self.home / "deep" / "runs"), "link", "link/runs"):
            with self.subTest(place):
                self.refused(self.project(f"runs: {place}\n"), "the folder of runs", "say --runs")
        (self.tree / "runs").symlink_to(self.home)
        self.refused(self.project("device: cpu\n"), "the folder of runs")
        self.refused(self.project("baselines: ../home\nruns: own\n"), "the folder of baselines", "say --baselines")
        self.assertEqual(self.outside(), before)

    def test_a_build_that_makes_a_link_moves_no_runs(self):
        before = self.outside()
        done = self.project(f"build: ln -s {self.home} runs\n", "ab", ".", ".", "--looks", "3", "--controls", "0")
        self.refused(done, "the folder of runs")
        self.assertEqual(self.outside(), before)

    def test_the_project_file_is_no_link_out_of_the_tree(self):
        (self.tree / "plumbline.yaml").symlink_to(self.secret)
        for words in (["run"], ["ab", ".", "."], ["check"]):
            done = self.plumbline(*words, "others.yaml", "--device", "cpu", "--sandbox", cwd=self.tree)
            self.refused(done, "the project file", "is a link to")

    def test_suites_of_the_project_lie_in_its_tree(self):
        for way in ("../home/shapes.yaml", "link", "link/shapes.yaml"):
            for words in (["run"], ["check"], ["ab", ".", "."]):
                with self.subTest(way=way, words=words):
                    done = self.project(f"suites: [{way}]\n", *words, suite=())
                    self.refused(done, "outside of its tree")

    def test_a_worker_of_the_tree_lies_in_it(self):
        program = self.plant("home/bin/worker", "#!/bin/sh\ntouch \"$HOME/was-here\"\n")
        program.chmod(0o755)
        (self.tree / "worker").symlink_to(program)
        for words in (["run"], ["check"], ["ab", ".", "."]):
            self.refused(self.project("worker: worker\n", *words), "outside of its tree")
        self.assertFalse((self.home / "was-here").exists())


if __name__ == "__main__":
    if not can_sandbox():
        print("skipped: bubblewrap cannot make a sandbox here")
        sys.exit(planted.SKIPPED)
    planted.main()
