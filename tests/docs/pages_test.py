"""Pages name only what exists: links, anchors, files, tests, commands and flags. Checks all pages in docs/, the READMEs
in harness/ and the pages at the root."""

import fnmatch
import functools
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
SOURCES = "cpp|cu|cuh|h|py|md|js|yaml|sh"
NOT_OURS = re.compile(r"^(\.git|build.*|runs|node_modules|__pycache__)$")


def pages(root):
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "harness").rglob("README.md")])


def files_of(root):
    """Paths from the root; folders end with a slash."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not NOT_OURS.match(name)]
        at = pathlib.Path(folder).relative_to(root)
        found += [(at / name).as_posix() for name in files] + [f"{(at / name).as_posix()}/" for name in folders]
    return found


class Page:
    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8")
        fenced = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
        self.blocks = "\n".join(match[0] for match in fenced.finditer(text))
        self.prose = fenced.sub("", text)
        self.spans = [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", self.prose)]
        self.links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?<!`)`[^`]+`(?!`)", "", self.prose))

    def anchors(self):
        """Anchors of headings, as GitHub makes them."""
        found = []
        for heading in re.findall(r"^#+ +(.*?) *$", self.prose, re.MULTILINE):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
        return found


def broken_links(root):
    for path in pages(root):
        for link in Page(path).links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.exists():
                yield f"{path.relative_to(root)}: {link}"
            elif anchor and anchor not in Page(target).anchors():
                yield f"{path.relative_to(root)}: {link}: no such heading"


def is_there(name, files):
    """Matches the end of a path: pages name files from the root, from harness/, or from their own folder."""
    return any(fnmatch.fnmatchcase(file, name) or fnmatch.fnmatchcase(file, f"*/{name}") for file in files)


def missing_names(root):
    files = files_of(root)
    tops = {file.split("/")[0] for file in files if "/" in file}
    tops |= {file.split("/")[1] for file in files if file.startswith("harness/") and file.count("/") > 1}
    for path in pages(root):
        if path.name == "THIRD_PARTY_NOTICES.md":  # it names files of others
            continue
        page = Page(path)
        for name in page.spans:
            if name in page.blocks:  # from an example on the page
                continue
            if re.fullmatch(rf"[\w./*-]+\.({SOURCES})", name) or (
                re.fullmatch(r"(?:[\w*-]+/)+[\w*-]*", name) and name.split("/")[0] in tops
            ):
                found = is_there(name, files) or is_there(f"{name}/", files)
            elif re.fullmatch(r"[a-z]\w*_test", name):
                found = any(is_there(f"tests/*{name}.{kind}", files) for kind in ("cpp", "py"))
            else:
                continue
            if not found:
                yield f"{path.relative_to(root)}: {name}"


@functools.cache
def help_of(*words):
    return subprocess.run([BUILD / "bin/plumbline", *words, "--help"], capture_output=True, text=True).stdout


def unknown_commands(root, help_of=help_of):
    commands = re.findall(r"^  ([a-z]+) ", help_of(), re.MULTILINE)
    for path in pages(root):
        page = Page(path)
        for line in [*page.spans, *page.blocks.replace("\\\n", " ").splitlines()]:
            called = re.match(r"(?:\$ )?(?:build/bin/)?(plumbline )?([a-z]+)\b(.*)", line.strip())
            if not called or (not called[1] and (called[2] not in commands or " --" not in called[3])):
                continue
            command, rest = called[2], called[3].split(" # ")[0].split(" -- ")[0]
            if command not in commands:
                yield f"{path.relative_to(root)}: plumbline {command}"
                continue
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.split(r"[|;&]", rest)[0]):
                part = re.match(r" ([a-z]+)\b", rest)
                known = help_of(command) + (help_of(command, part[1]) if part else "")
                if not re.search(rf"{flag}(?![a-z-])", known):
                    yield f"{path.relative_to(root)}: plumbline {command} {flag}"


class Pages(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self):
        self.assertEqual(list(broken_links(ROOT)), [])

    def test_files_and_tests_that_are_named_are_there(self):
        self.assertEqual(list(missing_names(ROOT)), [])

    def test_commands_and_their_flags_are_known(self):
        if not (BUILD / "bin/plumbline").exists():
            self.skipTest(f"there is no {BUILD / 'bin/plumbline'}")
        self.assertEqual(list(unknown_commands(ROOT)), [])

    def test_planted_faults_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for place in ("docs/explanation", "harness/core", "tests/unit"):
                (root / place).mkdir(parents=True)
            (root / "harness/core/here.h").write_text("")
            (root / "tests/unit/kept_test.cpp").write_text("")
            (root / "harness/README.md").write_text("# Words and `code`\n\n[up](../docs/gone.md)\n")
            (root / "docs/explanation/page.md").write_text(
                "# One\n[a](../../harness/README.md#words-and-code)\n"
                "[b](../../harness/README.md#gone) [c](#one) `[d](no)`\n"
                "`core/here.h` `here.h` `core/*.h` `core/gone.h` `core/`\n"
                "`kept_test` `gone_test` `mine.yaml` `yours.yaml`\n"
                "`plumbline run --rounds 3` `run --gone` `plumbline go` `go --on`\n\n```\ncat mine.yaml\n```\n"
            )
            page = "docs/explanation/page.md"
            self.assertEqual(
                list(broken_links(root)),
                [f"{page}: ../../harness/README.md#gone: no such heading", "harness/README.md: ../docs/gone.md"],
            )
            missing = ["core/gone.h", "gone_test", "yours.yaml"]
            self.assertEqual(list(missing_names(root)), [f"{page}: {name}" for name in missing])
            helps = {(): "Commands:\n  run    Measure\n", ("run",): "  --rounds VALUE\n"}
            self.assertEqual(
                list(unknown_commands(root, lambda *words: helps[words])),
                [f"{page}: plumbline run --gone", f"{page}: plumbline go"],
            )


if __name__ == "__main__":
    unittest.main()
