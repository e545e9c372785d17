#!/usr/bin/python3
"""Extensions of LibTorch: how they are named, what they may print, and that runs record them."""

import json
import shutil
import subprocess
import unittest

import planted

# Loaded together with the extension; links nothing, so that it can be built anywhere.
LOUD = """#include <cstdio>
namespace {
struct Loud {
  Loud() { std::puts(TEXT); }
} loud;
}
"""


class Extension(planted.Planted):
    def setUp(self):
        super().setUp()
        self.suite = self.plant(
            "named.yaml", planted.suite_text("named", [planted.work((64,))])
        )

    def own(self):
        """The test extension, copied to the test's folder and given by its bare name."""
        shutil.copy(planted.EXTENSION, self.folder / "mine.so")
        return "mine.so"

    def loud(self, text):
        source = self.plant("loud.cpp", LOUD)
        words = ["c++", "-shared", "-fPIC", f'-DTEXT="{text}"', source, "-o", self.folder / "loud.so"]
        subprocess.run(list(map(str, words)), check=True)
        return self.folder / "loud.so"

    def run_with(self, run, *extensions, code=0, more=()):
        flags = [word for extension in extensions for word in ("--extension", extension)]
        words = ["run", self.suite, "--device", "cpu", "-o", self.folder / run, *flags, *more]
        self.expect(code, self.plumbline(*words, cwd=self.folder))
        return self.folder / run

    def test_a_bare_name_is_one_in_the_current_folder(self):
        self.run_with("run", self.own())

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler")
    def test_what_it_prints_while_it_loads_is_no_answer(self):
        run = self.run_with("run", self.own(), self.loud("hello from the extension"))
        self.assertEqual({row["status"] for row in planted.read_rows(run)}, {"OK"})

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler")
    def test_it_is_a_source_of_the_run_so_that_another_is_noticed(self):
        before = self.run_with("before", self.own(), self.loud("one"))
        sources = json.loads((before / "run.json").read_text())["suites"][0]["sources"]
        named = {source["path"].rpartition("/")[2]: source["hash"] for source in sources}
        self.assertEqual(set(named), {"mine.so", "loud.so"})
        after = self.run_with("after", self.own(), self.loud("two"))
        output = self.folder / "comparison.json"
        self.plumbline("compare", before, after, "-o", output)
        changes = json.loads(output.read_text())["environment_changes"]
        labels = [c["label"] for c in changes if c["label"].startswith("source file")]
        self.assertEqual([label.rpartition("/")[2] for label in labels], ["loud.so"])
        planted.edit_json(before / "run.json", lambda info: info.update(finished_at=None))
        words = ["run", self.suite, "--device", "cpu", "-o", before, "--resume"]
        words += ["--extension", "mine.so", "--extension", self.folder / "loud.so"]
        self.expect(2, self.plumbline(*words, cwd=self.folder), "loud.so (hash)")


if __name__ == "__main__":
    planted.main()
