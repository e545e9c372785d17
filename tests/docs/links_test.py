"""Every link of every page of the tree leads to an existing file and heading, every page of docs/ can be reached from
README.md, and generated pages and the manual page are current. pages_test.py checks names and flags."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"]
FOLDERS = ("ci", "docs", "harness", "reports", "suites", "tests")


def pages():
    found = [page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md") if "golden" not in page.parts]
    return [*ROOT.glob("*.md"), *found]


def prose(page):
    """A page's text without code blocks and inline code."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def links(page):
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)) if "://" not in link]


def anchors(page):
    """Anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: {link} leads nowhere"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page.relative_to(ROOT)}: {link} names no heading; there are {sorted(anchors(target))}"


def reachable():
    found, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in found or page.suffix != ".md" or not page.exists():
            continue
        found.add(page)
        left += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if link[0] != "#"]
    return found


class Links(unittest.TestCase):
    def test_they_lead_to_files_and_headings(self):
        self.assertGreater(len(pages()), 20)
        self.assertEqual([wrong for page in pages() for wrong in broken_links(page)], [])

    def test_every_page_of_docs_is_reached_from_the_readme(self):
        found = reachable()
        missed = [str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md") if page not in found]
        self.assertEqual([page for page in missed if page != "docs/index.md"], [])

    def test_generated_pages_are_current(self):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "reference", "--check"], capture_output=True, encoding="utf-8",
            env={**os.environ, "PLUMBLINE_BUILD": str(BUILD)},
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_manual_page_is_what_readers_of_it_take(self):
        page = ROOT / "docs" / "plumbline.1"
        checkers = (["groff", "-man", "-Tutf8", "-ww", "-z"], ["man", "-l", "--warnings"], ["mandoc", "-T", "lint", "-W", "error"])
        tried = [[*words, page] for words in checkers if shutil.which(words[0])]
        if not tried:
            self.skipTest("neither groff, man nor mandoc is installed")
        for words in tried:
            with self.subTest(words[0]):
                done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(re.findall(r"^\.SH (.*)$", page.read_text(encoding="utf-8"), re.M), SECTIONS)

    def test_the_manual_page_has_every_command_and_flag_of_the_reference(self):
        reference = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
        page = (ROOT / "docs" / "plumbline.1").read_text(encoding="utf-8").replace("\\-", "-")
        for part in reference.split("\n## ")[1:]:
            usage = re.search(r"^Usage: (.*)$", part, re.M)[1]
            heading = ".SH DESCRIPTION" if part.startswith("plumbline") else f".SS {usage}"
            self.assertTrue(heading in page, heading)
            below = page.split(heading, 1)[1].split("\n.S", 1)[0]
            for flag in re.findall(r"^  (-\S+)", part, re.M):
                self.assertTrue(flag == "-h,--help" or f"\\fB{flag}" in below, f"{heading} lacks {flag}")
        self.assertTrue("\n## worker build\n" in reference)
        for variable in re.search(r"^Environment: (.*)\.$", reference, re.M)[1].split(", "):
            self.assertTrue(f"\n\\fB{variable}\\fR\n" in page, variable)


if __name__ == "__main__":
    unittest.main()
