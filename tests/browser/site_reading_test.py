#!/usr/bin/env python3
"""What a reader sees on a site's pages in headless Chromium: nothing is repeated or cut off, and scales are readable.

usage: site_reading_test.py PLUMBLINE

Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import pages
from planted_site import SitePage

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import planted_run

LONG = "sdpa/libtorch/batch=4/causal=true/direction=backward/dtype=bfloat16/head_dim=64/heads=16/kv_len=2048/q_len=2048"
NIGHTS = 4
NUMBERS = "(section) => [...section.querySelectorAll('.tick')].map((tick) => tick.textContent)"


def plant(program, folder):
    for night in range(1, NIGHTS + 1):
        planted_run.write_run(folder / "runs" / f"n{night}", [LONG, *planted_run.cases(11)], seed=night, day=night)
    subprocess.run([program, "site", "site", "--runs", "runs"], cwd=folder, check=True, capture_output=True)
    return folder / "site" / "index.html"


def check_case_pages(checks, browser, folder):
    for path in sorted((folder / "cases").glob("*.html")):
        opened = SitePage(browser, path, viewport={"width": 360, "height": 740})
        opened.open()
        page = opened.page
        section = page.locator("section.series")
        checks.check(section.count() == len(planted_run.METRICS), "a section for each metric")
        for part in section.all():
            text = part.inner_text().lower()
            said = text.count("no change") + text.count("lies apart")
            checks.check(said == 1, f"that nothing changed is said once: {said} times")
            numbers = part.evaluate(NUMBERS)
            checks.check(len(numbers) >= 2, f"the scale has two numbers or more: {numbers}")
        legends = page.inner_text("body").count("A point is a run")
        checks.check(legends == 1, f"what a point is is said once: {legends} times")
        height = page.evaluate("(title => title.scrollHeight - title.clientHeight)(document.querySelector('h1 .case'))")
        checks.check(height <= 0, f"the name is whole, not cut off by {height} px")
        lines = page.evaluate("[...document.querySelectorAll('.when')].every((time) => time.getClientRects().length === 1)")
        checks.check(lines and page.locator(".when").count() > 0, "a time is not broken")
        checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
        opened.close()


def check_nights(checks, browser, index):
    opened = SitePage(browser, index, viewport={"width": 360, "height": 740})
    opened.open()
    page = opened.page
    ground = page.evaluate("getComputedStyle(document.getElementById('heat-readout')).backgroundColor")
    checks.check(ground == "rgba(0, 0, 0, 0)", f"an empty readout hides no row of the table: {ground}")
    page.locator("table.heat tbody tr:nth-child(2) td").first.focus()
    # A word is broken if its letters lie on two lines.
    broken = page.evaluate("""[...document.querySelectorAll('table.heat tbody th .case')].flatMap((name) => {
      const walk = document.createTreeWalker(name, NodeFilter.SHOW_TEXT), broken = [];
      for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        const range = document.createRange();
        for (const word of text.data.matchAll(/[^ =_]+/g)) {
          range.setStart(text, word.index);
          range.setEnd(text, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map((line) => line.top)).size > 1) broken.push(word[0]);
        }
      }
      return broken;
    })""")
    checks.check(not broken, f"no word of a case's name is broken: {broken}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def check_reading(checks, browser, index):
    check_case_pages(checks, browser, index.parent)
    check_nights(checks, browser, index)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "runs").mkdir()
        return pages.run_checks([plant(sys.argv[1], folder)], shutil.which("chromium"), check_reading)


if __name__ == "__main__":
    sys.exit(main())
