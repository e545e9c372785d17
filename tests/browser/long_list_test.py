#!/usr/bin/env python3
"""The list of 2,000 cases of a site in headless Chromium: sorting, searching and scrolling in it.

usage: long_list_test.py PLUMBLINE

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

CASES = 2000
ROWS = CASES * len(planted_run.METRICS)
SHOWN = "[...document.querySelectorAll('#case-list tbody tr')].filter((row) => row.offsetHeight > 0).length"
# Time from the click until the window has been painted.
SORT = """async (column) => {
  const button = document.querySelector('#case-list').tHead.rows[0].cells[column].querySelector('button');
  const started = performance.now();
  button.click();
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 0)));
  return performance.now() - started;
}"""
TYPED = """async (text) => {
  const search = document.getElementById('search');
  const started = performance.now();
  search.value = text;
  search.dispatchEvent(new Event('input'));
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 0)));
  return performance.now() - started;
}"""
CASE, LAST = 1, 5  # columns


def plant(program, folder):
    ids = planted_run.cases(CASES)
    for night in (1, 2):
        planted_run.write_run(folder / "runs" / f"n{night}", ids, seed=night, day=night)
    subprocess.run([program, "site", "site", "--runs", "runs"], cwd=folder, check=True, capture_output=True)
    return folder / "site" / "cases.html"


def first(page, column):
    return page.locator("#case-list tbody tr").first.locator("td").nth(column)


def check_long_list(checks, browser, path):
    opened = SitePage(browser, path, viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    page.evaluate(SORT, LAST)
    page.evaluate(SORT, CASE)
    # The best of three: others may use the machine.
    for column, what in ((LAST, "times"), (CASE, "names")):
        took = min(page.evaluate(SORT, column) for _ in range(3))
        checks.check(took < 500, f"{ROWS} rows are sorted by {what} in {took:.0f} ms")
    took = min(page.evaluate(TYPED, text) for text in ("op1", "op2", ""))
    checks.check(took < 500, f"and searched in {took:.0f} ms")

    opened.open("#sort=case-list:5:descending")
    values = page.evaluate("[...document.querySelectorAll('#case-list tbody tr')].map((row) => Number(row.cells[5].dataset.value))")
    checks.check(len(values) == ROWS and values == sorted(values, reverse=True), "all rows are sorted, not those in sight alone")
    shown = page.evaluate(SHOWN)
    checks.check(100 < shown < 500, f"the first {shown} are shown")
    note = page.locator(".more-rows")
    checks.check(note.inner_text().startswith(f"The first {shown} of {ROWS} rows."), f"which is said: {note.inner_text()!r}")
    note.scroll_into_view_if_needed()
    page.locator(f"#case-list tbody tr:nth-child({shown + 1})").wait_for(state="visible", timeout=30_000)
    checks.check(page.evaluate(SHOWN) > shown, "scrolling to their end shows more")
    page.evaluate(TYPED, "n=1999")
    checks.check(page.evaluate(SHOWN) == len(planted_run.METRICS), "a search finds what was not in sight")
    checks.check(note.is_hidden(), "and shows all of it")
    page.evaluate(TYPED, "")
    page.locator(".more-rows button").focus()
    page.keyboard.press("Enter")
    checks.check(page.evaluate(SHOWN) == ROWS, "the button shows all")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "runs").mkdir()
        return pages.run_checks([plant(sys.argv[1], folder)], shutil.which("chromium"), check_long_list)


if __name__ == "__main__":
    sys.exit(main())
