#!/usr/bin/env python3
"""Filters, links, sweeps and their printed form on report pages in headless Chromium.

usage: choices_test.py [--screenshots DIR] FOLDER

FOLDER has pages that test_reports writes: sweep (two backends, two dtypes, six sizes), ties (the same with ties between
the backends, in two states of the cache), defaults (one case names a parameter, one leaves it out) and named (axes with
odd names). This file knows their planted contents. Ends with `N passed, N failed`; exit code 0, 1 when a check failed,
77 (skipped) without a browser.
"""

import argparse
import pathlib
import re
import shutil
import sys
import urllib.parse

import pages
from accessibility import check_accessible
from pages import COLUMN, ROWS, becomes, plain

CLIPBOARD = """Object.defineProperty(navigator, 'clipboard',
  {value: {writeText: (text) => { window.copied = text; return Promise.resolve(); }}})"""
CUT = """[...document.querySelectorAll('#sweeps svg.sweep text')].map((text) => [text.textContent,
  text.getBoundingClientRect(), text.closest('svg').getBoundingClientRect()])
  .filter(([said, own, all]) => said.includes('…') || own.right > all.right + 1 || own.left < all.left - 1)
  .map(([said]) => said)"""
WIDER = """[...document.querySelectorAll('#sweeps *')].filter((part) => part.checkVisibility())
  .map((part) => [part.tagName, Math.round(part.getBoundingClientRect().right)])
  .filter(([, right]) => right > innerWidth)"""
VIEWS = ["axis", "backends", "roofline"]


def show_sweeps(opened, fragment):
    opened.open(fragment)
    opened.page.locator("#sweeps").scroll_into_view_if_needed()
    opened.page.wait_for_selector("#sweep-picture figure", timeout=30_000)


def tick(page, key, value):
    page.check(f"#filters input[data-key='{key}'][data-value='{value}']")
    becomes(page, lambda: value in re.split("[:, ]", page.input_value("#search")))


def check_filters(checks, opened):
    """Ticked values are words of the search; two values of one axis mean either."""
    page = opened.page
    page.add_init_script(CLIPBOARD)
    opened.open()
    page.focus("#show-filters")
    page.keyboard.press("Enter")
    checks.check(page.locator("#filters").is_visible(), "Enter shows the filters")
    tick(page, "dtype", "float16")
    checks.check(page.evaluate(ROWS) == 12, f"one dtype: {page.evaluate(ROWS)} rows")
    tick(page, "dtype", "bfloat16")
    checks.check(page.evaluate(ROWS) == 24, f"either dtype: {page.evaluate(ROWS)} rows")
    checks.check(opened.fragment().get("q") == "dtype:float16,bfloat16", f"in the hash: {page.url}")
    tick(page, "backend", "custom")
    tick(page, "rows", "128")
    tick(page, "rows", "4096")
    wanted = "dtype:float16,bfloat16 backend:custom rows:128,4096"
    checks.check(page.input_value("#search") == wanted, f"the search box says it: {page.input_value('#search')}")
    ids = page.evaluate(COLUMN, "id")
    checks.check(len(ids) == 4 and all("/custom/" in one for one in ids), f"of both axes: {ids}")
    page.click("#copy-csv")
    lines = page.evaluate("window.copied").strip().splitlines()
    checks.check(len(lines) == 5 and all("custom" in line for line in lines[1:]), f"CSV: {lines}")
    page.click("#copy-markdown")
    checks.check(len(page.evaluate("window.copied").strip().splitlines()) == 6, "Markdown has these rows")
    check_accessible(checks, page, "filters")
    page.reload()
    pages.wait_until_ready(page)
    checks.check(page.evaluate(COLUMN, "id") == ids, "the link shows the same rows")
    page.click("#show-filters")
    ticked = page.evaluate("[...document.querySelectorAll('#filters :checked')].map((box) => box.dataset.value)")
    checks.check(sorted(ticked) == ["128", "4096", "bfloat16", "custom", "float16"], f"ticked: {ticked}")
    page.uncheck("#filters input[data-value='custom']")
    checks.check(becomes(page, lambda: page.evaluate(ROWS) == 8), "a box without its tick does not filter")


def check_queries(checks, opened):
    for query, rows in [("rows:<=256,4096", 12), ("-dtype:float16,none", 12), ('"gpu_time_cold"', 24),
                        ("rows:128 rows:256", 0), ("dtype:b*,float32 rows:>=2048", 4)]:
        opened.open("#" + urllib.parse.urlencode({"q": query}))
        found = opened.page.evaluate(ROWS)
        checks.check(found == rows, f"{query!r} finds {found}, not {rows}")


def check_defaults(checks, browser, folder):
    """A parameter at its default, which the id leaves out, is found by its value and by its word."""
    opened = pages.Page(browser, folder / "defaults.html", viewport={"width": 1280, "height": 900})
    for query, rows in [("stream.count:1", 1), ("stream.count:default", 1), ("stream.count:4", 1),
                        ("stream.count:default,4", 2), ("unused:default", 0)]:
        opened.open("#" + urllib.parse.urlencode({"q": query}))
        found = opened.page.evaluate(ROWS)
        checks.check(found == rows, f"{query!r} finds {found}, not {rows}")
    opened.open()
    opened.page.click("#show-filters")
    tick(opened.page, "stream.count", "1")
    ids = opened.page.evaluate(COLUMN, "id")
    checks.check(len(ids) == 1 and "stream.count" not in ids[0], f"the default can be ticked: {ids}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def check_names(checks, browser, folder):
    """Axes whose keys contain blanks, colons, quotes or a leading dash can be ticked and linked to."""
    opened = pages.Page(browser, folder / "named.html", viewport={"width": 1280, "height": 900})
    opened.open()
    opened.page.click("#show-filters")
    boxes = "#filters input[type=checkbox]:not([data-key=verdict])"
    for i in range(opened.page.locator(boxes).count()):
        box = opened.page.locator(boxes).nth(i)
        key, counted = box.get_attribute("data-key"), box.locator("xpath=..").locator(".unit").inner_text()
        box.check()
        becomes(opened.page, lambda: opened.page.evaluate(ROWS) == int(counted))
        found = opened.page.evaluate(ROWS)
        checks.check(box.is_checked() and found == int(counted), f"{key!r} ticked: {found} of {counted} rows")
        opened.page.reload()
        pages.wait_until_ready(opened.page)
        checks.check(opened.page.evaluate(ROWS) == found, f"the link of {key!r} shows the same")
        opened.page.click("#show-filters")
        checks.check(box.is_checked(), f"and {key!r} is ticked there")
        box.uncheck()
        checks.check(becomes(opened.page, lambda: opened.page.evaluate(ROWS) == 3), f"{key!r} unticked: all rows")
    checks.check(i >= 3, f"{i + 1} values were ticked")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def check_absent_links(checks, opened):
    page = opened.page
    opened.open("#case=softmax%2Fcustom%2Fdtype%3Dfloat64&metric=gpu_time_cold&suite=nightly")
    note = page.locator("[role='alert']")
    checks.check("not in this report" in note.inner_text() and "dtype=float64" in note.inner_text(),
                 f"a link to a case that is not there says so: {note.inner_text()!r}")
    box = note.bounding_box()
    checks.check(box is not None and box["y"] < 900, "where it is seen")
    check_accessible(checks, page, "a link to no case")
    note.locator("a").click()
    checks.check(note.is_hidden() and page.evaluate(ROWS) == 24, "and leads to the op's rows")
    case = page.evaluate(COLUMN, "id")[0]
    opened.open("#" + urllib.parse.urlencode({"case": case, "metric": "no_such", "suite": "nightly"}))
    checks.check("no no_such" in note.inner_text(), f"nor of a metric: {note.inner_text()!r}")
    opened.open("#" + urllib.parse.urlencode({"case": case}))
    checks.check(note.is_hidden(), "a link to a case that is there does not")


def check_caches(checks, browser, folder):
    opened = pages.Page(browser, folder / "ties.html", viewport={"width": 1280, "height": 900})
    show_sweeps(opened, "#view=axis&by=cache&of=gpu_time_cold")
    titles = opened.page.locator("#sweep-picture figcaption").all_inner_texts()
    checks.check(titles == ["softmax, gpu_time over rows, cache=cold", "softmax, gpu_time over rows, cache=hot"],
                 f"a picture for each state of the cache: {titles}")
    marks = opened.page.locator("#sweep-picture path.mark")
    opened.page.select_option("#sweep-tools select[aria-label='apart by']", "dtype")
    checks.check(becomes(opened.page, lambda: marks.count() == 24), "and of one state again")
    opened.page.select_option("#sweep-tools select[aria-label='metric']", "gpu_time")
    checks.check(becomes(opened.page, lambda: marks.count() == 48), "or of both")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def check_print(checks, browser, path, screenshots):
    """The page prints the chosen picture and its values, within the sheet."""
    for view, rows in [("axis", 24), ("backends", 12), ("change", 6)]:
        opened = pages.Page(browser, path, viewport={"width": 1032, "height": 720})
        opened.open("#view=" + view)
        page = opened.page
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        checks.check(page.locator("#sweep-picture figure").first.is_visible(), f"{view} is printed")
        lines = page.locator("#sweep-picture tbody tr")
        checks.check(lines.count() == rows and lines.first.is_visible(), f"{view}: {lines.count()} printed rows")
        checks.check(page.locator("#sweep-tools").is_hidden(), "without its choices")
        wider = page.evaluate(WIDER)
        checks.check(not wider, f"{view} in print: wider than the sheet: {wider[:4]}")
        if screenshots:
            page.locator("#sweeps").screenshot(path=screenshots / f"print-{view}.png")
        opened.close()


def check_narrow(checks, browser, path, screenshots):
    """At 400 px nothing is cut: names are below, tables are stacked and show their columns' names."""
    opened = pages.Page(browser, path, viewport={"width": 400, "height": 800}, color_scheme="dark")
    for view in VIEWS:
        show_sweeps(opened, "#view=" + view)
        page = opened.page
        checks.check(not page.evaluate(CUT), f"{view}: cut at 400 px: {page.evaluate(CUT)}")
        checks.check(not page.evaluate(WIDER), f"{view}: wider than 400 px: {page.evaluate(WIDER)[:4]}")
        check_accessible(checks, page, f"{view} at 400 px")
        if screenshots:
            page.locator("#sweeps").screenshot(path=screenshots / f"narrow-{view}.png")
    show_sweeps(opened, "#view=axis")
    names = opened.page.locator(".key-list li").all_inner_texts()
    checks.check([name.strip() for name in names] == [f"{backend} dtype={dtype}" for backend in ("custom", "libtorch")
                 for dtype in ("bfloat16", "float16")], f"whole names: {names}")
    show_sweeps(opened, "#view=backends")
    labels = opened.page.evaluate("""[...document.querySelectorAll('#sweeps tbody tr:first-child td')]
      .map((cell) => getComputedStyle(cell, '::before').content)""")
    checks.check(labels == ["none", '"best"', '"custom"', '"libtorch"'], f"cells say their columns: {labels}")
    checks.check("custom up to rows=1024" in plain(opened.page.inner_text("#sweeps")), "crossovers are told")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()


def check_choices(checks, browser, path, screenshots):
    opened = pages.Page(browser, path, viewport={"width": 1280, "height": 900})
    check_filters(checks, opened)
    check_queries(checks, opened)
    check_absent_links(checks, opened)
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    opened.close()
    check_defaults(checks, browser, path.parent)
    check_names(checks, browser, path.parent)
    check_caches(checks, browser, path.parent)
    check_print(checks, browser, path, screenshots)
    check_narrow(checks, browser, path, screenshots)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    return pages.run_checks([options.folder / "sweep.html"], shutil.which("chromium"),
                                  lambda *page: check_choices(*page, options.screenshots))


if __name__ == "__main__":
    sys.exit(main())
