#!/usr/bin/python3
"""ci/request.py: what a comment or bench.yaml asks for becomes jobs, and hostile text becomes nothing.

usage: request_test.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fake_server

CI = pathlib.Path(__file__).resolve().parents[2] / "ci"
sys.path.insert(0, str(CI))
sys.dont_write_bytecode = True
import request  # noqa: E402
DEVICES = '{"h100": ["self-hosted", "h100"], "cpu": ["ubuntu-24.04"]}'
HOSTILE = ("$(touch planted)", "`touch planted`", "softmax;touch${IFS}planted", "softmax&&touch", "softmax|sh", ">planted",
           "--build=touch", "--device=$(touch planted)", "--worker", "-o", "../../etc/passwd", "/etc/passwd", "a/../../b", "softmax'",
           'soft"max', "soft\\max", "soft*", "${{github.token}}", "$HOME", "~root", "soft\x00max", "soft\x1b[2Jmax", "ſoftmax", "soft\u202emax",
           "x" * 500, "--looks=3;4", "--looks=0", "--tag=--build", "--device=", "softmax\u2028--build", "{a,b}", "a=$(b)", "%s", "#x")


class Request(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bench").mkdir()
        for name in ("softmax", "gemm"):
            (self.folder / f"bench/{name}.yaml").write_text("suite: x\n", encoding="utf-8")
        (self.folder / "plumbline.yaml").write_text("suites: bench\n", encoding="utf-8")
        self.server = fake_server.FakeServer()
        self.addCleanup(self.server.close)
        self.server.pulls[5] = {"number": 5, "head": {"sha": "a" * 40, "label": "o:topic"}, "base": {"ref": "main"}}
        self.variables = {"PATH": os.environ["PATH"], "REQUEST_DEVICES": DEVICES, "GITHUB_OUTPUT": str(self.folder / "output"),
                          "GITHUB_API_URL": self.server.url, "GITHUB_REPOSITORY": "o/r", "PLUMBLINE_TOKEN": fake_server.TOKEN}

    def ask(self, *words, code=0, **variables):
        (self.folder / "output").write_text("", encoding="utf-8")
        done = subprocess.run([sys.executable, CI / "request.py", *words], cwd=self.folder, env=self.variables | variables,
                              capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        lines = (self.folder / "output").read_text(encoding="utf-8")
        self.assertEqual(lines, done.stdout)
        self.assertFalse((self.folder / "planted").exists())
        if code != 0:
            self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), done.stderr)
            return done.stderr
        found = dict(line.split("=", 1) for line in lines.splitlines())
        jobs = json.loads(found["matrix"])["include"]
        self.assertEqual(int(found["count"]), len(jobs))
        return jobs, found

    def comment(self, text, code=0, association="MEMBER", issue=None):
        event = {"comment": {"body": text, "author_association": association}, "issue": {"number": 5, "pull_request": {}} if issue is None else issue}
        if event["issue"].get("pull_request") is not None:
            event["issue"]["pull_request"] = {"url": "x"}
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        return self.ask("event", code=code, GITHUB_EVENT_PATH=str(self.folder / "event.json"))

    def file(self, text, code=0):
        (self.folder / "bench.yaml").write_text(text, encoding="utf-8")
        return self.ask("file", code=code)

    def test_a_line_of_a_comment_becomes_a_job_for_each_device(self):
        jobs, found = self.comment("Looks good.\r\n/plumbline run softmax bench/new.yaml --device h100 --device=cpu --tag nightly --looks 3,6\r\nThanks")
        suites = "bench/softmax.yaml bench/new.yaml"
        options = "--tag nightly --looks 3,6"
        self.assertEqual(jobs, [{"device": "h100", "labels": ["self-hosted", "h100"], "suites": suites, "options": options},
                                {"device": "cpu", "labels": ["ubuntu-24.04"], "suites": suites, "options": options}])
        self.assertEqual((found["commit"], found["base"]), ("a" * 40, "main"))

    def test_without_a_device_it_is_the_first(self):
        self.assertEqual([job["device"] for job in self.comment("/plumbline run gemm")[0]], ["h100"])

    def test_comments_that_ask_for_nothing_make_no_job(self):
        for text in ("", "please /plumbline run softmax", "> /plumbline run softmax", " /plumbline run softmax"):
            self.assertEqual(self.comment(text)[0], [])
        self.assertEqual(self.comment("/plumbline run softmax", issue={"number": 5})[0], [])

    def test_only_those_who_may_write_can_ask(self):
        for association in ("NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "owner", ""):
            self.assertIn("can ask", self.comment("/plumbline run softmax", 2, association))
        for association in ("OWNER", "MEMBER", "COLLABORATOR"):
            self.assertEqual(len(self.comment("/plumbline run softmax", 0, association)[0]), 1)

    def test_hostile_words_of_a_comment_are_mistakes(self):
        for word in HOSTILE:
            with self.subTest(word):
                self.assertIn("comment", self.comment(f"/plumbline run softmax {word}", 2))

    def test_hostile_words_of_a_file_are_mistakes(self):
        for word in HOSTILE:
            if word == "#x":  # a remark in a file
                continue
            for text in (f"suites: [{word}]\n", f"suites:\n  - {word}\n", f"suites: [softmax]\ntags: ['{word}']\n"):
                with self.subTest(text), self.assertRaisesRegex(request.Mistake, "bench.yaml:[12]"):
                    request.of_file(text, "bench.yaml")

    def test_lines_cannot_be_added_to_the_output(self):
        self.comment("/plumbline run softmax\ncount=9\nmatrix={}")
        self.assertEqual(len((self.folder / "output").read_text(encoding="utf-8").splitlines()), 4)
        for break_of_line in ("\x0b", "\x0c", "\x85", "\u2028"):
            self.comment(f"/plumbline run softmax{break_of_line}--build=x", 2)
        self.server.pulls[5]["head"]["sha"] = "a" * 40 + "\ncount=9"
        self.assertIn("not names of git", self.comment("/plumbline run softmax", 2))

    def test_mistakes_say_what_is_allowed(self):
        for text, words in (("/plumbline", "allowed: /plumbline run"), ("/plumbline stop", "allowed: /plumbline run"), ("/plumbline run", "names no suite"),
                            ("/plumbline run softmax --device b200", "there are h100, cpu"), ("/plumbline run sofmax", "there are gemm, softmax"),
                            ("/plumbline run softmax\n/plumbline run gemm", "second request"), ("/plumbline run softmax --rounds 3", "--device, --tag, --looks"),
                            ("/plumbline run " + "gemm " * 60, "at most 40")):
            self.assertIn(words, self.comment(text, 2))
        self.comment("/plumbline run softmax")
        for devices in ("", "[]", "{}", '{"h100": "x"}', '{"h100": []}', "{"):
            self.assertIn("REQUEST_DEVICES", self.ask("event", code=2, REQUEST_DEVICES=devices, GITHUB_EVENT_PATH=str(self.folder / "event.json")))

    def test_a_file_is_yaml_in_its_simplest_form(self):
        text = "# What to measure\n---\nsuites: [softmax, 'gemm']  # two\ndevices:\n  - cpu\n  - h100\ntags: nightly\nlooks: [3, 6]\n"
        jobs, _ = self.file(text)
        self.assertEqual([job["device"] for job in jobs], ["cpu", "h100"])
        self.assertEqual(jobs[0]["suites"], "bench/softmax.yaml bench/gemm.yaml")
        self.assertEqual(jobs[0]["options"], "--tag nightly --looks 3,6")

    def test_files_that_ask_for_nothing_make_no_job(self):
        self.assertEqual(self.ask("file")[0], [])
        for text in ("", "# nothing\n", "suites: []\n", "suites:\n"):
            self.assertEqual(self.file(text)[0], [])

    def test_the_event_of_a_pull_request_reads_the_file(self):
        event = {"pull_request": {"number": 5, "head": {"sha": "b" * 40}, "base": {"ref": "main"}}}
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        where = {"GITHUB_EVENT_PATH": str(self.folder / "event.json"), "REQUEST_FILE": "ask.yaml"}
        self.assertEqual(self.ask("event", **where), ([], {"count": "0", "matrix": '{"include": []}'}))
        (self.folder / "ask.yaml").write_text("suites: gemm\ndevices: cpu\n", encoding="utf-8")
        jobs, found = self.ask("event", **where)
        self.assertEqual((jobs[0]["labels"], found["commit"]), (["ubuntu-24.04"], "b" * 40))
        self.assertEqual(self.server.calls, [])  # the event has all of it

    def test_mistakes_of_a_file_have_their_line(self):
        for text, words in (("suites: [softmax]\nrunner: x\n", "bench.yaml:2"), ("suites: [softmax\n", "bench.yaml:1"), ("suites: [softmax]\nsuites: [gemm]\n", "twice"),
                            ("devices: [h100]\n", "names no suite"), ("suites: {a: b}\n", "bench.yaml:1"), ("- softmax\n", "bench.yaml:1"),
                            ("suites: &a [softmax]\n", "bench.yaml:1"), ("suites: !!python/name:os.system\n", "bench.yaml:1"), ("\tsuites: x\n", "bench.yaml:1")):
            self.assertIn(words, self.file(text, 2))
        (self.folder / "bench.yaml").unlink()
        (self.folder / "bench.yaml").symlink_to("/etc/passwd")
        self.assertIn("expected a file", self.ask("file", code=2))

    def test_options_of_a_request_reach_the_measurement_as_words(self):
        """What request.py lets through, ci/judge.sh splits at blanks and nowhere else."""
        script = (CI / "judge.sh").read_text(encoding="utf-8")
        function = script[script.index("words_of() {"):script.index("# The one word")]
        hostile = "--tag $(touch planted) `touch planted` * 'a b' \\ \"c\"\n--looks 3"
        done = subprocess.run(["bash", "-c", f'{function}\nwords_of "$1"', "bash", hostile], cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(done.stdout.split(b"\0")[:-1], [word.encode() for word in hostile.split()])
        self.assertFalse((self.folder / "planted").exists())


if __name__ == "__main__":
    unittest.main()
