#!/usr/bin/env python3
"""Opens pages of fleets in headless Chromium and checks that they work.

usage: fleet_test.py [--chromium PATH] [--screenshots DIR] PAGE.html|FOLDER…

Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import argparse
import pathlib
import shutil
import sys

import pages
from accessibility import check_accessible

MOST_SECONDS = 10  # until a page of 1,600 devices is ready, on a busy machine
VISIBLE_ROWS = "[...document.querySelectorAll('.map tr[data-find]')].filter((row) => !row.hidden).length"


def check_folded(checks, page):
    folded = page.query_selector("details.folded")
    if folded is None:
        return
    checks.check(not folded.evaluate("(d) => d.open"), "ordinary devices are folded when the page opens")
    page.focus("details.folded > summary")
    page.keyboard.press("Enter")
    checks.check(folded.evaluate("(d) => d.open"), "the keyboard unfolds them")


def check_filter(checks, page):
    all_rows = page.evaluate(VISIBLE_ROWS)
    name = page.evaluate("document.querySelector('.map tr[data-find] td.mono').textContent")
    page.keyboard.press("/")
    page.keyboard.type(name)
    found = page.evaluate(VISIBLE_ROWS)
    checks.check(0 < found < all_rows, f"the filter leaves {found} of {all_rows} rows")
    checks.check(page.inner_text("#shown").startswith(f"{found} of {all_rows}"), "the filter says how many it leaves")
    page.keyboard.press("Escape")
    checks.check(page.evaluate(VISIBLE_ROWS) == all_rows, "Escape shows all rows again")


def check_fleet(checks, browser, path, screenshots):
    for scheme, width in (("light", 1400), ("dark", 1400), ("dark", 360)):
        opened = pages.Page(browser, path, viewport={"width": width, "height": 900}, color_scheme=scheme)
        seconds = opened.open()
        page = opened.page
        what = f"{path.stem}, {scheme}, {width} px"
        checks.check(seconds < MOST_SECONDS, f"{what}: ready after {seconds:.1f} s")
        checks.check(page.evaluate(f"document.documentElement.scrollWidth <= {width}"),
                     f"{what}: nothing is wider than the window")
        if screenshots:
            page.screenshot(path=screenshots / f"{path.stem}-{scheme}-{width}.png", full_page=True)
        if scheme == "light":
            check_folded(checks, page)
            check_filter(checks, page)
        if path.stem != "large" or width == 360:  # axe takes long on 30,000 cells
            check_accessible(checks, page, what)
        checks.check(all(url.startswith("file:") for url in opened.requests), f"{what}: no request leaves the page")
        checks.check(len(opened.requests) == 1, f"{what}: {len(opened.requests)} requests")
        checks.check(not opened.complaints, f"{what}: no complaint: {opened.complaints[:3]}")
        opened.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    return pages.run_checks(options.pages, options.chromium,
                            lambda *page: check_fleet(*page, options.screenshots))


if __name__ == "__main__":
    sys.exit(main())
