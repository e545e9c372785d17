#!/usr/bin/env python3
"""Opens pages of devices side by side in headless Chromium and checks that they work.

usage: devices_test.py [--chromium PATH] [--screenshots DIR] PAGE.html|FOLDER…

A PAGE.json beside a page plants facts: headline, rows, all_rows (where
not all are laid out at once), query and query_rows, rooflines, texts.
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import argparse
import json
import pathlib
import shutil
import sys
import urllib.parse

import pages
from accessibility import check_accessible

SHOWN = "[...document.querySelectorAll('#matrix tbody tr')].filter((row) => !row.hidden).length"
COLUMN = """(column) => [...document.querySelectorAll('#matrix tbody tr')]
  .map((row) => Number(row.cells[column].dataset.v))"""


def check_page(checks, opened, expect):
    page = opened.page
    text = pages.plain(page.inner_text("body"))
    if "headline" in expect:
        headline = pages.plain(page.inner_text("h1"))
        checks.check(headline.startswith(expect["headline"]), f"headline: {headline!r}")
    for wanted in expect.get("texts", []):
        checks.check(wanted in text, f"text is visible: {wanted!r}")
    if "rows" in expect:
        checks.check(page.evaluate(SHOWN) == expect["rows"], f"rows: {page.evaluate(SHOWN)}")
    if "rooflines" in expect:
        count = page.locator("svg.roof").count()
        checks.check(count == expect["rooflines"], f"rooflines: {count}")
    tables = page.locator(".roofs details table").count()
    checks.check(tables == page.locator("svg.roof").count(), "every roofline has its table")
    checks.check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
                 "the page is not wider than its window")
    heat = page.evaluate("""[...document.querySelectorAll('#matrix td.heat')]
      .every((cell) => /×[0-9]/.test(cell.textContent))""")
    checks.check(heat, "every coloured cell says its ratio")
    checks.check(page.locator("#matrix td.heat").count() > 0, "there is a coloured cell")


def check_filter(checks, opened, expect):
    page = opened.page
    every, first = expect.get("all_rows", page.evaluate(SHOWN)), page.evaluate(SHOWN)
    query = expect.get("query", "no-such-word")
    page.keyboard.press("/")
    checks.check(page.evaluate("document.activeElement.id") == "filter", "/ goes to the filter")
    page.keyboard.type(query)
    found = page.evaluate(SHOWN)
    checks.check(found == expect.get("query_rows", 0), f"{query!r} finds {found}")
    checks.check(f"{found} of {every}" in page.inner_text("#shown"), "what is shown is counted")
    checks.check(opened.fragment().get("q") == query, f"the filter is in the hash: {page.url}")
    page.keyboard.press("Escape")
    checks.check(page.evaluate(SHOWN) == first, "Escape shows all again")
    checks.check(f"{every} rows" in page.inner_text("#shown"), "and counts all again")


def check_batches(checks, opened, expect):
    """Rows that wait: by the button, by scrolling, by a link of the reasons, all of them findable."""
    page = opened.page
    if "all_rows" not in expect:
        return
    page.locator("#more").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#matrix tbody tr:nth-child(400)", state="attached", timeout=3000)
    page.locator("#more").scroll_into_view_if_needed()
    page.wait_for_selector("#matrix tbody tr:nth-child(600)", state="attached", timeout=3000)
    page.locator("#reasons summary").first.click()
    link = page.locator("#reasons details[open] a")
    named, more = page.locator("#reasons details[open] li bdi").count(), link.inner_text().split()[0]
    link.click()
    checks.check(f"{named + int(more)} of {expect['all_rows']} rows" in page.inner_text("#shown"),
                 f"the link of a reason finds its {named} + {more} rows: {page.inner_text('#shown')}")
    last = opened.page.evaluate("document.querySelector('template').content.querySelector('tr').dataset.id")
    opened.open("#q=" + urllib.parse.quote(f'"{last}"'))
    checks.check(page.evaluate(SHOWN) >= 1, "a row that was not laid out is found")
    opened.open()


def check_sort(checks, opened, expect):
    page = opened.page
    if "all_rows" in expect:
        return check_sort_of_many(checks, page)
    column = page.evaluate("document.querySelector('#matrix td.heat').cellIndex")
    button = f"#matrix thead th:nth-child({column + 1}) button"
    before = page.evaluate(COLUMN, column)
    page.click(button)
    falling = page.evaluate(COLUMN, column)
    checks.check(falling == sorted(before, reverse=True), "a column's button sorts by it")
    checks.check(opened.fragment().get("sort") == f"{column}:down", f"the order is in the hash: {page.url}")
    page.click(button)
    checks.check(page.evaluate(COLUMN, column) == sorted(before), "and the other way round")
    page.click(button)
    checks.check(page.evaluate(COLUMN, column) == before, "and back")


def check_sort_of_many(checks, page):
    """All rows are sorted, and not those alone that stand in the page."""
    column = page.evaluate("document.querySelector('#matrix td.heat').cellIndex")
    button = f"#matrix thead th:nth-child({column + 1}) button"
    most = page.evaluate("""(column) => Math.max(...[...document.querySelectorAll('#matrix tr[data-id]'),
      ...document.querySelector('template').content.querySelectorAll('tr')]
      .map((row) => Number(row.cells[column].dataset.v)).filter((value) => !isNaN(value)))""", column)
    before = page.evaluate(COLUMN, column)
    page.click(button)
    falling = page.evaluate(COLUMN, column)
    checks.check(falling == sorted(falling, reverse=True) and falling[0] == most, "all rows are sorted")
    page.click(button)
    rising = page.evaluate(COLUMN, column)
    checks.check(rising == sorted(rising) and rising[-1] <= falling[-1], "and the other way round")
    page.click(button)
    after = page.evaluate(COLUMN, column)
    checks.check(str(after) == str(before), "and back")  # as text: unknown values are no numbers


WIDER = """[...document.querySelectorAll('table, figure, svg')].filter((part) => part.checkVisibility())
  .map((part) => [part.tagName + ' ' + part.className, Math.round(part.getBoundingClientRect().right)])
  .filter(([, right]) => right > innerWidth)"""
OVERLAPS = """[...document.querySelectorAll('.roofs figure')].filter((figure, i, all) => i > 0 &&
  figure.getBoundingClientRect().top < all[i - 1].getBoundingClientRect().bottom).length"""


def check_print(checks, browser, path):
    """On a sheet of A4 across, everything unfolded, nothing runs off or over something else."""
    opened = pages.Page(browser, path, viewport={"width": 1032, "height": 720})
    opened.open()
    page = opened.page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wider = page.evaluate(WIDER)
    checks.check(not wider, f"{path.stem} in print: wider than the sheet: {wider[:4]}")
    overlaps = page.evaluate(OVERLAPS)
    checks.check(overlaps == 0, f"{path.stem} in print: {overlaps} rooflines overlap")
    opened.close()


def check_devices(checks, browser, path, screenshots):
    beside = path.with_suffix(".json")
    expect = json.loads(beside.read_text()) if beside.exists() else {}
    opened = pages.Page(browser, path, viewport={"width": 1280, "height": 900})
    opened.open()
    check_page(checks, opened, expect)
    if screenshots:
        opened.page.screenshot(path=screenshots / (path.stem + ".png"), full_page=True)
    check_filter(checks, opened, expect)
    check_sort(checks, opened, expect)
    check_batches(checks, opened, expect)
    own = path.resolve().as_uri()
    foreign = [url for url in opened.requests
               if url.split("#")[0] != own and not url.startswith("data:")]
    checks.check(not foreign, f"no request but the file's own: {foreign[:3]}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    check_accessible(checks, opened.page, f"{path.stem} light")
    opened.close()
    narrow = pages.Page(browser, path, viewport={"width": 360, "height": 740}, color_scheme="dark")
    narrow.open()
    checks.check(narrow.page.evaluate("document.documentElement.scrollWidth <= 360"),
                 "at 360 px nothing is wider than the window")
    checks.check(not narrow.complaints, f"no complaint at 360 px: {narrow.complaints[:3]}")
    if screenshots:
        narrow.page.screenshot(path=screenshots / (path.stem + "-360-dark.png"), full_page=True)
        narrow.page.set_viewport_size({"width": 1280, "height": 900})
        narrow.page.screenshot(path=screenshots / (path.stem + "-dark.png"))
    check_accessible(checks, narrow.page, f"{path.stem} dark")
    narrow.close()
    check_print(checks, browser, path)
    bare = browser.new_page(java_script_enabled=False)
    bare.goto(own)
    checks.check(bare.locator("#matrix tbody tr").count() == expect.get("rows", 0),
                 "with scripts off all rows are there")
    checks.check(not bare.locator("#filter").is_visible(), "with scripts off there is no filter")
    bare.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    return pages.run_checks(options.pages, options.chromium,
                                  lambda *page: check_devices(*page, options.screenshots))


if __name__ == "__main__":
    sys.exit(main())
