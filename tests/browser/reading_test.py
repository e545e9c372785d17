#!/usr/bin/env python3
"""How a reader uses a report page in headless Chromium: help, Back, searches that cannot match.

usage: reading_test.py FOLDER

FOLDER has pages that test_reports writes; compared has 80 cases, one of which is 20 % slower. Ends with `N passed, N
failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import datetime
import pathlib
import re
import shutil
import sys
import zoneinfo

import pages
from pages import COLUMN, ROWS, address, becomes, plain

ASKED = "new URLSearchParams(location.hash.slice(1)).get('q') || ''"


def type_query(page, text):
    page.fill("#search", text)
    becomes(page, lambda: page.evaluate(ASKED) == text)
    return page.evaluate(ROWS)


def check_help(checks, page):
    page.keyboard.press("?")
    text = plain(page.inner_text("#keys"))
    checks.check("[object" not in text, f"the help is words: {text[:120]!r}")
    for key, does in (("/", "search"), ("j", "next"), ("Esc", "close")):
        checks.check(f"{key} {does}" in text, f"the help says {key} {does}: {text[:120]!r}")
    checks.check(page.locator("#keys kbd").count() == 6, "each key is shown as one")


def check_back(checks, opened):
    """Opening is a step of the history, and so is a clicked filter; typing is not."""
    page = opened.page
    opened.open()
    start = address(page)
    page.locator("#findings a:has(> .case)").first.click()
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    page.go_back()
    page.wait_for_selector("#detail", state="hidden", timeout=30_000)
    checks.check(becomes(page, lambda: address(page) == start), f"Back closes a case and stays on the page: {page.url}")
    page.locator("nav.counts a").first.click()
    checks.check(page.evaluate(ROWS) < 80, "a count filters the table")
    page.go_back()
    checks.check(becomes(page, lambda: page.evaluate(ROWS) == 80), "Back takes the filter off")
    checks.check(becomes(page, lambda: page.input_value("#search") == ""), "and empties the search")
    page.click("#show-filters")
    page.locator("#filters input[type=checkbox]").first.click()
    becomes(page, lambda: page.evaluate(ASKED) != "")
    page.go_back()
    checks.check(becomes(page, lambda: page.evaluate(ASKED) == "" and page.evaluate(ROWS) == 80),
                 "Back unticks a filter")
    length = page.evaluate("history.length")
    for text in ("s", "so", "sof"):
        type_query(page, text)
    checks.check(page.evaluate("history.length") == length, "typing is no step of the history")
    opened.open()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.go_back()
    page.wait_for_selector("#detail", state="hidden", timeout=30_000)
    checks.check(page.locator("#detail").is_hidden(), "after leafing through cases Back closes the last")


def check_numbers(checks, page):
    """Searches compare the numbers of a row; a search that is not possible says so."""
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


def check_rows(checks, page):
    """One row for each case; its other metrics are cells, and a search for one of them shows it."""
    every = page.evaluate(ROWS)
    ids = page.evaluate(COLUMN, "id")
    checks.check(len(ids) == len(set(ids)) == every, f"{every} rows of {len(set(ids))} cases")
    heights = page.evaluate("[...document.querySelectorAll('.tabulator-row')].map((row) => row.offsetHeight)")
    checks.check(set(heights) == {28}, f"rows are 28 px high: {set(heights)}")
    metrics = set(page.evaluate(COLUMN, "metric"))
    other = next(name for name in ("gpu_time_hot", "gpu_time_cold") if any(name != metric for metric in metrics))
    cells = page.locator(".tabulator-cell.others .other").all_inner_texts()
    checks.check(any("%" in plain(text) for text in cells), f"other metrics with their change: {cells[:3]}")
    found = type_query(page, f"metric:{other}")
    checks.check(found > 0 and set(page.evaluate(COLUMN, "metric")) == {other}, f"metric:{other} shows that metric")
    type_query(page, "")
    checks.check(page.locator("#found").inner_text() == f"{every} cases", "cases are counted")


def check_headers(checks, page):
    """Headers sort by keyboard, and show that they do."""
    header = page.locator(".tabulator-col[tabulator-field='change']")
    checks.check(header.get_attribute("tabindex") == "0", "a header takes the focus")
    checks.check("↕" in header.inner_text(), "and shows that it sorts")
    header.focus()
    page.keyboard.press("Enter")
    checks.check(becomes(page, lambda: header.get_attribute("aria-sort") == "descending"), "Enter sorts by it")
    page.keyboard.press("Enter")
    checks.check(becomes(page, lambda: header.get_attribute("aria-sort") == "ascending"),
                 "Enter again turns the order round")


FIGURES = """(selector) => [...document.querySelectorAll(selector)].slice(0, 1).map((cell) => {
  const widths = [...'0123456789'].map((digit) => {
    const probe = document.createElement('span');
    probe.textContent = digit.repeat(100);
    probe.style.cssText = 'position: absolute; white-space: nowrap; visibility: hidden';
    cell.append(probe);
    const width = probe.getBoundingClientRect().width;
    probe.remove();
    return width;
  });
  return {spread: Math.max(...widths) - Math.min(...widths), variant: getComputedStyle(cell).fontVariantNumeric};
})"""
RIGHT = """(field) => [...document.querySelectorAll(`.tabulator-cell[tabulator-field='${field}']`)].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return Math.round(range.getBoundingClientRect().right);
})"""


def check_figures(checks, page):
    """Digits have equal widths where figures are below each other, and columns end at one edge."""
    for selector in (".tabulator-cell.num", ".forest td.num", ".move", "nav.counts a", "h1", ".other b"):
        for figure in page.evaluate(FIGURES, selector):
            checks.check(figure["spread"] < 0.01, f"{selector}: digits differ by {figure['spread']} px in 100")
            checks.check("tabular-nums" in figure["variant"], f"{selector}: {figure['variant']!r}")
    for field in ("before", "after", "change"):
        edges = set(page.evaluate(RIGHT, field))
        checks.check(len(edges) == 1, f"figures of the column {field} end at one edge: {edges}")


def check_sort_choice(checks, browser, path):
    """At 360 px, where rows are blocks, the keyboard sorts by any column, even by hidden ones."""
    opened = pages.Page(browser, path, viewport={"width": 360, "height": 740})
    opened.open()
    page = opened.page
    choice = page.locator("#sort-by")
    checks.check(choice.is_visible(), "at 360 px there is a choice of orders")
    choice.focus()
    options = choice.locator("option").all_inner_texts()
    checks.check({"verdict: worst first", "case: A to Z", "candidate: largest first", "rate: smallest first"} <= set(options),
                 f"it offers every column: {options}")
    page.keyboard.type("candidate: l")
    checks.check(becomes(page, lambda: opened.fragment().get("sort") == "after:desc"),
                 f"the order is in the link: {page.url}")
    # Compares displayed values with the same unit; a table with all units is sorted by seconds.
    times = [float(text) for text, unit in zip(page.evaluate(COLUMN, "after"), page.evaluate(COLUMN, "unit"))
             if unit == page.evaluate(COLUMN, "unit")[0] and text != "–"]
    checks.check(len(times) > 5 and times == sorted(times, reverse=True), f"candidate: largest first sorts: {times[:4]}")
    opened.open("#sort=id:asc")
    checks.check(choice.input_value() == "id:asc", "the choice says how a link sorts")
    checks.check(not opened.complaints, f"no complaint at 360 px: {opened.complaints[:3]}")
    opened.close()


def check_skip(checks, opened):
    """The first Tab is a link that skips everything above the table."""
    page = opened.page
    opened.open()
    page.keyboard.press("Tab")
    checks.check(page.evaluate("document.activeElement.className.includes('skip')"), "the first Tab is the skip link")
    page.keyboard.press("Enter")
    presses = 0
    while presses < 8 and page.evaluate("document.activeElement.id") != "search":
        page.keyboard.press("Tab")
        presses += 1
    checks.check(presses <= 2, f"the search is {presses} Tabs behind it")


def check_paper(checks, browser, path):
    """Answer, picture and causes: at most four pages."""
    page = browser.new_page()
    page.goto(path.resolve().as_uri())
    pages.wait_until_ready(page)
    count = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
    checks.check(1 <= count <= 4, f"{path.stem} takes {count} pages of paper")
    page.emulate_media(media="print")
    checks.check(page.locator("h1").is_visible() and page.locator("#forest").is_visible(), "paper holds answer and picture")
    checks.check(not page.locator("#cases").is_visible(), "and not the table of all cases")
    page.close()


def check_times(checks, browser, path):
    """The reader's time zone, with UTC beside, and the day of UTC if it is another one."""
    days = set()
    for zone in ("UTC", "Pacific/Pago_Pago", "Pacific/Kiritimati"):
        page = browser.new_page(timezone_id=zone)
        page.goto(path.resolve().as_uri())
        pages.wait_until_ready(page)
        [place] = page.locator("header time").all()
        utc = datetime.datetime.fromisoformat(place.get_attribute("datetime").replace("Z", "+00:00"))
        local = utc.astimezone(zoneinfo.ZoneInfo(zone))
        beside = f"{utc:%H:%M} UTC" if local.date() == utc.date() else f"{utc:%Y-%m-%d %H:%M} UTC"
        shown = rf"{local:%Y-%m-%d %H:%M} UTC" if zone == "UTC" else rf"{local:%Y-%m-%d %H:%M} \S+ \({beside}\)"
        text = place.inner_text()
        checks.check(re.fullmatch(shown, text), f"in {zone} the page says {text!r}, expected {shown!r}")
        days.add(local.date())
        page.close()
    checks.check(len(days) > 1, "one of the zones has another day")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.resolve().as_uri())
    checks.check(page.locator("header time").inner_text().endswith("Z"), "without scripts it is UTC as recorded")
    page.close()


def check_alone(checks, browser, path):
    """A single run has no change to compare."""
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
    check_rows(checks, opened.page)
    check_headers(checks, opened.page)
    check_figures(checks, opened.page)
    check_skip(checks, opened)
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()
    check_sort_choice(checks, browser, folder / "compared.html")
    check_alone(checks, browser, folder / "alone.html")
    check_times(checks, browser, folder / "alone.html")
    for name in ("compared", "causes", "hostile"):
        check_paper(checks, browser, folder / f"{name}.html")


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1])
    sys.exit(pages.run_checks([where / "compared.html"], shutil.which("chromium"),
                              lambda checks, browser, path: check_reading(checks, browser, path.parent)))
