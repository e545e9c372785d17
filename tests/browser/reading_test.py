#!/usr/bin/env python3
"""What a reader does on a report page in headless Chromium: help, Back, searches that nothing can answer.

usage: reading_test.py FOLDER

FOLDER: of pages that test_reports writes; compared holds 80 cases of which one is 20 % slower.
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import pathlib
import shutil
import sys

import pages
from pages import COLUMN, ROWS, plain


def type_query(page, text):
    page.fill("#search", text)
    page.wait_for_timeout(200)
    return page.evaluate(ROWS)


def check_help(checks, page):
    page.keyboard.press("?")
    text = plain(page.inner_text("#keys"))
    checks.check("[object" not in text, f"the help is words: {text[:120]!r}")
    for key, does in (("/", "search"), ("j", "next"), ("Esc", "close")):
        checks.check(f"{key} {does}" in text, f"the help says {key} {does}: {text[:120]!r}")
    checks.check(page.locator("#keys kbd").count() == 6, "each key is shown as one")


def check_back(checks, opened):
    """Opening is a step of the history, and so is a filter that was clicked; typing is none."""
    page = opened.page
    opened.open()
    start = page.url
    page.locator("#findings a:has(> .case)").first.click()
    page.wait_for_selector("#detail:not([hidden])", timeout=3000)
    page.go_back()
    page.wait_for_selector("#detail", state="hidden", timeout=3000)
    checks.check(page.url == start, f"Back closes a case and stays on the page: {page.url}")
    page.locator("nav.counts a").first.click()
    checks.check(page.evaluate(ROWS) < 160, "a count filters the table")
    page.go_back()
    page.wait_for_timeout(200)
    checks.check(page.evaluate(ROWS) == 160, "Back takes the filter off")
    checks.check(page.input_value("#search") == "", "and empties the search")
    page.click("#show-filters")
    page.locator("#filters input[type=checkbox]").first.click()
    page.wait_for_timeout(200)
    page.go_back()
    page.wait_for_timeout(200)
    checks.check(page.evaluate(ROWS) == 160, "Back unticks a filter")
    length = page.evaluate("history.length")
    for text in ("s", "so", "sof"):
        type_query(page, text)
    checks.check(page.evaluate("history.length") == length, "typing is no step of the history")
    opened.open()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])", timeout=3000)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.go_back()
    page.wait_for_selector("#detail", state="hidden", timeout=3000)
    checks.check(page.locator("#detail").is_hidden(), "after leafing through cases Back closes the last")


def check_numbers(checks, page):
    """Numbers of a row are compared, and what cannot be asked says so."""
    every = page.evaluate(ROWS)
    found = type_query(page, "change:>4%")
    changes = page.evaluate(COLUMN, "change")
    checks.check(0 < found < every and all(float(text.replace("\u2212", "-")) > 4 for text in changes),
                 f"change:>4% finds {changes}")
    both = type_query(page, "change:>4%") + type_query(page, "-change:>4%")
    checks.check(both == every, f"-word finds the others: {both} of {every}")
    for query in ("time:>1ns", "baseline:<1s", "p:<=1", "cost:>-1s"):
        found = type_query(page, query)
        checks.check(0 < found <= every, f"{query} finds {found} of {every}")
    checks.check(type_query(page, "time:>1000s") == 0, "no case takes 1000 s")
    checks.check(page.inner_text("#query-problems") == "", "which is no fault of the question")
    said = {"nonsense:1": "No case has “nonsense”. Known words: change, time, baseline, cost, p, backend",
            "change:big": "“change” is compared with a number in %, as in change:>10%",
            "time:>3parsec": "“time” is compared with a number in s, ms, us, ns, as in time:>10us"}
    for query, words in said.items():
        type_query(page, query)
        text = plain(page.inner_text("#query-problems"))
        checks.check(text.startswith(words), f"{query!r} is answered: {text!r}")
    type_query(page, "")
    checks.check(page.inner_text("#query-problems") == "", "without a search nothing is said")


def check_alone(checks, browser, path):
    """A run alone has no change to compare."""
    opened = pages.Page(browser, path)
    opened.open()
    type_query(opened.page, "change:>4%")
    text = opened.page.inner_text("#query-problems")
    checks.check(text.startswith("No case has “change”. Known words: time, backend"), f"a run alone has no change: {text!r}")
    opened.close()


def check_reading(checks, browser, folder):
    opened = pages.Page(browser, folder / "compared.html", viewport={"width": 1280, "height": 900})
    opened.open()
    check_help(checks, opened.page)
    check_back(checks, opened)
    opened.open()
    check_numbers(checks, opened.page)
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()
    check_alone(checks, browser, folder / "alone.html")


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1])
    sys.exit(pages.run_checks([where / "compared.html"], shutil.which("chromium"),
                              lambda checks, browser, path: check_reading(checks, browser, path.parent)))
