#!/usr/bin/env python3
"""Times how long report pages take to open in headless Chromium, from the file to the table.

usage: opening_test.py REPORT.html…

The limit is open_seconds of the REPORT.json beside a page. The best of up to 30 counts: the first
one also starts the browser's own parts, and who shares the machine slows it down for a while.
Nothing else of the tests runs beside it.
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import json
import pathlib
import shutil
import sys

import report_test

OPENINGS = 30


def check_opening(checks, browser, path):
    limit = json.loads(path.with_suffix(".json").read_text())["open_seconds"]
    opened = report_test.Page(browser, path, viewport={"width": 1280, "height": 900})
    seconds = opened.open()
    for _ in range(OPENINGS - 1):
        if seconds <= limit:
            break
        seconds = min(seconds, opened.open())
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, opened in {seconds:.2f} s")
    checks.check(seconds <= limit, f"opens in {limit} s: {seconds:.2f} s")
    opened.close()


if __name__ == "__main__":
    sys.exit(report_test.run_checks([pathlib.Path(path) for path in sys.argv[1:]],
                                    shutil.which("chromium"), check_opening))
