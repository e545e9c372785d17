#!/usr/bin/env python3
"""ci/request.py event|file [FILE]: what a change asks to be measured, as a matrix of jobs.

event  The event of a job of GitHub (GITHUB_EVENT_PATH). If it is a comment on a pull request, one of its lines may be
           /plumbline run SUITE... [--device DEVICE]... [--tag TAG]... [--looks PAIRS]
       Only people who may write to the repository can ask. If it is a pull request, REQUEST_FILE is read.
file   FILE, or bench.yaml, in the change:
           suites: [softmax, bench/gemm.yaml]
           devices: [h100]
           tags: [nightly]
           looks: [3, 6, 12]
       `suites` is required, except in an empty file. It is YAML in its simplest form: texts, and lists in one line
       or with a dash for each item.

A SUITE is the name of a suite's file without .yaml, in the folders that plumbline.yaml names in `suites:`, or a path.
Texts hold letters, digits and . _ = , / + -; everything else is a mistake. So nothing of a request can be a command, an
option or a path outside of the repository.

REQUEST_DEVICES  the devices that can be asked for, and the labels of their runners, as JSON:
                 {"h100": ["self-hosted", "h100"], "cpu": ["ubuntu-24.04"]}; the first is the default
REQUEST_ALLOWED  who can ask, by GitHub's author_association; default: OWNER MEMBER COLLABORATOR
REQUEST_FILE     the file of a pull request; default: bench.yaml
PLUMBLINE_TOKEN  a token of GitHub that reads pull requests; for `event`

Prints count=N and matrix={"include": [{"device", "labels", "suites", "options"}]}, for `event` also commit= and base= of
the pull request as it is now, and adds these lines to the file that GITHUB_OUTPUT names. Exit codes: 0; 2 a mistake, with its place.
"""

import json
import os
import pathlib
import re
import sys
import urllib.request

WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=,/+-]*")
LONGEST, MOST_WORDS, MOST_BYTES = 200, 40, 65_536
TIMEOUT_S = 60
COMMAND = "/plumbline"
KEYS = ("suites", "devices", "tags", "looks")
FLAGS = {"--device": "devices", "--tag": "tags", "--looks": "looks"}


class Mistake(Exception):
    """What was found, where, and what is allowed."""


def checked(word, where, what):
    """The word, if it can only be a name, a path inside of the repository, or a number."""
    if len(word) > LONGEST:
        raise Mistake(f"{where}: found a {what} of {len(word)} characters; at most {LONGEST} are allowed")
    if not WORD.fullmatch(word):
        raise Mistake(f"{where}: found the {what} {word!r}; letters, digits and . _ = , / + - are allowed, a letter or digit first")
    if ".." in word.split("/"):
        raise Mistake(f"{where}: found the {what} {word!r}, which leaves the repository")
    if what == "looks" and not re.fullmatch(r"[1-9]\d{0,2}(,[1-9]\d{0,2})*", word):
        raise Mistake(f"{where}: found looks {word!r}; allowed are numbers of pairs, as 3,6,12")
    return word


def of_line(line, where):
    """The request in one line of a comment."""
    words = line.split()
    if words[:2] != [COMMAND, "run"]:
        raise Mistake(f"{where}: found {' '.join(words[:2])!r}; allowed: {COMMAND} run SUITE... [--device DEVICE] [--tag TAG] [--looks PAIRS]")
    if len(words) > MOST_WORDS:
        raise Mistake(f"{where}: found {len(words)} words; at most {MOST_WORDS} are allowed")
    asked = {name: [] for name in KEYS}
    rest = iter(words[2:])
    for word in rest:
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            if name not in FLAGS:
                raise Mistake(f"{where}: found {name!r}; allowed flags: {', '.join(FLAGS)}")
            value = value if equals else next(rest, "")
            asked[FLAGS[name]].append(checked(value, where, FLAGS[name].rstrip("s") if name != "--looks" else "looks"))
        else:
            asked["suites"].append(checked(word, where, "suite"))
    if not asked["suites"]:
        raise Mistake(f"{where}: names no suite")
    return asked


def of_comment(text):
    """The request of a comment; None if it has none."""
    found = None
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if not line.startswith(COMMAND):
            continue
        if found is not None:
            raise Mistake(f"comment:{number}: found a second request; one is allowed")
        found = of_line(line, f"comment:{number}")
    return found


def values_of(text, where, key):
    """A text, or a list in brackets."""
    text = text.strip()
    if text.startswith("[") != text.endswith("]"):
        raise Mistake(f"{where}: found {text!r}; a list in brackets is in one line")
    items = text[1:-1].split(",") if text.startswith("[") else [text]
    if items == [""]:
        return []
    return [checked(unquoted(item.strip()), where, key.rstrip("s") if key != "looks" else key) for item in items]


def unquoted(text):
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def of_file(text, name):
    """The request of a file; None if it is empty, or its list of suites is."""
    asked, key = {}, None
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{name}:{number}"
        line = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not line or line == "---":
            continue
        item = re.fullmatch(r"\s*- (.*)", line)
        entry = re.fullmatch(r"([a-z]+):(| .*)", line)
        if item and key is not None:
            asked[key] += values_of(item[1], where, key)
        elif entry and entry[1] in KEYS:
            if entry[1] in asked:
                raise Mistake(f"{where}: found {entry[1]!r} twice")
            asked[entry[1]] = values_of(entry[2], where, entry[1]) if entry[2].strip() else []
            key = entry[1] if not entry[2].strip() else None
        else:
            raise Mistake(f"{where}: found {line!r}; allowed keys: {', '.join(KEYS)}, each with a text or a list")
    if any(asked.values()) and not asked.get("suites"):
        raise Mistake(f"{name}: names no suite in `suites:`")
    return {name: asked.get(name, []) for name in KEYS} if asked.get("suites") else None


def suite_folders():
    """What plumbline.yaml names in `suites:`, in one line; without it the current folder."""
    path = pathlib.Path("plumbline.yaml")
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    named = re.search(r"^suites:\s*(\[[^\]\n]*\]|[^\s#\[][^#\n]*)", text, re.MULTILINE)
    words = re.split(r"[,\s]+", named[1].strip("[] \t")) if named else ["."]
    return [pathlib.Path(unquoted(word)) for word in words if word]


def path_of(suite, where):
    """The file of a suite, by its name or path."""
    if "/" in suite or suite.endswith(".yaml"):
        return suite
    known = {}
    for folder in suite_folders():
        files = sorted(folder.glob("*.yaml")) if folder.is_dir() else [folder]
        known |= {file.stem: file.as_posix() for file in files if file.name != "plumbline.yaml"}
    if suite not in known:
        raise Mistake(f"{where}: found the suite {suite!r}; there are {', '.join(sorted(known)) or 'none'}")
    return known[suite]


def devices_here():
    """The devices that can be asked for, with the labels of their runners."""
    text = os.environ.get("REQUEST_DEVICES", "")
    try:
        devices = json.loads(text)
    except ValueError as error:
        raise Mistake(f"REQUEST_DEVICES is no JSON: {error}") from error
    well_formed = isinstance(devices, dict) and devices and all(
        isinstance(labels, list) and labels and all(isinstance(label, str) for label in labels) for labels in devices.values())
    if not well_formed:
        raise Mistake('REQUEST_DEVICES: expected labels by device, as {"h100": ["self-hosted", "h100"]}')
    return devices


def matrix_of(asked, where):
    """A job for each device that is asked for."""
    if asked is None:
        return []
    devices = devices_here()
    wanted = list(dict.fromkeys(asked["devices"])) or [next(iter(devices))]
    for device in wanted:
        if device not in devices:
            raise Mistake(f"{where}: found the device {device!r}; there are {', '.join(devices)}")
    suites = " ".join(dict.fromkeys(path_of(suite, where) for suite in asked["suites"]))
    options = [word for tag in asked["tags"] for word in ("--tag", tag)]
    options += ["--looks", ",".join(asked["looks"])] if asked["looks"] else []
    return [{"device": device, "labels": devices[device], "suites": suites, "options": " ".join(options)} for device in wanted]


def from_comment(event):
    body = (event.get("comment") or {}).get("body") or ""
    if not (event.get("issue") or {}).get("pull_request"):
        return None  # a comment on an issue
    asked = of_comment(body)
    allowed = (os.environ.get("REQUEST_ALLOWED") or "OWNER MEMBER COLLABORATOR").split()
    if asked is not None and event["comment"].get("author_association") not in allowed:
        raise Mistake(f"comment: its author is {event['comment'].get('author_association')}; {', '.join(allowed)} can ask for a measurement")
    return asked


def pull_request(event):
    """The pull request of the event: as it is now, for a comment does not hold it."""
    if event.get("pull_request"):
        return event["pull_request"]
    at = f"{os.environ.get('GITHUB_API_URL') or 'https://api.github.com'}/repos/{os.environ.get('GITHUB_REPOSITORY', '')}"
    url = f"{at}/pulls/{int(event['issue']['number'])}"
    headers = {"Authorization": f"Bearer {os.environ.get('PLUMBLINE_TOKEN', '')}", "Accept": "application/vnd.github+json"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_S) as answer:
        return json.loads(answer.read())


def from_event():
    """The jobs of the event, and the lines that say which commit they are for."""
    event = json.loads(pathlib.Path(os.environ.get("GITHUB_EVENT_PATH") or "/dev/null").read_text(encoding="utf-8") or "{}")
    path = pathlib.Path(os.environ.get("REQUEST_FILE") or "bench.yaml")
    if event.get("comment"):
        jobs = matrix_of(from_comment(event), "comment")
    else:
        jobs = matrix_of(from_file(path), path.name)
    if not jobs:
        return jobs, ""
    asked = pull_request(event)
    commit, base = str(asked["head"]["sha"]), str(asked["base"]["ref"])
    if not re.fullmatch(r"[0-9a-f]{40,64}", commit) or not re.fullmatch(r"[\w./+-]+", base):
        raise Mistake(f"found the commit {commit!r} for the branch {base!r}; they are not names of git")
    return jobs, f"commit={commit}\nbase={base}\n"


def from_file(path):
    if not path.exists():
        return None
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
        raise Mistake(f"{path}: expected a file of at most {MOST_BYTES:,} bytes")
    return of_file(path.read_text(encoding="utf-8"), path.name)


def main(words):
    if words in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    try:
        more = ""
        if words == ["event"]:
            jobs, more = from_event()
        elif words[:1] == ["file"] and len(words) <= 2:
            path = pathlib.Path(words[1] if len(words) == 2 else "bench.yaml")
            jobs = matrix_of(from_file(path), path.name)
        else:
            raise Mistake(f"found {' '.join(words)!r}; allowed: event, file [FILE]")
    except (Mistake, OSError, ValueError) as error:
        print(f"ci/request.py: {error}", file=sys.stderr)
        return 2
    lines = f"count={len(jobs)}\nmatrix={json.dumps({'include': jobs})}\n{more}"
    print(lines, end="")
    if os.environ.get("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
