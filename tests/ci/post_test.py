#!/usr/bin/python3
"""ci/post.py against a server on the loopback: the comment is one, stays short, and is nobody else's.

usage: post_test.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fake_server

POST = pathlib.Path(__file__).resolve().parents[2] / "ci" / "post.py"
TEXT = "## Plumbline · Clean\n\n2 SAME\n"


class Post(unittest.TestCase):
    def setUp(self):
        self.server = fake_server.FakeServer()
        self.addCleanup(self.server.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.variables = {"PATH": os.environ["PATH"], "GITHUB_API_URL": self.server.url, "GITHUB_REPOSITORY": "o/r",
                          "PLUMBLINE_TOKEN": fake_server.TOKEN, "POST_NUMBER": "5", "GITHUB_RUN_ID": "7"}

    def post(self, action, text=TEXT, code=0, **variables):
        file = self.folder / "verdict.md"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, POST, action, file], env=self.variables | variables, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(len((done.stdout + done.stderr).splitlines()), 1)
        return done.stdout + done.stderr

    def event(self, **content):
        file = self.folder / "event.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        return {"GITHUB_EVENT_PATH": str(file), "POST_NUMBER": ""}

    def bodies(self):
        return [comment["body"] for comment in self.server.comments]

    def test_a_comment_is_made_once_and_then_kept_up_to_date(self):
        self.assertIn("issuecomment-100", self.post("comment"))
        self.post("comment", "## Plumbline · Slower\n")
        [body] = self.bodies()
        self.assertTrue(body.startswith("<!-- plumbline: plumbline -->\n## Plumbline · Slower\n"), body)
        self.assertIn("https://github.com/o/r/actions/runs/7", body)
        self.assertEqual([call[0] for call in self.server.calls], ["GET", "POST", "GET", "PATCH"])

    def test_it_is_found_on_a_later_page_and_apart_from_other_jobs(self):
        for number in range(230):
            self.server.add_comment(f"said {number}")
        self.post("comment", POST_NAME="plumbline h100")
        self.post("comment", POST_NAME="plumbline")
        self.post("comment", POST_NAME="plumbline h100")
        self.assertEqual(len(self.bodies()), 232)

    def test_a_persons_comment_with_the_marker_is_left_alone(self):
        for kind, body in (("User", "<!-- plumbline: plumbline -->\nmine"), ("Bot", "> <!-- plumbline: plumbline -->\nquoted")):
            self.server.add_comment(body, kind)
        before = self.bodies()
        self.post("comment")
        self.assertEqual(self.bodies()[:2], before)
        self.assertEqual(len(self.bodies()), 3)

    def test_what_is_too_long_is_cut_at_a_line_and_points_to_the_report(self):
        for line in ("| **SLOWER** | softmax |\n", "µ" * 60_000 + "\n", "x" * 70_000):
            self.post("comment", line * 4000, POST_URL="https://there/artifact")
            [body] = self.bodies()
            self.assertLessEqual(len(body.encode()), 65_000)
            self.assertIn("This is cut", body)
            self.assertTrue(body.endswith("[The whole report](https://there/artifact)\n"))
            self.server.comments.clear()
        self.post("comment", "a\n" * 30_000)
        self.assertNotIn("This is cut", self.bodies()[0])

    def test_a_check_of_what_could_not_be_judged_is_neutral(self):
        commit = "a" * 40
        for code, conclusion in (("0", "success"), ("1", "failure"), ("2", "failure"), ("3", "neutral"), ("", "failure")):
            self.post("check", POST_COMMIT=commit, POST_CODE=code)
            check = self.server.checks[-1]
            self.assertEqual((check["conclusion"], check["head_sha"], check["status"]), (conclusion, commit, "completed"))

    def test_the_commit_and_number_are_those_of_the_event(self):
        where = self.event(pull_request={"number": 9, "head": {"sha": "b" * 40}})
        self.post("comment", **where)
        self.post("check", POST_CODE="0", GITHUB_SHA="c" * 40, **where)
        self.assertEqual(self.server.comments[0]["number"], 9)
        self.assertEqual(self.server.checks[0]["head_sha"], "b" * 40)

    def test_the_number_of_a_forks_run_is_found_by_its_head_alone(self):
        run = {"head_repository": {"owner": {"login": "them"}}, "head_branch": "topic", "head_sha": "d" * 40}
        for number, sha in ((3, "e" * 40), (4, "d" * 40)):
            self.server.pulls[number] = {"number": number, "head": {"label": "them:topic", "sha": sha}}
        self.post("comment", **self.event(workflow_run=run))
        self.assertEqual(self.server.comments[0]["number"], 4)
        del self.server.pulls[4]
        said = self.post("comment", code=2, **self.event(workflow_run=run))
        self.assertIn("no open pull request", said)

    def test_a_note_of_gitlab_is_one_and_nobody_elses(self):
        gitlab = {"GITHUB_REPOSITORY": "", "CI_API_V4_URL": self.server.url, "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "5", "POST_NUMBER": "",
                  "CI_MERGE_REQUEST_PROJECT_URL": "https://gitlab.com/o/r", "CI_JOB_URL": "https://gitlab.com/o/r/-/jobs/1"}
        self.server.add_comment("<!-- plumbline: plumbline -->\nof somebody else", author=8)
        self.assertIn("https://gitlab.com/o/r/-/merge_requests/5", self.post("comment", **gitlab))
        self.post("comment", "## Plumbline · Slower\n", **gitlab)
        self.assertEqual(len(self.bodies()), 2)
        self.assertIn("Slower", self.bodies()[1])
        self.assertIn("https://gitlab.com/o/r/-/jobs/1", self.bodies()[1])
        self.server.refuses = {"PUT"}
        self.assertIn("scope api", self.post("comment", code=2, **gitlab))
        self.assertIn("only GitHub has checks", self.post("check", code=2, **gitlab))

    def test_refusals_name_the_permission(self):
        self.server.refuses = {"POST"}
        self.assertIn("pull-requests: write", self.post("comment", code=2))
        self.assertIn("checks: write", self.post("check", code=2, POST_COMMIT="a" * 40))
        self.assertIn("401", self.post("comment", code=2, PLUMBLINE_TOKEN="another"))

    def test_mistakes_are_two(self):
        for variables, words in (({"PLUMBLINE_TOKEN": ""}, "needs a token"), ({"POST_NUMBER": "5/../6"}, "no number"),
                                 ({"POST_NAME": "a --> b"}, "POST_NAME"), ({"GITHUB_REPOSITORY": "o/r/../x"}, "OWNER/NAME"),
                                 ({"GITHUB_REPOSITORY": ""}, "neither"), ({"GITHUB_API_URL": "http://127.0.0.1:1"}, "127.0.0.1:1")):
            self.assertIn(words, self.post("comment", code=2, **variables))
        self.assertIn("POST_COMMIT", self.post("check", code=2, GITHUB_SHA="HEAD"))
        self.assertEqual(self.server.comments, [])


if __name__ == "__main__":
    unittest.main()
