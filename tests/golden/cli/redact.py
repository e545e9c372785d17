"""plumbline redact and report --redact: nothing that was planted is in a copy, and its verdict is the same."""

import csv
import json
import pathlib
import shutil
import subprocess
import sys

import fault_test
from fault_test import FaultTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import planted_run  # noqa: E402

CARD = "GPU-5ae65999-6d33-6f6f-3add-e57fbc984a76"
OTHER_CARD = "GPU-1ea24dfe-1d62-46e0-93e3-ed192c09b34d"
PCI = "0000:c7:00.0"
NAMES = ("secret", "alice", "acme.example", "c7:00", "5ae65999", "1ea24dfe", "0b7e2f51", "e57fbc984a76")
IDS = planted_run.cases(40)
ACCEPTANCE = {"by": "Alice Secret", "why": "secretreason", "at": "2026-01-01", "even_so": "secreteven"}
ENTRY = {
    "kind": "acknowledged",
    "device": "nvidia-h200",
    "suite": "planted",
    "case": IDS[0],
    "author": "Alice Secret <alice@acme.example>",
    "reason": "secretledger",
    "at": "2026-01-01",
    "until": "2026-02-01",
}

ENVIRONMENT = {
    "host": "secretbox.acme.example",
    "started_by": "Alice Secret <alice@acme.example>",
    "branch": "alice/secret-branch",
    "boot_id": "0b7e2f51-c0de-4c0d-9c0d-0123456789ab",
    "cudnn_library": "/home/alice/secretvenv/libcudnn.so.9",
    "numerics": "tf32 off, by alice@acme.example in /home/alice/secret/numerics.yaml",
    "future_serial": "secretserial",
}
INFO = {
    "command": ["plumbline", "run", "/home/alice/secretproject/q.yaml", "--title", "secretwords"],
    "asked": {
        "suites": ["/home/alice/secretproject/q.yaml"],
        "filters": ["secretfilter"],
        "set": ["x=secretvalue"],
        "device": CARD,
        "extensions": ["/opt/secret/ext.so"],
        "future": "secretasked",
    },
    "variables": {"SECRET_TOKEN": "secrettoken"},
    "suites": [
        {
            "name": "planted",
            "path": "../alice/secretsuite.yaml",
            "hash": "0123",
            "sources": [{"path": "/home/alice/secret/kernel.cu", "hash": "4567"}],
        }
    ],
    "expected": [
        {"suite": "planted", "case": IDS[3], "status": "WRONG", "reason": "secretexpected", "at": "/home/alice/s.yaml:3"}
    ],
    "workers": [{"name": "secretworker", "round": 0, "started_at": "2026-01-01T00:00:00Z"}],
    "future": {"anything": ["secretfuture"]},
}


class Redact(FaultTest):
    def plant(self, name, **options):
        """A run with secrets in all places."""
        folder = self.work / name
        planted_run.write_run(folder, IDS, **options)
        info = json.loads((folder / "run.json").read_text())
        info["environment"] |= ENVIRONMENT
        (folder / "run.json").write_text(json.dumps(info | INFO))
        with open(folder / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["worker"] = f"alice:{row['round']}"
            row["kernels"] = json.dumps([{"name": f"kernel in /home/alice/secret/k.cu on {PCI} of {CARD.lower()[4:]}"}])
            row["serial"] = "secretcolumn"
            if row["case"] == IDS[5]:
                row |= {"status": "CRASHED", "reason": "secretbox: cannot open /home/alice/x", "metric": "", "unit": ""}
                row |= {"samples": "", "block_causes": "", "part": "1/1"}
        rows = [row for row in rows if row["case"] != IDS[5] or row is next(
            one for one in rows if one["case"] == IDS[5] and one["round"] == row["round"])]
        columns = list(rows[0]) + ["reason"]
        with open(folder / "results.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        for other in ("worker.log", "report.html", "controls.json", "notes.txt"):
            (folder / other).write_text("secret of alice")
        return name

    def call(self, *words, code=0):
        found, out, err = self.plumbline(*words)
        self.assertEqual(found, code, err)
        return out, err

    def require_no_names(self, *paths):
        files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
        self.assertTrue(files)
        for file in files:
            content = (str(file.relative_to(self.work)).encode() + b"\n" + file.read_bytes()).lower()
            for name in NAMES:
                at = content.find(name.encode())
                self.assertEqual(at, -1, f"{file}: {content[max(at - 80, 0):at + 80]}")

    def verdicts(self, comparison):
        findings = json.loads((self.work / comparison).read_text())["findings"]
        return {(one["case"], one["metric"]): one["verdict"] for one in findings}

    def environments(self, *runs):
        return [json.loads((self.work / run / "run.json").read_text())["environment"] for run in runs]

    def two_runs(self):
        slower = {case: 1.2 for case in IDS[::4]}
        return self.plant("base", seed=1, uuid=CARD), self.plant("alice-run", seed=2, uuid=CARD, day=2, slower=slower)

    def test_nothing_that_was_planted_is_in_the_copy(self):
        base, candidate = self.two_runs()
        out, err = self.call("redact", base, candidate, "-o", "copy")
        self.assertEqual(out.split(), ["copy/1", "copy/2"])
        self.require_no_names(self.work / "copy")
        for text in ("replaced by placeholders: ", "environment.host", "left out: command", "kept: "):
            self.assertIn(text, err)
        info = json.loads((self.work / "copy/1/run.json").read_text())
        for line in ("environment.host: replaced", "command: left out", "variables: left out"):
            self.assertIn(line, info["redacted"])

    def test_the_verdict_of_the_copies_is_that_of_the_originals(self):
        base, candidate = self.two_runs()
        self.call("compare", base, candidate, "-o", "original.json", code=3)
        self.call("redact", base, candidate, "-o", "copy")
        self.call("compare", "copy/1", "copy/2", "-o", "copied.json", code=3)
        self.assertEqual(self.verdicts("original.json"), self.verdicts("copied.json"))
        self.assertIn("LOOKS_SLOWER", self.verdicts("copied.json").values())
        self.call("report", "copied.json", "-o", "copied.html")
        self.require_no_names(self.work / "copied.json", self.work / "copied.html")

    def test_a_comparison_brings_its_runs_and_keeps_its_verdicts(self):
        base, candidate = self.two_runs()
        self.call("compare", base, candidate, "-o", "original.json", code=3)
        comparison = json.loads((self.work / "original.json").read_text())
        comparison["baseline"]["acceptance"] = ACCEPTANCE
        comparison |= {"ledger": [ENTRY], "refusal": "secretrefusal", "notes": ["secretnote"], "future": "secret"}
        comparison["findings"][0] |= {"reason": "secretreason", "future": "secretfinding", "entry": 1}
        comparison["environment_changes"] = [
            {"name": "host", "label": "host", "kind": "environment", "baseline": "secretbox", "candidate": "alicebox"},
            {"name": "LD_PRELOAD", "label": "", "kind": "environment", "baseline": "secret", "candidate": "alice"},
        ]
        (self.work / "original.json").write_text(json.dumps(comparison))
        out, _ = self.call("redact", "original.json", "-o", "copy", "--json")
        self.assertEqual(json.loads(out)["unknown"], ["findings.*.future", "future"])
        self.require_no_names(self.work / "copy")
        self.assertEqual(self.verdicts("original.json"), self.verdicts("copy/comparison.json"))
        self.assertTrue((self.work / "copy/baseline/results.csv").exists())
        _, err = self.call("report", "copy/comparison.json", "-o", "page.html")
        self.assertNotIn("gone", err)
        self.require_no_names(self.work / "page.html")
        self.call("explain", "copy/comparison.json", IDS[0])

    def test_a_page_is_redacted_without_a_copy(self):
        base, candidate = self.two_runs()
        self.call("compare", base, candidate, "-o", "original.json", code=3)
        for shown in ("original.json", base):
            self.call("report", shown, "--redact", "-o", "page.html")
            self.require_no_names(self.work / "page.html")
            page = (self.work / "page.html").read_text()
            self.assertNotIn("/tmp/plumbline-", page)
            self.assertNotIn(str(self.work), page)
            self.assertIn(IDS[0], page)

    def commit_of_alice(self):
        """Makes the work folder a repository; gives its commit."""
        def git(*words):
            identity = ("-c", "user.name=Alice Secret", "-c", "user.email=alice@acme.example")
            return subprocess.run(["git", "-C", self.work, *identity, *words], check=True, capture_output=True, text=True)

        git("init", "--quiet")
        git("commit", "--quiet", "--allow-empty", "-m", "the secret subject")
        return git("rev-parse", "HEAD").stdout.strip()

    def change_environment(self, run, **values):
        info = json.loads((self.work / run / "run.json").read_text())
        info["environment"] |= values
        (self.work / run / "run.json").write_text(json.dumps(info))

    def test_git_is_not_asked_who_wrote_the_commit_of_a_redacted_run(self):
        commit = self.commit_of_alice()
        self.plant("one", seed=1, uuid=CARD)
        self.change_environment("one", commit=commit)
        self.call("report", "one", "-o", "open.html")
        self.assertIn("the secret subject", (self.work / "open.html").read_text())
        self.call("report", "one", "--redact", "-o", "page.html")
        self.call("redact", "one", "-o", "copy")
        self.call("report", "copy", "-o", "again.html")
        self.require_no_names(self.work / "page.html", self.work / "again.html")

    def test_a_site_of_redacted_runs_names_neither_author_nor_project(self):
        commit = self.commit_of_alice()
        self.plant("one", seed=1, uuid=CARD)
        self.change_environment("one", commit=commit)
        self.call("redact", "one", "-o", "shared/night")
        for _ in ("made", "made again from its records"):
            self.call("site", "site", "--runs", "shared")
            self.require_no_names(self.work / "site")
            self.assertNotIn(f">{self.work.name}<", (self.work / "site/index.html").read_text())
        (self.work / "plain").mkdir()
        shutil.copytree(self.work / "one", self.work / "plain/night")
        self.call("site", "plain-site", "--runs", "plain")
        self.assertIn("the secret subject", (self.work / "plain-site/index.html").read_text())

    def test_a_name_that_is_a_word_of_plumbline_changes_no_verdict(self):
        slower = {case: 1.2 for case in IDS[::4]}
        for name in ("cuda", "libtorch", "gpu_time_cold", "planted", "op0"):
            with self.subTest(name=name):
                runs = [f"{name}-{i}" for i in range(5)]
                for i, run in enumerate(runs):
                    self.plant(run, seed=i, uuid=CARD, day=i + 1, slower=slower if i == 4 else None)
                    self.change_environment(run, started_by=name, host=name, branch=name)
                copies = [f"copy-{name}/{i + 1}" for i in range(5)]
                self.call("redact", *runs, "-o", f"copy-{name}")
                found = []
                for run in (runs, copies):
                    history = self.work / f"history-{len(found)}-{name}"
                    history.mkdir()
                    for i in range(1, 4):
                        shutil.copytree(self.work / run[i], history / str(i))
                    output = f"{len(found)}-{name}.json"
                    options = ("--runs", str(history), "--trust-screen", "-o", output)
                    self.call("compare", run[0], run[4], *options, code=1)
                    found.append(self.verdicts(output))
                self.assertEqual(*found)
                self.assertIn("SLOWER", found[1].values())

    def test_names_of_variables_and_files_that_changed_are_hidden(self):
        base, candidate = self.two_runs()
        for run, value in ((base, "1"), (candidate, "2")):
            info = json.loads((self.work / run / "run.json").read_text())
            info["variables"] = {"CUDA_SECRETNAME": value}
            info["suites"][0]["sources"] = [{"path": "kernels/secretkernel.cu", "hash": value}]
            (self.work / run / "run.json").write_text(json.dumps(info))
        self.call("compare", base, candidate, "-o", "c.json", code=3)
        self.assertIn("CUDA_SECRETNAME", (self.work / "c.json").read_text())
        self.assertIn("secretkernel", (self.work / "c.json").read_text())
        self.call("redact", "c.json", "-o", "copy")
        self.call("report", "copy/comparison.json", "-o", "copied.html")
        self.call("report", "c.json", "--redact", "-o", "page.html")
        self.require_no_names(self.work / "copy", self.work / "copied.html", self.work / "page.html")

    def test_texts_that_stay_hold_no_part_of_a_name_a_path_or_an_address(self):
        self.plant("one", seed=1, uuid=CARD)
        self.change_environment(
            "one",
            host="SecretBox7.Acme.Example",
            started_by="Alice Wonder <al.w@acme.example>",
            branch="secretbranch",
            numerics="on SECRETBOX7 by alice wonder of secretbranch at 10.1.2.3, c7:00.0",
            allocator="-L/home/u/Secret/x",
            compiler="gcc x+/srv/Secret/z",
            cuda_compiler="nvcc @/srv/My Secret/z of secret",
        )
        self.call("redact", "one", "-o", "copy")
        self.require_no_names(self.work / "copy")
        text = (self.work / "copy/run.json").read_text()
        for part in ("onder", "10.1.2.3", "/srv", "/home", "al.w"):
            self.assertNotIn(part, text)

    def test_folders_that_differ_by_a_name_alone_are_numbered(self):
        self.plant("run", seed=1, uuid=CARD)
        for seed, name in enumerate(("pairs-alice", "pairs-bob", "pairs-2"), 2):
            self.plant(f"run/{name}", seed=seed, uuid=CARD)
        self.call("redact", "run", "-o", "copy")
        self.require_no_names(self.work / "copy")
        made = {path.parent.name for path in (self.work / "copy").rglob("run.json")}
        self.assertEqual(made, {"copy", "pairs", "pairs-2", "pairs-3"})

    def test_a_value_has_one_placeholder_in_a_copy_and_another_one_in_the_next(self):
        self.plant("one", seed=1, uuid=CARD)
        self.plant("two", seed=2, uuid=OTHER_CARD, day=2)
        self.plant("three", seed=3, uuid=CARD, day=3)
        self.call("redact", "one", "two", "three", "-o", "copy")
        cards = [one["device_uuid"] for one in self.environments("copy/1", "copy/2", "copy/3")]
        self.assertEqual(cards[0], cards[2])
        self.assertNotEqual(cards[0], cards[1])
        self.assertRegex(cards[0], "^gpu-1-[0-9a-f]{6}$")
        with open(self.work / "copy/2/results.csv", newline="") as file:
            self.assertEqual({row["device"] for row in csv.DictReader(file)}, {cards[1]})
        # Copies that were made apart say nothing of each other: nobody takes two cards for one.
        self.call("redact", "one", "-o", "apart")
        self.call("redact", "two", "-o", "again")
        apart, again = (one["device_uuid"] for one in self.environments("apart", "again"))
        self.assertNotEqual(apart, again)

    def test_a_run_of_this_plumbline_has_no_field_that_is_unknown(self):
        self.call("run", "demo.yaml", "-o", "run", "--rounds", "2")
        self.call("run", "demo.yaml", "-o", "next", "--rounds", "2")
        self.plumbline("compare", "run", "next", "-o", "c.json")
        base, candidate = self.two_runs()
        self.call("compare", base, candidate, "-o", "original.json", code=3)
        for name, shown in (("1", "run"), ("2", "c.json")):
            out, _ = self.call("redact", shown, "-o", f"copy-{name}", "--json")
            self.assertEqual(json.loads(out)["unknown"], [])
        out, _ = self.call("redact", "original.json", "-o", "copy-3", "--json")
        self.assertEqual(json.loads(out)["unknown"], [])

    def test_the_commands_of_the_page_work(self):
        (self.work / "runs").mkdir()
        self.plant("runs/one", seed=1, uuid=CARD)
        self.plant("runs/two", seed=2, uuid=OTHER_CARD, day=2)
        self.call("compare", "runs/one", "runs/two", "-o", "comparison.json", code=3)
        self.follow("how-to/share-results.md")
        self.require_no_names(self.work / "shared")

    def test_pairs_are_copied_as_a_whole(self):
        shutil.copytree(self.work, self.folder / "other")
        self.plumbline("ab", ".", str(self.folder / "other"), "demo.yaml", "-o", "runs/ab", "--looks", "3")
        self.call("redact", "runs/ab", "-o", "copy")
        self.assertEqual(self.verdicts("runs/ab/comparison.json"), self.verdicts("copy/comparison.json"))
        for side in ("a", "b"):
            self.assertTrue((self.work / "copy" / side / "results.csv").exists())
        for file in (self.work / "copy").rglob("*.*"):
            self.assertNotIn(str(self.folder).encode(), file.read_bytes(), file)
        _, err = self.call("report", "copy/comparison.json", "-o", "page.html")
        self.assertNotIn("gone", err)

    def test_an_unfinished_run_stays_unfinished(self):
        self.plant("one", seed=1, uuid=CARD)
        info = json.loads((self.work / "one/run.json").read_text())
        (self.work / "one/run.json").write_text(json.dumps(info | {"finished_at": None}))
        self.call("redact", "one", "-o", "copy")
        self.assertIsNone(json.loads((self.work / "copy/run.json").read_text())["finished_at"])

    def test_what_is_there_is_not_overwritten(self):
        self.plant("one", seed=1, uuid=CARD)
        _, err = self.call("redact", "one", "-o", "one", code=2)
        self.assertIn("expected a new or empty folder", err)
        (self.work / "mine").mkdir()
        (self.work / "mine/file").write_text("x")
        self.call("redact", "one", "-o", "mine", code=2)
        self.call("redact", "demo.yaml", "-o", "copy", code=2)
        self.assertFalse((self.work / "copy").exists())


if __name__ == "__main__":
    fault_test.main()
