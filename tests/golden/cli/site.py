"""plumbline site with tests/support/fake_worker.py: names with markup, failures, concurrent runs, lost pages."""

import fcntl
import json

import fault_test
from fault_test import FaultTest

HOSTILE = [
    "</script><script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "\u202egnp.exe\u202c",
    "x" * 10_000,
]


class Site(FaultTest):
    def night(self, name, *more, suite="demo.yaml", code=0, **variables):
        found, _, err = self.plumbline("run", suite, "-o", f"runs/{name}", *more, **variables)
        self.assertEqual(found, code, err)

    def site(self, title="Tests", code=0):
        found, _, err = self.plumbline("site", "site", "--runs", "runs", "--title", title)
        self.assertEqual(found, code, err)
        return err

    def texts(self):
        """{name: content} of all files of the site except locks."""
        root = self.work / "site"
        files = [path for path in root.rglob("*") if path.is_file() and path.name != ".lock"]
        return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files}

    def test_hostile_names_are_texts_and_never_names_of_files(self):
        entry = (
            'benchmarks:\n  - op: aten::exp\n    args: {self: "randn[n]"}\n'
            f"    sweep: {{n: [16], dtype: [float32], label: {json.dumps(HOSTILE, ensure_ascii=False)}}}\n"
        )
        (self.work / "hostile.yaml").write_text("suite: hostile\nmeasure: {rounds: 2}\n" + entry)
        for night in ("'\"><u>night", "\u202enight", HOSTILE[0].replace("/", "")):
            self.night(night, suite="hostile.yaml")
        self.site(title=HOSTILE[0])
        texts = self.texts()
        self.assertEqual(sum(file.startswith("cases/") for file in texts), len(HOSTILE))
        self.assertEqual(sum(file.startswith("commits/") for file in texts), 3)
        for file, text in texts.items():
            self.assertRegex(file, r"^[a-z0-9]+(/[a-f0-9]{16})?\.[a-z]+$")
            if file.startswith(("data/", "assets/")):
                continue
            for harmful in ("<script>alert", "<img src=x", "<u>"):
                self.assertNotIn(harmful, text, file)
            if file.endswith(".html") and not file.startswith("commits/"):
                self.assertNotIn("\u202e", text, file)
        self.assertIn("&lt;script&gt;alert(1)", texts["index.html"])

    def test_a_case_that_breaks_shows_the_runs_without_a_time(self):
        self.night("one")
        self.night("two", code=1, FAKE_WORKER='[["n=16","segfault"]]')
        self.site()
        pages = {name: text for name, text in self.texts().items() if name.startswith("cases/")}
        broken = [text for text in pages.values() if '"CRASHED"]]' in text]
        self.assertEqual(len(broken), 1)
        self.assertIn("aten::exp", broken[0])
        self.assertIn("crashed", self.texts()["cases.html"])

    def test_a_second_call_waits_for_the_first(self):
        self.night("one")
        self.site()
        self.night("two")
        with open(self.work / "site" / ".lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            second = self.start("site", "site", "--runs", "runs")
            self.addCleanup(second.kill)
            self.assertIn("waiting for it", second.stderr.readline())
            self.assertIn("· 1 runs ·", self.texts()["index.html"])
        code, _, err = self.finish(second)
        self.assertEqual(code, 0, err)
        self.assertIn("· 2 runs ·", self.texts()["index.html"])

    def test_pages_that_were_lost_or_torn_are_made_again(self):
        for night in ("one", "two"):
            self.night(night)
        self.site()
        whole = self.texts()
        pages = sorted((self.work / "site" / "cases").iterdir())
        pages[0].unlink()
        pages[1].write_text("")
        next((self.work / "site" / "commits").iterdir()).unlink()
        (self.work / "site" / "runs.js").write_text("torn")
        self.site()
        self.assertEqual(self.texts(), whole)

    def test_a_run_that_another_comparison_stands_beside_is_refused_with_both_times(self):
        for night in ("one", "two"):
            self.night(night)
        self.assertEqual(self.plumbline("compare", "runs/one", "runs/two", "-o", "runs/two/comparison.json")[0], 0)
        found = json.loads((self.work / "runs/two/run.json").read_text())
        found["started_at"] = "2001-01-01T00:00:00Z"
        (self.work / "runs/two/run.json").write_text(json.dumps(found))
        err = self.site(code=2)
        self.assertIn("2001-01-01T00:00:00Z", err)
        self.assertIn("compare again", err)


if __name__ == "__main__":
    fault_test.main()
