#!/usr/bin/env python3
"""Times how long report pages take to open in headless Chromium, from the file to the table.

usage: opening_test.py REPORT.html…

The limit is open_seconds of the REPORT.json beside a page. If it has a query, the table must answer it within
answer_seconds. The best of up to 30 counts: the first one also starts the browser's own parts, and others slow the
machine down for a while. No other test runs at the same time. Ends with `N passed, N failed`; exit code 0, 1 when a
check failed, 77 (skipped) without a browser.
"""

import json
import pathlib
import shutil
import sys

import pages

OPENINGS = 30
ANSWER = """(query) => {
  const box = document.getElementById('search'), found = document.getElementById('found');
  return new Promise((done) => {
    const started = performance.now();
    new MutationObserver(() => requestAnimationFrame(() => done((performance.now() - started) / 1000)))
      .observe(found, {childList: true});
    box.value = query;
    box.dispatchEvent(new Event('input'));
  });
}"""


def best_of(limit, measure):
    seconds = measure()
    for _ in range(OPENINGS - 1):
        if seconds <= limit:
            break
        seconds = min(seconds, measure())
    return seconds


def check_opening(checks, browser, path):
    expect = json.loads(path.with_suffix(".json").read_text())
    opened = pages.Page(browser, path, viewport={"width": 1280, "height": 900})
    seconds = best_of(expect["open_seconds"], opened.open)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, opened in {seconds:.2f} s")
    checks.check(seconds <= expect["open_seconds"], f"opens in {expect['open_seconds']} s: {seconds:.2f} s")
    if "answer_seconds" in expect:
        check_answer(checks, opened.page, expect)
    opened.close()


def check_answer(checks, page, expect):
    """A search over all rows: made, cleared and made again."""
    checks.check(page.evaluate(pages.ROWS) == expect["rows"], f"the table has {expect['rows']} rows")

    def asked():
        seconds = page.evaluate(ANSWER, expect["query"])
        found = page.evaluate(pages.ROWS)
        checks.check(0 < found < expect["rows"], f"{expect['query']!r} finds {found} rows")
        page.evaluate(ANSWER, "")
        return seconds

    seconds = best_of(expect["answer_seconds"], asked)
    print(f"{expect['rows']} rows searched in {seconds:.2f} s")
    checks.check(seconds <= expect["answer_seconds"],
                 f"a search is answered in {expect['answer_seconds']} s: {seconds:.2f} s")


if __name__ == "__main__":
    sys.exit(pages.run_checks([pathlib.Path(path) for path in sys.argv[1:]],
                                    shutil.which("chromium"), check_opening))
