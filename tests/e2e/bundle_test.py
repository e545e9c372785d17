#!/usr/bin/python3
"""`bundle` and `replay`: a commit of a user's repository that takes eight times as long becomes a file. That file is measured
again without the repository: the true claim is CONFIRMED, one that was turned is REFUTED, and what cannot be compared says
why, before anything of it runs. Real workers, on the CPU.
"""

import getpass
import json
import platform
import shutil
import subprocess
import sys

import planted
import sides_test
from strangers import can_sandbox

PAIRS = ("--looks", "3,12,24", "--controls", "0")  # a factor of eight is found in three pairs
TRUE, TURNED = sorted(sides_test.CASES)
NOT_COMPARABLE, REFUTED, MISTAKE = 3, 1, 2


def turn(comparison):
    """The claim of one case says the opposite."""
    for finding in comparison["findings"]:
        if finding["case"] == TURNED:
            low, high = finding["change_low"], finding["change_high"]
            finding.update(
                verdict="FASTER", change=-0.87, change_low=1 / (1 + high) - 1, change_high=1 / (1 + low) - 1
            )


def elsewhere(comparison):
    for side in ("baseline", "candidate"):
        comparison[side]["environment"]["device_class"] = "Another CPU"


def of_one_code(comparison):
    """As of two stored runs of one commit."""
    for what in ("suites", "asked"):
        comparison["candidate"][what] = comparison["baseline"][what]
    comparison["candidate"]["environment"]["commit"] = comparison["baseline"]["environment"]["commit"]


def with_variables(comparison):
    comparison["candidate"]["variables"] = {"REPEAT": "2", "API_TOKEN": "token-4711"}


class Bundling(sides_test.Sides):
    def bundle(self, comparison, *more, code=0):
        path = self.folder / "x.tar.zst"
        done = self.plumbline("bundle", comparison, "-o", path, *more, cwd=self.folder)
        self.expect(code, done)
        self.said = done.stderr
        return path

    def listed(self, path):
        return json.loads(self.expect(0, self.plumbline("bundle", "--list", path, "--json")).stdout)

    def replay(self, code, path, *more, **variables):
        """Its answers: {case: answer}, and {case: reason}."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        variables = {"HOME": str(home), "PLUMBLINE_CACHE": str(home / "cache")} | variables
        done = self.plumbline(
            "replay", path, "--json", *PAIRS, *more, cwd=home, timeout=sides_test.LIMIT_S, **variables
        )
        self.expect(code, done)
        self.said = done.stderr
        claims = json.loads(done.stdout)["claims"]
        return {c["case"]: c["answer"] for c in claims}, {c["case"]: c["reason"] for c in claims}


class Bundles(Bundling):
    """All tests share one comparison, and what they change is a copy of it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        maker = sides_test.Sides()
        maker.class_folder, maker.folder = cls.class_folder, cls.class_folder / "made"
        maker.environment = cls.environment
        maker.folder.mkdir()
        maker.repository = cls.repository = maker.folder / "repository"
        shutil.copytree(sides_test.REPOSITORY, maker.repository)
        maker.git("init", "--quiet", "--initial-branch=main")
        maker.commit("one")
        maker.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        cls.compared = maker.folder / "ab"
        words = ("ab", "HEAD~1", ".", "-o", cls.compared, "--device", cls.device, *PAIRS)
        cls.expect(1, cls.plumbline(*words, cwd=maker.repository, timeout=sides_test.LIMIT_S))

    def setUp(self):
        planted.Planted.setUp(self)

    def changed(self, change):
        """A copy of the comparison, changed."""
        copy = self.folder / "ab"
        shutil.copytree(self.compared, copy)
        planted.edit_json(copy / "comparison.json", change)
        return copy

    def bundle(self, comparison=None, *more, code=0):
        return super().bundle(comparison or self.compared, *more, code=code)

    def assert_nothing_ran(self):
        self.assertNotIn("side a:", self.said)
        self.assertEqual([entry.name for entry in (self.folder / "home").iterdir() if entry.name != "cache"], [])

    def test_a_true_claim_is_confirmed_and_a_turned_one_refuted_without_the_repository(self):
        path = self.bundle(self.changed(turn))
        hidden = self.repository.rename(self.repository.parent / "hidden")
        trees = (self.class_folder / "cache").rename(self.class_folder / "hidden-cache")
        try:
            if can_sandbox():
                answers, reasons = self.replay(REFUTED, path)
                self.assertIn("its code runs in a sandbox", self.said)
            else:
                answers, reasons = self.replay(REFUTED, path, "--trust")
            self.assertEqual(answers, {TRUE: "CONFIRMED", TURNED: "REFUTED"})
            self.assertIn("the case is slower here", reasons[TURNED])
            self.assertIn("kernels/build/libdouble.so: a library, loaded and run", self.said)
            answers, _ = self.replay(0, path, "--case", TRUE, "--trust", "-o", self.folder / "again")
            self.assertEqual(answers, {TRUE: "CONFIRMED"})
            self.assertIn("with your rights", self.said)
            self.assertIn("<html", (self.folder / "again" / "report.html").read_text(encoding="utf-8")[:3000])
        finally:
            hidden.rename(self.repository)
            trees.rename(self.class_folder / "cache")

    def test_the_same_comparison_gives_the_same_bytes(self):
        first = self.bundle().read_bytes()
        again = self.folder / "other" / "y.tar.zst"
        again.parent.mkdir()
        self.expect(0, self.plumbline("bundle", self.compared, "-o", again, cwd="/"))
        self.assertEqual(again.read_bytes(), first)

    def test_it_lists_what_would_run_and_runs_nothing(self):
        bundle = self.listed(self.bundle())
        self.assertEqual({case["case"] for case in bundle["cases"]}, sides_test.CASES)
        code = {f"kernels/{name}" for name in ("perf.yaml", "build/libdouble.so", "build/libturns.so")}
        for side in ("a", "b"):
            self.assertEqual({source["path"] for source in bundle[side]["sources"]}, code)
            self.assertTrue(all(source["hash"] for source in bundle[side]["sources"]), bundle[side])
            self.assertEqual(bundle[side]["suites"], ["kernels/perf.yaml"])
        self.assertNotEqual(bundle["a"]["commit"], bundle["b"]["commit"])
        shown = self.expect(0, self.plumbline("bundle", "--list", self.folder / "x.tar.zst")).stdout
        for text in ("kernels/build/libdouble.so: a library, loaded and run", bundle["a"]["commit"], "page.html"):
            self.assertIn(text, shown)

    def test_it_names_no_machine_no_folder_and_no_secret(self):
        path = self.bundle(self.changed(with_variables))
        self.assertIn("--b-env", self.said)
        text = json.dumps(self.listed(path))
        secrets = [str(self.class_folder), "token-4711", "API_TOKEN"]
        secrets += [name for name in (platform.node(), getpass.getuser()) if len(name) > 5]  # "vm" is part of words
        contents = self.unpacked(path)
        for content in (text.encode(), *contents.values()):
            for secret in secrets:
                self.assertNotIn(secret.encode(), content)
        if contents:
            environment = json.loads(contents["results/candidate/run.json"])["environment"]
            self.assertRegex(environment["host"], "^host-1-")
            self.assertRegex(environment["started_by"], "^user-1-")
        self.assertIn("token-4711", json.dumps(self.listed(self.bundle(self.folder / "ab", "--unredacted"))))

    def unpacked(self, path):
        """{name: content} of its files, without those of the sides: by tar, if there is zstd."""
        folder = self.folder / "unpacked"
        folder.mkdir()
        if shutil.which("zstd") is None:
            return {}
        subprocess.run(["tar", "--zstd", "-xf", path, "-C", folder], check=True)
        files = [file for file in folder.rglob("*") if file.is_file() and "sides" not in file.parts]
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}

    def test_code_that_has_changed_or_is_gone_is_told_and_left_out(self):
        for name in ("libturns.so", "libdouble.so"):  # the suite names the second one
            library = next((self.class_folder / "cache" / "trees").rglob(name))
            content = library.read_bytes()
            library.write_bytes(content + b"changed")
            try:
                path = self.bundle()
                self.assertIn(f"{name} (it has changed since it was measured)", self.said)
            finally:
                library.write_bytes(content)
            side = self.listed(path)["a"]
            self.assertEqual([absent["path"] for absent in side["absent"]], [name])
            self.assertNotIn(f"kernels/build/{name}", {source["path"] for source in side["sources"]})

    def test_a_comparison_without_a_claim_is_refused(self):
        def calm(comparison):
            for finding in comparison["findings"]:
                finding["verdict"] = "UNRESOLVED"

        calmed = self.changed(calm)
        self.assertIn("claims no change", self.expect(MISTAKE, self.plumbline("bundle", calmed, "-o", "x")).stderr)
        done = self.plumbline("bundle", calmed, "-o", "x", "--case", TRUE)
        self.assertIn("it is UNRESOLVED", self.expect(MISTAKE, done).stderr)

    def test_another_device_is_not_comparable_and_nothing_runs(self):
        answers, reasons = self.replay(NOT_COMPARABLE, self.bundle(self.changed(elsewhere)))
        self.assertEqual(set(answers.values()), {"NOT COMPARABLE"})
        self.assertIn("Another CPU there", reasons[TRUE])
        self.assert_nothing_ran()

    def test_missing_variables_are_not_comparable(self):
        path = self.bundle(self.changed(with_variables))
        _, reasons = self.replay(NOT_COMPARABLE, path)
        self.assertIn("--b-env", reasons[TRUE])
        self.assert_nothing_ran()

    def test_sides_of_one_code_are_not_comparable(self):
        path = self.bundle(self.changed(of_one_code))
        self.assertIn("both sides have the same files", self.said)
        _, reasons = self.replay(NOT_COMPARABLE, path)
        self.assertIn("what made the difference is not in it", reasons[TRUE])
        self.assert_nothing_ran()

    def test_a_missing_worker_is_not_comparable(self):
        alone = self.folder / "alone" / "bin"
        alone.mkdir(parents=True)
        shutil.copy(planted.BIN / "plumbline", alone)
        shutil.copytree(planted.BUILD / "lib", alone.parent / "lib", ignore=lambda _, names: {n for n in names if "csv" not in n})
        path = self.bundle()
        done = self.plumbline("replay", path, "--json", cwd=self.folder, program=alone / "plumbline")
        self.expect(NOT_COMPARABLE, done)
        self.assertIn("no plumbline-worker", done.stdout)

    def test_without_a_sandbox_it_must_be_trusted(self):
        done = self.plumbline("replay", self.bundle(), cwd=self.folder, PATH=str(self.folder))
        self.expect(MISTAKE, done, "--trust")
        self.assertNotIn("side a:", done.stderr)

    def test_a_damaged_bundle_is_refused(self):
        path = self.bundle()
        path.write_bytes(path.read_bytes()[:-100])
        for words in (("bundle", "--list", path), ("replay", path)):
            self.assertIn("damaged", self.expect(MISTAKE, self.plumbline(*words)).stderr)


# A function, what it imports from its folder, and a package there. SECONDS is what commits change.
OPS = {
    "ops.py": """
import helper

def worked(x):
    helper.wait()
    return x + x
""",
    "helper.py": """
import time

from parts import length

def wait():
    until = time.perf_counter() + length.SECONDS
    while time.perf_counter() < until:
        pass
""",
    "parts/__init__.py": "",
    "parts/length.py": "SECONDS = 0.0003\n",
}
ENTRY = """  - {op: python, name: entry, source: ops.py, function: worked, args: {x: 'uniform[n]'},
     reference: 'aten::add(x, x)', sweep: {n: [1000], dtype: [float32]}}
"""
IN_YAML = planted.suite_text("in_yaml", [ENTRY], planted.MEASURE_WORK)
IN_PYTHON = """
import ops
import plumbline_gpu as pl
import torch

@pl.case(sweep={"n": [1000]}, reference=lambda x: x + x)
def decorated(n):
    return ops.worked, torch.randn(n)
"""


class OtherComparisons(Bundling):
    @classmethod
    def environment(cls, **more):
        return super().environment(**({"PLUMBLINE_PYTHON": sys.executable} | more))

    def replayed_without_the_repository(self, path):
        """The answers, {case: answer}, when the repository and the checkouts are hidden."""
        hidden = self.repository.rename(self.folder / "hidden")
        trees = (self.class_folder / "cache").rename(self.class_folder / "hidden-cache")
        try:
            answers, _ = self.replay(0, path, *([] if can_sandbox() else ["--trust"]))
            return answers
        finally:
            hidden.rename(self.repository)
            trees.rename(self.class_folder / "cache")

    def test_check_s_comparison_with_an_accepted_baseline_is_measured_again(self):
        subprocess.run(["make", "-s", "-C", "kernels"], cwd=self.repository, env=self.environment(), check=True)
        accepted = self.folder / "accepted"
        self.expect(0, self.plumbline("run", "--device", self.device, "-o", accepted, cwd=self.repository))
        words = ("accept", accepted, "--author", "a test", "--why", "first", "--even-so", "a test")
        self.expect(0, self.plumbline(*words, cwd=self.repository))
        self.edit("kernels/work.h", "ROUNDS 1", "ROUNDS 8")
        checked = self.folder / "checked"
        words = ("check", "--baseline-ref", "HEAD~1", "-o", checked, "--device", self.device, *PAIRS)
        self.expect(1, self.plumbline(*words, cwd=self.repository, timeout=sides_test.LIMIT_S))
        path = self.bundle(checked)
        listed = self.listed(path)
        self.assertEqual(listed["a"]["absent"], [])  # of its checkout, and not of the folder that was accepted
        self.assertEqual({case["case"] for case in listed["cases"]}, sides_test.CASES)
        self.assertNotEqual(listed["a"]["commit"], listed["b"]["commit"])
        answers = self.replayed_without_the_repository(path)
        self.assertEqual(answers, dict.fromkeys(sides_test.CASES, "CONFIRMED"))

    def test_functions_in_python_are_measured_again_with_what_they_import_from_their_folder(self):
        shutil.rmtree(self.repository)
        files = OPS | {"perf.yaml": IN_YAML, "cases.py": IN_PYTHON, "plumbline.yaml": "suites: [perf.yaml, cases.py]\n"}
        for name, text in files.items():
            self.plant(f"repository/{name}", text)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("one")
        self.edit("parts/length.py", "0.0003", "0.0024")
        compared = self.folder / "compared"
        words = ("ab", "HEAD~1", ".", "-o", compared, "--device", self.device, *PAIRS)
        self.expect(1, self.plumbline(*words, cwd=self.repository, timeout=sides_test.LIMIT_S))
        path = self.bundle(compared)
        listed = self.listed(path)
        for side in ("a", "b"):
            held = {source["path"] for source in listed[side]["sources"]}
            self.assertEqual(held, {*OPS, "perf.yaml", "cases.py"}, listed[side])
            self.assertEqual(listed[side]["absent"], [])
        answers = self.replayed_without_the_repository(path)
        cases = {f"{name}/custom/dtype=float32/n=1000" for name in ("entry", "decorated")}
        self.assertEqual(answers, dict.fromkeys(cases, "CONFIRMED"))


if __name__ == "__main__":
    planted.main()
