#!/usr/bin/env python3
"""Opens report pages in headless Chromium and checks that they work.

usage: report_test.py [--chromium PATH] [--screenshots DIR] REPORT.html|FOLDER…

Takes any report. A REPORT.json beside a page has its planted facts:
headline (start of the verdict), rows (of the table), cards, query and query_rows (a search and its results),
open and metric (a case that must open), details (texts in it), drawn (pictures below its samples),
metrics (names in its table, in order), kernels (their lines), code (texts of its changed machine code),
folded (id of a part to unfold: text in it),
texts (names that must be visible as text), sweeps (view: title, lines, marks, read, cells, texts of its picture).
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
from pages import COLUMN, ROWS, Page, address, becomes, plain

INK = """(selector) => {
  const canvas = document.querySelector(selector + ' canvas');
  if (!canvas) return -1;
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] > 0) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colours.size;
}"""


# Parts of the page that contain a word: displayed texts, names for screen readers, hints.
SAID = """(word) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), said = [];
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest('script, style')) said.push(walker.currentNode.data);
  for (const shown of document.body.querySelectorAll('[aria-label], [title], [data-label]'))
    for (const name of ['aria-label', 'title', 'data-label']) said.push(shown.getAttribute(name) || '');
  for (const column of Tabulator.findTable('#table')[0].getColumns())
    said.push(String(column.getDefinition().title), String(column.getDefinition().headerTooltip || ''));
  return said.filter((text) => text.toLowerCase().includes(word));
}"""


def check_first_screen(checks, page, expect):
    if "headline" in expect:
        text = page.inner_text("h1").replace("\u00a0", " ")
        checks.check(text.startswith(expect["headline"]), f"verdict: {text!r}")
    if "cards" in expect:
        checks.check(page.locator(".card").count() == expect["cards"], "number of cards")
    if "rows" in expect:
        checks.check(page.evaluate(ROWS) == expect["rows"], f"rows: {page.evaluate(ROWS)}")
    body = page.inner_text("body")
    for text in expect.get("texts", []):
        checks.check(text in body, f"text is visible: {text!r}")
    checks.check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
                 "the page is not wider than its window")


def check_sort(checks, opened):
    page = opened.page
    page.click(".tabulator-col[tabulator-field='after'] .tabulator-col-content")
    checks.check(becomes(page, lambda: opened.fragment().get("sort") == "after:desc"),
                 f"sort is in the hash: {page.url}")
    page.click(".tabulator-col[tabulator-field='id'] .tabulator-col-content")
    checks.check(becomes(page, lambda: opened.fragment().get("sort", "").startswith("id:")),
                 f"and so is that by case: {page.url}")
    ids = page.evaluate(COLUMN, "id")
    pairs = list(zip(ids, ids[1:]))
    rising = page.evaluate("(ids) => ids.every((id, i) => i === 0 || ids[i - 1].toLowerCase()"
                           ".localeCompare(id.toLowerCase()) <= 0)", ids)
    checks.check(len(pairs) == 0 or rising, "sorting by case orders the cases")
    wanted = opened.fragment().get("sort")
    opened.open("#sort=" + urllib.parse.quote(wanted or ""))
    checks.check(page.evaluate(COLUMN, "id") == ids, "the order survives in the link")


def check_search(checks, opened, expect):
    page = opened.page
    opened.open()
    every = page.evaluate(ROWS)
    query = expect.get("query")
    if query is None:
        query = "metric:" + page.evaluate(COLUMN, "metric")[-1] if every else "nothing"
    page.keyboard.press("/")
    checks.check(page.evaluate("document.activeElement.id") == "search", "/ goes to the search box")
    page.keyboard.type(query)
    checks.check(becomes(page, lambda: opened.fragment().get("q") == query), f"the search is in the hash: {page.url}")
    found = page.evaluate(ROWS)
    if "query_rows" in expect:
        checks.check(found == expect["query_rows"], f"{query!r} finds {found}")
    checks.check(0 < found <= every, f"{query!r} finds {found} of {every}")
    fragment = "#" + urllib.parse.urlparse(address(page)).fragment
    opened.open(fragment)
    checks.check(page.evaluate(ROWS) == found, "the search survives in the link")
    checks.check(page.input_value("#search") == query, "the link fills the search box")
    opened.open("#q=no-such-word-anywhere")
    checks.check(page.evaluate(ROWS) == 0, "a word that is nowhere finds nothing")
    opened.open()


def case_to_open(page, expect):
    """The planted metric, else the first one with a value; returns the text of its link."""
    return page.evaluate("""([id, metric]) => {
      const rows = Tabulator.findTable('#table')[0].getRows().map((r) => r.getData());
      const found = id ? rows.find((r) => r.id === id && (!metric || r.metric === metric))
                       : rows.find((r) => r.after !== '–');
      return found ? {case: found.id, metric: found.metric, suite: found.suite} : null;
    }""", [expect.get("open"), expect.get("metric")])


def check_narrow_case(checks, narrow, expect):
    """In a panel as wide as the window, tables keep their headers, so cells do not repeat the column's name."""
    row = case_to_open(narrow.page, expect)
    if row is None:
        return
    narrow.open("#" + urllib.parse.urlencode(row))
    narrow.page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    twice = narrow.page.evaluate("""() => {
      for (const folded of document.querySelectorAll('#detail details')) folded.open = true;
      return new Promise((done) => setTimeout(() => done(
        [...document.querySelectorAll('#detail td')].filter((cell) => getComputedStyle(cell, '::before').content !== 'none')
          .map((cell) => cell.dataset.label)), 100));
    }""")
    checks.check(not twice, f"at 360 px no cell of a case repeats its column's head: {twice[:3]}")


def check_keys_and_detail(checks, opened, expect):
    page = opened.page
    opened.open()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    first = page.evaluate(COLUMN, "id")[0]
    checks.check(opened.fragment().get("case") == first, "Enter opens the chosen case, in the hash")
    page.keyboard.press("Escape")
    checks.check(page.locator("#detail").is_hidden(), "Esc closes it")
    checks.check("case" not in opened.fragment(), "and the hash forgets it")
    page.keyboard.press("?")
    checks.check(page.locator("#keys").is_visible(), "? lists the keys")

    row = case_to_open(page, expect)
    checks.check(row is not None, "there is a case to open")
    if row is None:
        return
    opened.open("#" + urllib.parse.urlencode(row))
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    checks.check(becomes(page, lambda: page.evaluate(INK, "#detail .chart") > 3), "the picture of its samples is drawn")
    checks.check(page.locator("#detail h2").count() >= 4, "its facts are there")
    page.focus("#detail .chart")
    page.keyboard.press("ArrowRight")
    checks.check(becomes(page, lambda: ":" in page.inner_text("#detail .readout")), "arrow keys read a sample's value")
    page.click("#detail details summary")
    checks.check(becomes(page, lambda: page.locator("#detail .values tbody tr").count() > 0),
                 "the picture has its table")


def check_recorded(checks, opened, expect):
    """What a run records besides samples, in the open case and in the folded parts of the page."""
    page = opened.page
    if "details" in expect:
        text = plain(page.inner_text("#detail"))
        for wanted in expect["details"]:
            checks.check(wanted in text, f"the case's detail says {wanted!r}")
    if "drawn" in expect:
        drawn = page.locator("#detail .drawn svg:has(path.line)").count()
        checks.check(drawn == expect["drawn"], f"pictures below the samples: {drawn}")
        for folded in page.locator("#detail .drawn ~ details summary").all():
            folded.click()
        filled = page.locator("#detail .drawn ~ details .values tbody")
        checks.check(becomes(page, lambda: filled.count() >= expect["drawn"] - 1),
                     f"pictures that have their table: {filled.count()}")
    if "never" in expect:
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        page.wait_for_timeout(200)
        for word in expect["never"]:
            said = page.evaluate(SAID, word)
            checks.check(not said, f"the page never says {word!r}: {said[:6]}")
    if "devices" in expect:
        named = page.locator("#detail .device-key li").all_inner_texts()
        checks.check(named == expect["devices"], f"the history's key names its devices: {named}")
        shapes = page.evaluate("""[...document.querySelectorAll('#detail .chart path.dots:not(.hole)')]
          .map((dot) => dot.getAttribute('class').match(/mark-[0-9]/)[0])""")
        checks.check(shapes == ["mark-0", "mark-1"] * 3, f"a run has its device's shape: {shapes}")
        table = page.locator("#detail details", has=page.locator("th", has_text="device"))
        page.evaluate("document.querySelectorAll('#detail details').forEach((part) => { part.open = true; })")
        column = table.locator("tbody tr td:nth-child(3)")
        checks.check(becomes(page, lambda: column.all_inner_texts() == expect["devices"][::-1] * 3),
                     f"and so has its row: {column.all_inner_texts()}")
    if "metrics" in expect:
        table = page.locator("#detail table", has=page.locator("th", has_text="metric")).first
        names = table.locator("tbody tr td:nth-child(2)").all_inner_texts()
        checks.check(names == expect["metrics"], f"metrics of the case: {names}")
    if "kernels" in expect:
        lines = page.locator("#detail .kernels tbody tr").count()
        checks.check(lines == expect["kernels"], f"kernels of the case: {lines}")
        checks.check(page.evaluate("(table => table.scrollWidth <= table.clientWidth)"
                                   "(document.querySelector('#detail .kernels'))"),
                     "the kernels fit into the detail's width")
    if "code" in expect:
        check_code(checks, page, expect["code"])
    page.keyboard.press("Escape")
    for part, wanted in expect.get("folded", {}).items():
        page.click(f"#{part} summary")
        text = plain(page.inner_text(f"#{part}"))
        checks.check(wanted in text, f"#{part} says {wanted!r}: {text[:200]!r}")


def check_code(checks, page, texts):
    """Changed machine code is text, fits, and scrolls inside its own box."""
    page.evaluate("document.querySelectorAll('#detail details.code').forEach((part) => { part.open = true; })")
    said = plain("\n".join(page.locator("#detail details.code").all_inner_texts()))
    for part in texts:
        checks.check(part in said, f"the machine code says {part!r}: {said[:600]!r}")
    checks.check(page.locator("#detail .code img, #detail .code script").count() == 0, "nothing of the code is HTML")
    checks.check(page.evaluate("(box => box.scrollWidth <= box.clientWidth)(document.querySelector('#detail'))"),
                 "long lines of code do not widen the detail")
    box = page.locator("#detail .diff").first
    checks.check(becomes(page, lambda: box.get_attribute("tabindex") == "0"), "the keyboard scrolls the difference")
    check_accessible(checks, page, "changed machine code")


def check_sweeps(checks, opened, expect):
    """Every view of the page draws the planted data, and the keyboard can read it."""
    page = opened.page
    for view, wanted in expect.get("sweeps", {}).items():
        opened.open("#view=" + view)
        page.locator("#sweeps").scroll_into_view_if_needed()
        page.wait_for_selector("#sweep-picture figure", timeout=30_000)
        text = plain(page.inner_text("#sweep-picture"))
        checks.check(wanted["title"] in text, f"{view}: its title: {text[:120]!r}")
        for part in [*wanted.get("cells", []), *wanted.get("texts", [])]:
            checks.check(part in text, f"{view}: says {part!r}: {text[:600]!r}")
        for name, selector in (("lines", "path.line"), ("marks", "path.mark")):
            if name in wanted:
                count = page.locator(f"#sweep-picture {selector}").count()
                checks.check(count == wanted[name], f"{view}: {count} {name}")
        if "read" in wanted:
            check_sweep_keys(checks, opened, view, wanted["read"])
    if "sweeps" in expect:
        check_sweep_choices(checks, opened)


def check_sweep_keys(checks, opened, view, read):
    page = opened.page
    page.focus("#sweep-picture .sweep-place")
    page.keyboard.press("ArrowRight")
    said = plain(page.inner_text("#sweep-picture .readout"))
    checks.check(read in said, f"{view}: arrow keys read {said!r}")
    page.click("#sweep-picture details summary")
    page.wait_for_selector("#sweep-picture .values tbody tr", timeout=30_000)  # made when it opens
    rows = page.locator("#sweep-picture .values tbody tr").count()
    checks.check(rows == page.locator("#sweep-picture path.mark").count(), f"{view}: {rows} rows")
    page.focus("#sweep-picture .sweep-place")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    page.keyboard.press("Escape")


def check_sweep_choices(checks, opened):
    """A choice is in the link, and small multiples show the search's rows."""
    page = opened.page
    opened.open("#view=axis&by=dtype")
    page.locator("#sweeps").scroll_into_view_if_needed()
    page.wait_for_selector("#sweep-picture figure", timeout=30_000)
    checks.check(page.locator("#sweep-picture figure").count() == 2, "a picture for each dtype")
    page.select_option("#sweep-tools select[aria-label='apart by']", "")
    checks.check(becomes(page, lambda: "by" not in opened.fragment()), "nothing chosen is not in the hash")
    opened.open("#view=axis&q=dtype:float16")
    page.locator("#sweeps").scroll_into_view_if_needed()
    page.wait_for_selector("#sweep-picture figure", timeout=30_000)
    checks.check(page.locator("#sweep-picture path.mark").count() == 12, "a search narrows the picture")
    opened.open("#q=no-such-word-anywhere")
    page.locator("#sweeps").scroll_into_view_if_needed()
    page.wait_for_selector("#sweep-picture .empty", timeout=30_000)


def check_for_everyone(checks, opened, what):
    """Checks with axe: the initial page, with folded parts and keys shown, and an open case."""
    page = opened.page
    opened.open()
    check_accessible(checks, page, what)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.locator("#sweeps").scroll_into_view_if_needed()
    page.keyboard.press("?")
    check_accessible(checks, page, f"{what}, unfolded")
    opened.open()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])", timeout=30_000)
    check_accessible(checks, page, f"{what}, a case")


def check_without_scripts(checks, browser, path, expect):
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.resolve().as_uri())
    checks.check(page.locator("h1").is_visible(), "with scripts off the verdict is there")
    rows = page.locator("#static-rows tbody tr").count()
    wanted = min(200, expect.get("rows", rows))  # one per case, as in the table
    checks.check(rows == wanted and rows > 0, f"with scripts off {rows} rows are there")
    page.close()


def check_report(checks, browser, path, screenshots):
    beside = path.with_suffix(".json")
    expect = json.loads(beside.read_text()) if beside.exists() else {}
    opened = Page(browser, path, viewport={"width": 1280, "height": 900})
    opened.open()
    check_first_screen(checks, opened.page, expect)
    check_sort(checks, opened)
    check_search(checks, opened, expect)
    check_keys_and_detail(checks, opened, expect)
    check_recorded(checks, opened, expect)
    check_sweeps(checks, opened, expect)
    own = path.resolve().as_uri()
    foreign = [url for url in opened.requests
               if url.split("#")[0] != own and not url.startswith("data:")]
    checks.check(not foreign, f"no request but the file's own: {foreign[:3]}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    check_for_everyone(checks, opened, f"{path.stem} light")
    opened.close()
    narrow = Page(browser, path, viewport={"width": 360, "height": 740}, color_scheme="dark")
    narrow.open()
    checks.check(narrow.page.evaluate("document.documentElement.scrollWidth <= 360"),
                 "at 360 px nothing is wider than the window")
    checks.check(not narrow.complaints, f"no complaint at 360 px: {narrow.complaints[:3]}")
    if screenshots:
        narrow.page.screenshot(path=screenshots / (path.stem + "-360-dark.png"))
    check_for_everyone(checks, narrow, f"{path.stem} dark, 360 px")
    check_narrow_case(checks, narrow, expect)
    narrow.close()
    check_without_scripts(checks, browser, path, expect)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    return pages.run_checks(options.reports, options.chromium,
                            lambda *page: check_report(*page, options.screenshots))


if __name__ == "__main__":
    sys.exit(main())
