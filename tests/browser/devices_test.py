#!/usr/bin/env python3
"""Opens pages of devices side by side in headless Chromium and checks that they work.

usage: devices_test.py [--chromium PATH] [--screenshots DIR] PAGE.html|FOLDER…

A PAGE.json beside a page has its planted facts: headline, rows (table rows in the file), all_rows (if the
script adds others), query, query_rows, query_dots (those of them that are times) and query_mean (of one of the devices), rooflines, texts,
intervals (cases that show theirs), stories and bars (tables and stacked bars of variants), narrow (device without which more cases are in common).
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys
import urllib.parse

import pages
from accessibility import check_accessible

ROWS = "[...document.querySelectorAll('#matrix tbody tr[data-id]')]"
MODELS = """[...document.querySelectorAll('#models tbody tr')].map((row) => ({
  column: row.dataset.column, text: [...row.querySelectorAll('td.num')].map((cell) => cell.textContent).join(' '),
  paths: [...row.querySelectorAll('path')].map((path) => path.getAttribute('d'))}))"""
ENDS = "[...document.querySelectorAll('#multiples .ends')].map((ends) => ends.textContent)"
NAMES_IN_THE_WAY = """() => {
  const svg = document.querySelector('svg.scatter'), line = svg.querySelector('path.frontier'), scale = svg.getScreenCTM();
  const names = [...svg.querySelectorAll('text.name')], boxes = names.map((name) => name.getBoundingClientRect());
  const points = [...Array(400).keys()].map((i) => line.getPointAtLength(i / 399 * line.getTotalLength()).matrixTransform(scale));
  const is_in = (box) => ({x, y}) => x > box.left && x < box.right && y > box.top + 3 && y < box.bottom - 3;
  return names.filter((_, i) => points.some(is_in(boxes[i])) || boxes.some((box, k) => k < i && box.left < boxes[i].right &&
    boxes[i].left < box.right && box.top + 3 < boxes[i].bottom && boxes[i].top + 3 < box.bottom)).map((name) => name.textContent);
}"""
PANELS = "[...document.querySelectorAll('#multiples path')].map((path) => path.getAttribute('d'))"
MOST_HEIGHT = 12_000  # px of a page at 360 px, for any number of rows
MOST_ROWS = 120       # that are laid out
MOST_SHEETS = 4       # of paper


def shown(page):
    return page.inner_text("#shown")


def values_in(path):
    """For each row of the table: its id, and the number in each device's column (None: none)."""
    rows, table = [], path.read_text().split('id="matrix"')[1]
    for row in table.split("<tr data-id=\"")[1:]:
        cells = re.findall(r'<td class="num[^>]*>', row.split("</tr>")[0])
        found = [re.search(r'data-v="([^"]+)"', cell) for cell in cells]
        rows.append((row.split('"')[0], [float(one.group(1)) if one else None for one in found]))
    return rows


def check_page(checks, opened, expect):
    page = opened.page
    text = pages.plain(page.inner_text("body"))
    if "headline" in expect:
        headline = pages.plain(page.inner_text("h1"))
        checks.check(headline.startswith(expect["headline"]), f"headline: {headline!r}")
    for wanted in expect.get("texts", []):
        checks.check(wanted in text, f"text is visible: {wanted!r}")
    if "rows" in expect:
        every = expect.get("all_rows", expect["rows"])
        checks.check(shown(page) == f"{every} rows", f"rows: {shown(page)}")
    if "bars" in expect:
        check_story(checks, page, expect)
    count = page.locator("svg.roof").count()
    if "rooflines" in expect:
        checks.check(count == expect["rooflines"], f"rooflines: {count}")
    checks.check(page.locator(".roofs details table").count() == count, "every roofline has its table")
    checks.check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
                 "the page is not wider than its window")
    heat = page.evaluate("""[...document.querySelectorAll('#matrix td.heat')]
      .every((cell) => /×[0-9]/.test(cell.textContent))""")
    checks.check(heat, "every coloured cell says its ratio")
    checks.check(page.locator("#matrix td.heat").count() > 0, "there is a coloured cell")


BARS = """[...document.querySelectorAll('.stack')].map((stack) => ({
  said: stack.getAttribute('aria-label'), room: stack.querySelector('.bar').getBoundingClientRect().width,
  parts: [...stack.querySelectorAll('.part')].map((part) => part.getBoundingClientRect().width)}))"""


def check_story(checks, page, expect):
    """Each variant beside the first, and where the time of its step goes."""
    checks.check(page.locator("table.story").count() == expect["stories"], "a table for each case")
    bars = page.evaluate(BARS)
    checks.check(len(bars) == expect["bars"], f"a bar for each variant: {len(bars)}")
    checks.check(all(sum(bar["parts"]) <= bar["room"] + 1 for bar in bars), f"bars stay in their room: {bars[:2]}")
    longest = max(sum(bar["parts"]) / bar["room"] for bar in bars)
    checks.check(longest > 0.99, f"the longest bar fills its room: {longest}")
    checks.check(all("ms" in bar["said"] for bar in bars), "a bar says its time to a screen reader")
    checks.check(page.locator(".stack .part.base").count() > 0, "a CUDA graph is one piece")
    key = page.locator("#steps .key span").all_inner_texts()
    checks.check([one.strip() for one in key] == ["forward", "loss", "backward", "scale and clip", "optimizer"], f"key: {key}")


def check_dots(checks, page):
    """A dot has the colour of its own side of ×1, even if the device's mean is on the other side."""
    wrong = page.evaluate("""[...document.querySelectorAll('#models svg')].flatMap((svg) => {
      const d = (kind) => (svg.querySelector(`path[class="${kind}"]`)?.getAttribute('d') || '');
      const one = Number(d('one').slice(1).split(' ')[0]);
      const places = (kind) => d(kind).split('M').slice(1).map((dot) => Number(dot.split(' ')[0]));
      return [...places('dots faster').filter((x) => x < one - 0.06), ...places('dots slower').filter((x) => x > one + 0.06)];
    })""")
    checks.check(not wrong, f"dots on the wrong side of ×1 for their colour: {wrong[:3]}")


def check_filter(checks, opened, expect):
    page = opened.page
    first, models, panels, ends = shown(page), page.evaluate(MODELS), page.evaluate(PANELS), page.evaluate(ENDS)
    title = page.inner_text("#models h2")
    query = expect.get("query", "no-such-word")
    page.keyboard.press("/")
    checks.check(page.evaluate("document.activeElement.id") == "filter", "/ goes to the filter")
    page.keyboard.type(query)
    found = expect.get("query_rows", 0)
    checks.check(shown(page) == f"{found} of {first}", f"{query!r} finds {shown(page)}, not {found} of {first}")
    checks.check(opened.fragment().get("q") == query, f"the filter is in the hash: {page.url}")
    dots = [one["paths"][2].count("M") + one["paths"][3].count("M") for one in page.evaluate(MODELS)
            if len(one["paths"]) > 3]
    wanted = expect.get("query_dots", found)
    checks.check(all(count == wanted for count in dots), f"{wanted} dots of each device: {dots}")
    means = page.locator("#models td.mean").all_inner_texts()
    checks.check(expect.get("query_mean", means[0]) in means, f"means over what matches: {means}")
    forest = page.evaluate("[...document.querySelectorAll('#forest tbody tr')].filter((row) => !row.hidden).length")
    checks.check(forest in (0, found), f"each case with its interval: {forest} of {found} that match")
    checks.check("that match the filter" in page.inner_text("#models h2"), "the title says that it is filtered")
    page.fill("#filter", "-no-such-word")  # all match: the script draws the same as the delivered page
    checks.check(page.evaluate(MODELS) == models, "the script's means and dots are those of the page")
    checks.check(page.evaluate(PANELS) == panels and page.evaluate(ENDS) == ends and all(ends), "the script's pictures along the axis are those of the page")
    page.fill("#filter", "nonsense:1")
    said = pages.plain(page.inner_text("#query-problems"))
    checks.check(said.startswith("No case has “nonsense”. Known words: backend, ") and ", op, " in said and "without" in said,
                 f"a word that no case has is told, with those that are known: {said!r}")
    page.keyboard.press("Escape")
    checks.check(page.inner_text("#query-problems") == "", "without a filter nothing is said")
    check_prices(checks, page)
    checks.check(shown(page) == first and page.inner_text("#models h2") == title, "Escape shows all again")


def check_forest(checks, page, expect):
    """Each case of a pair shows its interval, from the worst to the best."""
    ratios = [pages.plain(text) for text in page.locator("#forest td.mean").all_inner_texts()]
    checks.check(len(ratios) == expect.get("intervals", 0), f"cases with their interval: {len(ratios)}")
    values = [float(text.split()[0][1:]) for text in ratios]
    checks.check(values == sorted(values), f"from the worst to the best: {values}")
    checks.check(all("[" in text for text in ratios), f"each says its interval: {ratios[:3]}")


def check_prices(checks, page):
    """No name overlaps another name or the frontier."""
    if page.locator("svg.scatter").count():
        in_the_way = page.evaluate(NAMES_IN_THE_WAY)
        checks.check(not in_the_way, f"names in the way: {in_the_way}")


def check_axis(checks, opened):
    page = opened.page
    before = page.evaluate(PANELS)
    names = page.locator("#axis option").all_inner_texts()
    other = next(name for name in names if name != page.input_value("#axis"))
    page.select_option("#axis", other)
    checks.check(page.inner_text("#multiples h2") == "Along " + other, "the chosen axis is the title")
    checks.check(page.evaluate(PANELS) != before, "another axis is another picture")
    checks.check(opened.fragment().get("axis") == other, f"the axis is in the hash: {page.url}")
    opened.page.reload()
    pages.wait_until_ready(page)
    checks.check(page.input_value("#axis") == other, "and a link keeps it")
    opened.open()


def check_leaving_out(checks, opened, expect):
    """A device with few cases narrows the comparison of all devices; without it they have more in common."""
    if "narrow" not in expect:
        return
    page = opened.page
    box = page.get_by_role("checkbox", name=expect["narrow"])
    before = page.inner_text("#models h2")
    box.uncheck()
    checks.check(page.inner_text("#models h2") == expect["common_without"],
                 f"without {expect['narrow']}: {page.inner_text('#models h2')}")
    box.check()
    checks.check(page.inner_text("#models h2") == before, f"and with it: {before}")


def check_sort(checks, opened):
    """By keyboard, over all rows, not only over those that are laid out."""
    page = opened.page
    rows = values_in(opened.path)
    column = page.evaluate("document.querySelector('#matrix td.heat').cellIndex")
    place = page.evaluate("""(column) => [...document.querySelectorAll('#matrix thead th')]
      .slice(0, column).filter((header) => header.classList.contains('num')).length""", column)
    value = "(column) => Number(document.querySelectorAll('#matrix tbody tr[data-id]')[0].cells[column].dataset.v)"
    known = [values[place] for _, values in rows if values[place] is not None]
    header = page.locator(f"#matrix thead th:nth-child({column + 1})")
    header.locator("button").focus()
    page.keyboard.press("Enter")
    checks.check(header.get_attribute("aria-sort") == "descending", "a header says how it sorts")
    checks.check(page.evaluate(value, column) == max(known), "the largest comes first")
    checks.check(opened.fragment().get("sort") == f"{column}:down", f"the order is in the hash: {page.url}")
    page.keyboard.press("Space")
    checks.check(header.get_attribute("aria-sort") == "ascending", "and the other way round")
    checks.check(page.evaluate(value, column) == min(known), "the smallest comes first")
    page.keyboard.press("Enter")
    checks.check(page.evaluate(ROWS + "[0].dataset.id") == urllib.parse.unquote(rows[0][0]), "and back")


def check_box(checks, opened):
    """The table scrolls in its own window: header and cases stay visible, the last column and row can be reached."""
    page = opened.page
    laid_out = page.evaluate(ROWS + ".length")
    checks.check(laid_out <= MOST_ROWS, f"{laid_out} rows are laid out")
    page.evaluate("""() => { const box = document.querySelector('.box'); box.scrollTo(1e9, 1e9); }""")
    last = values_in(opened.path)[-1][0]
    page.wait_for_selector(f'#matrix tbody tr:last-child[data-id="{last}"]', state="attached", timeout=30_000)
    offsets = page.evaluate("""() => {
      const box = document.querySelector('.box').getBoundingClientRect(), of = (what) => document.querySelector(what).getBoundingClientRect();
      return [of('#matrix thead th:last-child').top - box.top, of('#matrix tbody tr:last-child th').left - box.left,
              of('#matrix thead th:last-child').right - box.right, of('#matrix tbody tr:last-child').bottom - box.bottom];
    }""")
    checks.check(abs(offsets[0]) <= 2, f"the header stays: {offsets[0]}")
    checks.check(abs(offsets[1]) <= 2, f"the first column stays: {offsets[1]}")
    checks.check(offsets[2] <= 0 and offsets[3] <= 0, f"the last column and row are in sight: {offsets[2:]}")
    heights = page.evaluate("[...new Set(" + ROWS + ".map((row) => Math.round(row.getBoundingClientRect().height)))]")
    checks.check(len(heights) == 1, f"all rows are of one height: {heights}")
    cut = page.evaluate("""[...document.querySelectorAll('#matrix td b, #matrix td .unit')]
      .filter((line) => line.scrollWidth > line.clientWidth + 1).map((line) => line.textContent)""")
    checks.check(not cut, f"cells that do not fit: {cut[:3]}")


def check_reasons(checks, opened, expect):
    """A link leads from a reason to all of its rows."""
    if "all_rows" not in expect:
        return
    page = opened.page
    page.locator("#reasons summary").first.click()
    link = page.locator("#reasons details[open] a")
    named, more = page.locator("#reasons details[open] li bdi").count(), link.inner_text().split()[0]
    link.click()
    checks.check(f"{named + int(more)} of {expect['all_rows']} rows" == shown(page),
                 f"the link of a reason finds its {named} + {more} rows: {shown(page)}")
    opened.open()


def check_keyboard(checks, opened):
    """The first Tab is a link that skips to the table; from there one skips past the table."""
    page = opened.page
    page.keyboard.press("Tab")
    skip = page.locator("a[data-skip]").first
    checks.check(skip.evaluate("(link) => link === document.activeElement"), "the first Tab is the skip link")
    checks.check(skip.bounding_box()["x"] >= 0, "which is then in sight")
    page.keyboard.press("Enter")
    checks.check(page.evaluate("document.activeElement.id") == "cases", "it leads to the table")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    checks.check(page.evaluate("document.activeElement.id") == "after-matrix", "a second one skips the table")
    checks.check("#" not in pages.address(page), f"skipping is no state of the page: {page.url}")


WIDER = """[...document.querySelectorAll('table, figure, svg')].filter((part) => part.checkVisibility())
  .map((part) => [part.tagName + ' ' + part.className, Math.round(part.getBoundingClientRect().right)])
  .filter(([, right]) => right > innerWidth)"""
OVERLAPS = """[...document.querySelectorAll('.roofs figure')].filter((figure, i, all) => i > 0 &&
  figure.getBoundingClientRect().top < all[i - 1].getBoundingClientRect().bottom &&
  figure.getBoundingClientRect().left < all[i - 1].getBoundingClientRect().right).length"""


def check_print(checks, browser, path):
    """On A4 sheets in landscape, few of them, nothing is cut off or overlaps."""
    opened = pages.Page(browser, path, viewport={"width": 1032, "height": 720})
    opened.open()
    page = opened.page
    sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))
    checks.check(0 < sheets <= MOST_SHEETS, f"{path.stem} in print: {sheets} sheets")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wider = page.evaluate(WIDER)
    checks.check(not wider, f"{path.stem} in print: wider than the sheet: {wider[:4]}")
    overlaps = page.evaluate(OVERLAPS)
    checks.check(overlaps == 0, f"{path.stem} in print: {overlaps} rooflines overlap")
    opened.close()


CUT = """[...document.querySelectorAll('table.models td.num, table.story td.num, .stack .num')].filter((cell) => cell.checkVisibility() &&
  cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent)"""
ONES = """[...document.querySelectorAll('table.models')].map((table) => new Set([...table.querySelectorAll('path.one')]
  .map((path) => Math.round(path.getBoundingClientRect().left))).size)"""


def check_narrow(checks, browser, path, screenshots):
    narrow = pages.Page(browser, path, viewport={"width": 360, "height": 740}, color_scheme="dark")
    narrow.open()
    page = narrow.page
    checks.check(page.evaluate("document.documentElement.scrollWidth <= 360"),
                 "at 360 px nothing is wider than the window")
    height = page.evaluate("document.documentElement.scrollHeight")
    checks.check(height <= MOST_HEIGHT, f"{path.stem} at 360 px is {height} px high")
    cut = page.evaluate(CUT)
    checks.check(not cut, f"{path.stem} at 360 px: numbers that are cut off: {cut[:3]}")
    checks.check(all(count == 1 for count in page.evaluate(ONES)), "at 360 px ×1 stands in one place")
    check_box(checks, narrow)
    on_top = page.evaluate("""() => {
      document.querySelector('#cases').scrollIntoView();
      document.querySelector('.box').scrollBy(0, 100);
      scrollBy(0, 40);
      const box = document.getElementById('filter').getBoundingClientRect();
      return document.elementFromPoint(box.left + 20, box.bottom - 4).id;
    }""")
    checks.check(on_top == "filter", f"the filter lies over the table: {on_top}")
    checks.check(not narrow.complaints, f"no complaint at 360 px: {narrow.complaints[:3]}")
    if screenshots:
        page.screenshot(path=screenshots / (path.stem + "-360-dark.png"), full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.screenshot(path=screenshots / (path.stem + "-dark.png"))
    check_accessible(checks, page, f"{path.stem} dark")
    narrow.close()


def check_without_scripts(checks, browser, path, expect):
    bare = browser.new_page(java_script_enabled=False)
    bare.goto(path.resolve().as_uri())
    checks.check(bare.locator("#matrix tbody tr").count() == expect.get("rows", 0),
                 "with scripts off the rows are there")
    checks.check("×" in bare.inner_text("#models table"), "with scripts off the means are there")
    checks.check(not bare.locator("#filter").is_visible(), "with scripts off there is no filter")
    checks.check(not bare.locator("#axis").count() or not bare.locator("#axis").is_visible(),
                 "with scripts off there is no choice of an axis")
    bare.close()


def check_devices(checks, browser, path, screenshots):
    beside = path.with_suffix(".json")
    expect = json.loads(beside.read_text()) if beside.exists() else {}
    opened = pages.Page(browser, path, viewport={"width": 1280, "height": 900})
    opened.open()
    check_keyboard(checks, opened)
    opened.open()
    check_page(checks, opened, expect)
    check_dots(checks, opened.page)
    check_forest(checks, opened.page, expect)
    check_prices(checks, opened.page)
    if screenshots:
        opened.page.screenshot(path=screenshots / (path.stem + ".png"), full_page=True)
    check_filter(checks, opened, expect)
    check_axis(checks, opened)
    check_leaving_out(checks, opened, expect)
    check_sort(checks, opened)
    check_box(checks, opened)
    check_reasons(checks, opened, expect)
    own = path.resolve().as_uri()
    foreign = [url for url in opened.requests
               if url.split("#")[0] != own and not url.startswith("data:")]
    checks.check(not foreign, f"no request but the file's own: {foreign[:3]}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")
    check_accessible(checks, opened.page, f"{path.stem} light")
    opened.close()
    check_narrow(checks, browser, path, screenshots)
    check_print(checks, browser, path)
    check_without_scripts(checks, browser, path, expect)


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
