#!/usr/bin/env python3
"""ci/post.py comment|check FILE: shows a verdict where a change is discussed.

comment  One comment of a pull request (GitHub) or merge request (GitLab): written once, then kept up to date.
check    A check of the commit (GitHub), whose conclusion is neutral for exit code 3.

FILE is verdict.md of ci/judge.sh. Settings are variables of the environment:

PLUMBLINE_TOKEN  the token of the API: of GitHub, a job's own; of GitLab, one with the scope api
POST_NAME        tells several comments or checks of a change apart; default: plumbline
POST_NUMBER      number of the pull request or merge request; default: that of the job's event
POST_COMMIT      the commit of a check; default: the head of the pull request, else GITHUB_SHA
POST_CODE        the exit code of the measurement, for a check
POST_URL         where the whole report is; default: the page of the job

Exit codes: 0 it is there; 2 a mistake, or the server refused: the message names the permission that is missing.
"""

import json
import os
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

MOST_BYTES = 65_000  # GitHub refuses 65,536 characters
TIMEOUT_S = 60
PER_PAGE = 100
MOST_PAGES = 100
CONCLUSIONS = {"0": "success", "1": "failure", "3": "neutral"}
TITLES = {"0": "Nothing regressed", "1": "A regression", "2": "An error: not measured", "3": "Could not judge"}


class Mistake(Exception):
    """What was found, and what to do."""


def setting(name, default=""):
    return os.environ.get(name) or default


def event():
    path = setting("GITHUB_EVENT_PATH")
    if not path:
        return {}
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def call(method, url, headers, body=None):
    """The server's answer as JSON. Throws Mistake with its words."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers | {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        said = error.read(2000).decode("utf-8", "replace")
        raise Mistake(f"{method} {url}: {error.code} {error.reason}: {said}", error.code) from error
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise Mistake(f"{method} {url}: {error}") from error


class GitHub:
    what = "pull request"
    permission = "give the job `permissions: pull-requests: write`; a pull request of a fork has a token that only reads"

    def __init__(self):
        self.repository = setting("GITHUB_REPOSITORY")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository):
            raise Mistake(f"GITHUB_REPOSITORY={self.repository!r} is no OWNER/NAME")
        self.at = f"{setting('GITHUB_API_URL', 'https://api.github.com')}/repos/{self.repository}"
        self.headers = {"Authorization": f"Bearer {token()}", "Accept": "application/vnd.github+json",
                        "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "plumbline"}

    def number(self):
        told = event()
        if not setting("POST_NUMBER") and told.get("workflow_run"):
            return self.number_of_run(told["workflow_run"])
        return setting("POST_NUMBER", str((told.get("pull_request") or told.get("issue") or {}).get("number") or ""))

    def number_of_run(self, run):
        """The open pull request whose head another workflow measured. The event of a fork's run does not name it, and a
        file of that run could name any."""
        head = urllib.parse.quote(f"{run['head_repository']['owner']['login']}:{run['head_branch']}")
        for found in call("GET", f"{self.at}/pulls?state=open&head={head}&per_page={PER_PAGE}", self.headers):
            if found["head"]["sha"] == run["head_sha"]:
                return str(found["number"])
        raise Mistake(f"no open pull request has {run['head_sha']} as its head: it was closed, or has a newer commit")

    def comments(self, number, page):
        return call("GET", f"{self.at}/issues/{number}/comments?per_page={PER_PAGE}&page={page}", self.headers)

    def is_own(self, comment):
        """Of a program: people can write the marker, too."""
        return (comment.get("user") or {}).get("type") == "Bot"

    def create(self, number, body):
        return call("POST", f"{self.at}/issues/{number}/comments", self.headers, {"body": body})["html_url"]

    def update(self, number, comment, body):
        return call("PATCH", f"{self.at}/issues/comments/{comment}", self.headers, {"body": body})["html_url"]

    def check(self, name, commit, code, text):
        output = {"title": TITLES.get(code, TITLES["2"]), "summary": text}
        body = {"name": name, "head_sha": commit, "status": "completed", "output": output, "details_url": page_of_job(),
                "conclusion": CONCLUSIONS.get(code, "failure")}
        return call("POST", f"{self.at}/check-runs", self.headers, body)["html_url"]


class GitLab:
    what = "merge request"
    permission = "PLUMBLINE_TOKEN needs the scope api and the role Reporter; CI_JOB_TOKEN cannot write notes"

    def __init__(self):
        self.at = f"{setting('CI_API_V4_URL')}/projects/{urllib.parse.quote(setting('CI_PROJECT_ID'), safe='')}"
        self.headers = {"PRIVATE-TOKEN": token(), "User-Agent": "plumbline"}
        self.user = None

    def number(self):
        return setting("POST_NUMBER", setting("CI_MERGE_REQUEST_IID"))

    def comments(self, number, page):
        return call("GET", f"{self.at}/merge_requests/{number}/notes?per_page={PER_PAGE}&page={page}", self.headers)

    def is_own(self, comment):
        if self.user is None:
            self.user = call("GET", f"{setting('CI_API_V4_URL')}/user", self.headers)["id"]
        return (comment.get("author") or {}).get("id") == self.user

    def create(self, number, body):
        call("POST", f"{self.at}/merge_requests/{number}/notes", self.headers, {"body": body})
        return f"{setting('CI_MERGE_REQUEST_PROJECT_URL')}/-/merge_requests/{number}"

    def update(self, number, comment, body):
        call("PUT", f"{self.at}/merge_requests/{number}/notes/{comment}", self.headers, {"body": body})
        return f"{setting('CI_MERGE_REQUEST_PROJECT_URL')}/-/merge_requests/{number}"


def token():
    if not setting("PLUMBLINE_TOKEN"):
        raise Mistake("PLUMBLINE_TOKEN is not set: the server's API needs a token")
    return setting("PLUMBLINE_TOKEN")


def server():
    if setting("GITHUB_REPOSITORY"):
        return GitHub()
    if setting("CI_API_V4_URL"):
        return GitLab()
    raise Mistake("this is neither a job of GitHub (GITHUB_REPOSITORY) nor of GitLab (CI_API_V4_URL)")


def page_of_job():
    if setting("GITHUB_RUN_ID") and setting("GITHUB_REPOSITORY"):
        return f"{setting('GITHUB_SERVER_URL', 'https://github.com')}/{setting('GITHUB_REPOSITORY')}/actions/runs/{setting('GITHUB_RUN_ID')}"
    return setting("CI_JOB_URL")


def marker(name):
    if not re.fullmatch(r"[\w.-]+( [\w.-]+)*", name):
        raise Mistake(f"POST_NAME={name!r}: letters, digits, '.', '_', '-' and single blanks are allowed")
    return f"<!-- plumbline: {name} -->"


def body_of(text, name):
    """At most MOST_BYTES, with the marker before and a pointer to the report after; cut at the end of a line."""
    url = setting("POST_URL") or page_of_job()
    head = f"{marker(name)}\n"
    foot = f"\n[The whole report]({url})\n" if url else ""
    whole = head + text.rstrip("\n") + "\n" + foot
    if len(whole.encode()) <= MOST_BYTES:
        return whole
    cut = f"\n\nThis is cut: a comment holds {MOST_BYTES:,} bytes. The rest is in the report.\n"
    room = MOST_BYTES - len((head + cut + foot).encode())
    kept = text.encode()[:room].decode("utf-8", "ignore")
    return head + kept.rsplit("\n", 1)[0] + cut + foot


def comment(at, text):
    number = at.number()
    if not re.fullmatch(r"[1-9]\d*", number):
        raise Mistake(f"found no number of a {at.what} ({number!r}): this job is about none; set POST_NUMBER")
    name = setting("POST_NAME", "plumbline")
    body = body_of(text, name)
    for page in range(1, MOST_PAGES + 1):
        comments = at.comments(number, page)
        for found in comments:
            # `startswith`: a quoted marker is no marker.
            if (found.get("body") or "").startswith(marker(name)) and at.is_own(found):
                return at.update(number, found["id"], body)
        if len(comments) < PER_PAGE:
            break
    return at.create(number, body)


def check(at, text):
    if not isinstance(at, GitHub):
        raise Mistake("check: only GitHub has checks; GitLab has `allow_failure: exit_codes: [3]`")
    commit = setting("POST_COMMIT", ((event().get("pull_request") or {}).get("head") or {}).get("sha") or setting("GITHUB_SHA"))
    if not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        raise Mistake(f"{commit!r} is no commit: set POST_COMMIT")
    at.permission = "give the job `permissions: checks: write`; a pull request of a fork has a token that only reads"
    name = setting("POST_NAME", "plumbline")
    return at.check(name, commit, setting("POST_CODE", "2"), body_of(text, name))


def main(words):
    if words in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    actions = {"comment": comment, "check": check}
    at = None
    try:
        if len(words) != 2 or words[0] not in actions:
            raise Mistake(f"found {' '.join(words)!r}; allowed: comment FILE, check FILE")
        text = pathlib.Path(words[1]).read_text(encoding="utf-8", errors="replace")
        at = server()
        url = actions[words[0]](at, text)
    except (Mistake, OSError, ValueError) as error:
        refused = len(error.args) > 1 and error.args[1] in (401, 403, 404)
        print(f"ci/post.py: {error.args[0] if isinstance(error, Mistake) else error}" + (f"; {at.permission}" if refused and at else ""), file=sys.stderr)
        return 2
    print(url)
    if setting("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(f"url={url.splitlines()[0]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
