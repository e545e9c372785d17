#!/usr/bin/env python3
"""Opens a site in headless Chromium, from disk, and checks that its pages work.

usage: site_test.py PLUMBLINE

The site is made by that program as planted_site.py says.
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree

import pages
from accessibility import check_accessible
from feeds import ATOM, atom_faults, json_faults
from planted_site import TITLE, URL, SitePage, plant_site

MOST_SHEETS = 4  # of paper


def check_requests(checks, opened, site):
    inside = site.resolve().as_uri() + "/"
    foreign = [url for url in opened.requests if not url.startswith((inside, "data:"))]
    checks.check(not foreign, f"no request outside of the site: {foreign[:3]}")
    checks.check(not opened.complaints, f"no complaint on the console: {opened.complaints[:3]}")


def check_page(checks, browser, site, path, scheme="light", width=1280):
    opened = SitePage(browser, path, viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened.open()
    page = opened.page
    what = f"{path.name} {scheme} {width}"
    checks.check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
                 f"{what}: not wider than its window")
    check_requests(checks, opened, site)
    check_accessible(checks, page, what)  # requests the style sheet again, which the page's policy refuses
    opened.close()


def check_index(checks, browser, site):
    opened = SitePage(browser, site / "index.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    rows = page.locator("#commits tbody tr")
    every = rows.count()
    checks.check(every == 16, f"a row for each commit: {every}")
    checks.check("<script>" in page.inner_text("body"), "a hostile name is shown as text")
    page.keyboard.press("/")
    page.keyboard.type("2026-06-1")
    visible = page.locator("#commits tbody tr:visible").count()
    checks.check(0 < visible < every, f"the search leaves {visible} of {every} rows")
    checks.check(opened.fragment().get("q") == "2026-06-1", "what is searched is in the link")
    page.evaluate("location.hash = 'q=2026-06-02'")
    visible = page.locator("#commits tbody tr:visible")
    checks.check(pages.becomes(page, lambda: visible.count() == 1),
                 f"a link within the page searches: {visible.count()} rows")
    page.fill("#search", "")
    changes = page.locator("#change-list tbody tr")
    checks.check(changes.count() == 1, f"what one commit changed is one row: {changes.count()}")
    changes.first.locator("summary").click()
    changes.first.locator(".members a").first.click()
    page.wait_for_selector("svg.history")
    checks.check("/cases/" in page.url, "a change leads to its case")
    page.locator(".identity a").first.click()
    page.wait_for_selector("#commits")
    rows.first.locator("a").first.click()
    pages.wait_until_ready(page)
    checks.check("/commits/" in page.url, "a row leads to the commit's page")
    check_requests(checks, opened, site)
    opened.close()


def check_open_regressions(checks, browser, site):
    """The page shows an open regression first, although the last night reports nothing slower."""
    opened = SitePage(browser, site / "index.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    title = pages.plain(page.inner_text("h1"))
    checks.check(title.startswith("1 regression is open: ") and "8 % slower in 4 cases" in title and "7 days" in title,
                 f"the title tells the open regression: {title!r}")
    said = pages.plain(page.inner_text("header"))
    checks.check("Cannot tell: all 4 cases are too noisy to judge" in said, f"the last night is told below it: {said!r}")
    rows = page.locator("#open-list tbody tr")
    checks.check(rows.count() == 1, f"a row a cause: {rows.count()}")
    row = pages.plain(rows.first.inner_text())
    for part in ("slower", "+8", "4 cases", "2026-06-09", "7 days", "s"):
        checks.check(part in row, f"an open regression says {part!r}: {row!r}")
    box = rows.first.bounding_box()
    checks.check(box["y"] + box["height"] < 900, f"it stands on the first screen: {box}")
    settled = pages.plain(page.inner_text("#settled"))
    checks.check("broken" in settled and "fixed by" in settled, f"the crash is fixed: {settled!r}")
    check_requests(checks, opened, site)
    opened.close()


def check_gone(checks, browser, left):
    """A case that left its suite is no open regression, until it is measured again."""
    opened = SitePage(browser, left / "index.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    title = pages.plain(page.inner_text("h1"))
    checks.check(title.startswith("1 regression is open: ") and "in 3 cases" in title, f"three of the four are open: {title!r}")
    checks.check("1 regression was open when its suite stopped measuring it" in page.inner_text("header"), "the other is told in the head")
    page.locator("header a[href='#gone']").click()
    rows = page.locator("#gone-list tbody tr")
    row = pages.plain(rows.first.inner_text())
    checks.check(rows.count() == 1 and "rows=256" in row and "2026-06-09" in row, f"it stands in a list of its own: {row!r}")
    checks.check("2026-06-14" in row and "5 days" in row, f"which says since when it is not measured: {row!r}")
    page.goto((left / "cases.html").as_uri())
    row = page.locator("#case-list tbody tr", has_text="rows=256").inner_text()
    checks.check("no longer measured" in row, f"the list of cases says so too: {row!r}")
    check_requests(checks, opened, left)
    opened.close()


def check_map(checks, browser, site):
    opened = SitePage(browser, site / "index.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    columns = page.locator(".heat thead th").count()
    checks.check(columns == 16, f"a column a night: {columns}")
    health = page.locator(".heat tbody tr").first.locator("td").all_inner_texts()
    checks.check(health == ["–"] * 8 + ["○"] * 8, f"what each night could judge: {health}")
    row = page.locator(".heat tbody tr", has_text="rows=256").first
    cells = row.locator("td").all_inner_texts()
    checks.check(cells[2] == "✕" and cells[8:] == ["▲"] * 8 and cells[7] == "·", f"a case over the nights: {cells}")
    colours = row.locator("td").evaluate_all("(cells) => cells.map((c) => getComputedStyle(c).backgroundColor)")
    checks.check(colours[7] != colours[8] != colours[2], f"told by colour as well: {colours}")
    stops = page.evaluate("[...document.querySelectorAll('.heat a, .heat td, .heat th')].filter((e) => e.tabIndex === 0).length")
    checks.check(stops == 1, f"the Tab key stops at it once: {stops}")
    page.evaluate("document.querySelector('.heat [tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "Home", "ArrowRight", "End"):
        page.keyboard.press(key)
    said = pages.plain(page.inner_text("#heat-readout"))
    checks.check("2026-06-16" in said and "+8" in said and "s, " in said, f"a cell is read out: {said!r}")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.history")
    checks.check("/cases/" in page.url, "Enter opens the case")
    opened.close()


def check_sorting(checks, browser, site):
    """By keyboard, as a link, and with Back."""
    opened = SitePage(browser, site / "cases.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    heads = page.locator("#case-list th")
    sortable = page.locator("#case-list th > button")
    checks.check(sortable.count() == heads.count() - 1, f"all headers but the picture's are buttons: {sortable.count()}")
    at = page.locator("#case-list th").all_inner_texts().index("last")
    values = lambda: [float(text) for text in page.locator(f"#case-list tbody tr td:nth-child({at + 1})").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.value)")]
    before = values()
    page.focus(f"#case-list th:nth-child({at + 1}) button")
    page.keyboard.press("Enter")
    checks.check(values() == sorted(before, reverse=True), f"Enter sorts, the largest first: {values()}")
    said = page.get_attribute(f"#case-list th:nth-child({at + 1})", "aria-sort")
    checks.check(said == "descending", f"the header says so: {said}")
    page.keyboard.press("Space")
    checks.check(values() == sorted(before), f"the blank turns it round: {values()}")
    checks.check(opened.fragment().get("sort") == f"case-list:{at}:ascending", f"it is in the link: {page.url}")
    link = pages.address(page)
    page.go_back()
    page.go_back()
    checks.check(pages.becomes(page, lambda: values() == before), "Back undoes it step by step")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("html.js", state="attached")
    checks.check(values() == sorted(before), "the link shows what was seen")
    pictures = page.locator("#case-list svg.spark path").count()
    checks.check(pictures >= 4, f"a sparkline beside each case: {pictures}")
    opened.close()


def check_sorting_of_blocks(checks, browser, site):
    """Where rows are blocks without headers, a choice sorts them: by keyboard, as a link, and with Back."""
    opened = SitePage(browser, site / "cases.html", viewport={"width": 360, "height": 740})
    opened.open()
    page = opened.page
    values = lambda: [float(text) for text in page.locator("#case-list td[data-label=last]").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.value)")]
    before = values()
    choice = page.get_by_label("Sort by")
    checks.check(choice.count() == 1 and choice.is_visible(), "a choice stands above the blocks")
    said = lambda: choice.evaluate("(select) => select.selectedOptions[0].textContent")
    checks.check(said() == "changed with: newest first", f"it says how they are sorted: {said()!r}")
    choice.focus()
    page.keyboard.press("End")
    checks.check(said() == "runs: smallest first", f"keys choose: {said()!r}")
    page.go_back()
    choice.select_option("last: smallest first")
    checks.check(said() == "last: smallest first" and values() == sorted(before), f"it sorts: {said()!r}, {values()}")
    link = pages.address(page)
    page.go_back()
    checks.check(pages.becomes(page, lambda: values() == before and said() == "changed with: newest first"),
                 "Back undoes it")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("html.js", state="attached")
    checks.check(values() == sorted(before) and said() == "last: smallest first", "the link shows what was seen")
    page.set_viewport_size({"width": 1280, "height": 900})
    checks.check(not choice.is_visible(), "a wide window has the headers instead")
    check_requests(checks, opened, site)
    opened.close()


def check_commit_links(checks, browser, site):
    """From a commit's page to the index, its neighbours and its cases."""
    opened = SitePage(browser, site / "index.html", viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    page.locator("#commit-list tbody tr", has_text="2026-06-10").locator("td.name a").click()
    pages.wait_until_ready(page)
    links = "nav[aria-label=Site]"
    for rel, night in (("prev", "2026-06-09"), ("next", "2026-06-10"), ("next", "2026-06-11")):
        page.click(f"{links} a[rel={rel}]")
        pages.wait_until_ready(page)
        checks.check(page.locator(f'time[datetime="{night}T02:00:00Z"]').count() == 1, f"{rel} leads to {night}")
    page.click(f"{links} summary")
    cases = page.locator(f"{links} li").count()
    checks.check(cases == 4, f"each of its cases is linked: {cases}")
    page.locator(f"{links} li a").first.click()
    page.wait_for_selector("svg.history")
    checks.check("/cases/" in page.url, "a case leads to its history")
    page.go_back()
    pages.wait_until_ready(page)
    page.click(f"{links} >> text=All commits")
    page.wait_for_selector("#commits")
    newest = page.locator("#commit-list tbody tr").first.locator("td.name a").get_attribute("href")
    text = (site / newest).read_text(encoding="utf-8")
    checks.check('rel="prev"' in text and 'rel="next"' not in text, "the newest commit has none after it")
    check_requests(checks, opened, site)
    opened.close()


def check_feeds(checks, site, published):
    """By the rules of their formats, with and without an address of the site."""
    for folder in (site, published):
        text, feed = (folder / "feed.xml").read_text(encoding="utf-8"), json.loads((folder / "feed.json").read_text(encoding="utf-8"))
        checks.check(not atom_faults(text), f"Atom's rules: {atom_faults(text)}")
        checks.check(not json_faults(feed), f"JSON Feed's rules: {json_faults(feed)}")
        entries = xml.etree.ElementTree.fromstring(text).findall(ATOM + "entry")
        told = [(entry.findtext(ATOM + "id"), entry.findtext(ATOM + "title"), entry.findtext(ATOM + "updated")) for entry in entries]
        checks.check(told == [(item["id"], item["title"], item["date_published"]) for item in feed["items"]], "both feeds tell the same")
        checks.check(len(entries) == 3, f"an entry for what began and what was fixed: {len(entries)}")
        for entry in entries:
            link = entry.find(ATOM + "link").get("href")
            checks.check((folder / link.removeprefix(URL)).is_file(), f"an entry leads to a page: {link}")
    root = xml.etree.ElementTree.parse(site / "feed.xml").getroot()
    checks.check(root.findtext(ATOM + "title") == TITLE, "a hostile title is text")
    root = xml.etree.ElementTree.parse(published / "feed.xml").getroot()
    own = [link.get("href") for link in root.findall(ATOM + "link") if link.get("rel") == "self"]
    checks.check(own == [URL + "feed.xml"], f"a published feed says where it is: {own}")
    checks.check(all(item["url"].startswith(URL) for item in feed["items"]), "and where its items are")
    page = (site / "index.html").read_text(encoding="utf-8")
    checks.check('rel="alternate" type="application/atom+xml"' in page and 'href="feed.json"' in page, "they are linked")
    broken = text.replace("urn:uuid:", "").replace("<updated>", "<updated>on ").replace("<author>", "<writer>").replace("</author>", "</writer>")
    checks.check(len(atom_faults(broken)) > 10, "a feed that breaks Atom's rules is told")
    checks.check(len(json_faults({"version": "1", "items": [{"id": 1, "url": "x", "date_published": "today"}]})) == 6,
                 "and one that breaks JSON Feed's")


def check_case(checks, browser, site, path):
    opened = SitePage(browser, path, viewport={"width": 1280, "height": 900})
    opened.open()
    page = opened.page
    points = page.evaluate("""[...document.querySelectorAll('.history .dots:not(.hole)')]
      .map((dots) => dots.getAttribute('d').split('M').length - 1)""")
    checks.check(points == [14, 2], f"a point for each run, by device: {points}")
    key = page.locator(".device-key li").all_inner_texts()
    checks.check(key == ["GPU-0a1b2c3d", "GPU-4e5f6071"], f"which the key names: {key}")
    below = page.inner_text(".ends").split("\n")
    checks.check(below[-1] == "by run, not by time" and below[:3] == ["2026-06-01", "2026-06-09", "2026-06-16"],
                 f"the axis says that it is by run: {below}")
    steps = page.locator(".history .level").count()
    checks.check(steps == 1, f"the change is drawn as a step: {steps}")
    checks.check(page.locator(".history .event").get_attribute("d") != "", "a new driver is a tick")
    title = pages.plain(page.inner_text("figcaption"))
    checks.check(title.startswith("Last changed by +8"), f"the chart says what it shows: {title!r}")
    page.focus(".series .plot")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    said = page.inner_text(".readout")
    checks.check("2026-06-15" in said and "s [" in pages.plain(said), f"keys read a run: {said!r}")
    page.click("summary")
    measured = page.locator(".values th button", has_text="measured")
    measured.focus()
    page.keyboard.press("Enter")
    first = page.locator(".values tbody tr").first.inner_text()
    checks.check("2026-06-01" in first, f"its headers sort by keyboard: {first!r}")
    lines = page.locator(".values tbody tr").count()
    checks.check(lines == 16, f"the chart has its table: {lines}")
    changed = page.locator(".values tbody tr", has_text="changed").inner_text()
    device = page.locator(".values tbody tr", has_text="2026-06-12").locator("td").nth(3).inner_text()
    checks.check(device == "GPU-4e5f6071", f"a row names its device: {device!r}")
    checks.check("2026-06-09" in changed, f"the change is marked in it: {changed!r}")
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    checks.check(ink == "rgb(255, 255, 255)", f"it prints on white: {ink}")
    page.emulate_media(media="screen")
    page.focus(".series .plot")
    page.keyboard.press("Enter")
    pages.wait_until_ready(page)
    checks.check("/commits/" in page.url, "Enter opens the commit's page")
    check_requests(checks, opened, site)
    opened.close()


def check_print(checks, browser, site):
    """Few sheets for any number of rows: first open regressions, then the nights, then the cases."""
    opened = SitePage(browser, site / "index.html", viewport={"width": 1032, "height": 703})
    opened.open()
    page = opened.page
    page.evaluate("""() => {
      document.querySelectorAll('tbody').forEach((body) => {
        for (let i = 0; body.rows.length < 60; ++i) body.append(body.rows[i].cloneNode(true));
      });
      const long = ' long words'.repeat(40);
      for (const cell of document.querySelectorAll('.said, [data-label=suites], [data-label=author]')) cell.textContent = long;
      for (const text of document.querySelectorAll('#commits .name a, [data-label=since] a, [data-label=settled] a, [data-label="first seen with"] a, .name .case')) text.append(long);
    }""")
    sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))
    checks.check(0 < sheets <= MOST_SHEETS, f"the index prints {sheets} sheets")
    on_screen = page.locator("#commit-list tbody tr:visible").count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    places = page.evaluate("['#open', '#nights', '#changes', '#commits'].map((id) => document.querySelector(id).getBoundingClientRect().top)")
    checks.check(places == sorted(places), f"open regressions, nights, changes, commits: {places}")
    wider = page.evaluate("""[...document.querySelectorAll('table')].map((table) => [table.id || table.className, table.getBoundingClientRect().right])
      .filter(([, right]) => right > innerWidth)""")
    checks.check(not wider, f"wider than the sheet: {wider}")
    few = page.locator("#commit-list tbody tr:visible").count()
    checks.check(on_screen == 60 and few == 12, f"{few} of {on_screen} commits are printed")
    opened.close()


def check_labels(checks, browser, site):
    """Where there is no room for the table's header, cells show the column's name."""
    page = browser.new_page(viewport={"width": 360, "height": 740})
    for name, wanted in (("index", "device"), ("cases", "runs")):
        page.goto((site / f"{name}.html").resolve().as_uri())
        labels = page.evaluate("""[...document.querySelectorAll('.filtered tbody tr:first-child td')]
          .map((cell) => getComputedStyle(cell, '::before').content)""")
        checks.check(any(wanted in label for label in labels), f"{name} at 360 px: {labels}")
    page.goto((site / "index.html").resolve().as_uri())
    box = page.locator(".heat tbody th").first.bounding_box()
    checks.check(box["width"] > 120 and box["height"] < 60, f"the map names its rows at 360 px: {box}")
    newest = page.locator(".heat thead th").last.bounding_box()
    checks.check(newest["x"] + newest["width"] <= 360, f"and shows the newest night: {newest}")
    page.close()


def check_without_scripts(checks, browser, site, path):
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / "index.html").resolve().as_uri())
    checks.check(page.locator("#commits tbody tr").count() == 16, "with scripts off the commits are there")
    page.goto(path.resolve().as_uri())
    checks.check("+8" in page.inner_text(".series ul"), "and the changes of a case")
    page.close()


def check_site(checks, browser, index):
    site = index.parent
    cases = sorted((site / "cases").glob("*.html"))
    changed = next(path for path in cases if 'class="slower">+8' in path.read_text(encoding="utf-8"))
    absent = next(path for path in cases if '"CRASHED"' in path.read_text(encoding="utf-8"))
    hostile = max(cases, key=lambda path: path.read_text(encoding="utf-8").count("x" * 1000))
    check_index(checks, browser, site)
    check_open_regressions(checks, browser, site)
    check_gone(checks, browser, site.parent / "left")
    check_map(checks, browser, site)
    check_sorting(checks, browser, site)
    check_sorting_of_blocks(checks, browser, site)
    check_commit_links(checks, browser, site)
    check_feeds(checks, site, site.parent / "left")
    check_case(checks, browser, site, changed)
    check_without_scripts(checks, browser, site, changed)
    check_labels(checks, browser, site)
    check_print(checks, browser, site)
    commit = sorted((site / "commits").glob("*.html"))[0]
    for path in {site / "index.html", site / "cases.html", commit, changed, absent, hostile}:
        for scheme, width in (("light", 1280), ("dark", 1280), ("dark", 360)):
            check_page(checks, browser, site, path, scheme, width)
    opened = SitePage(browser, absent, viewport={"width": 1280, "height": 900})
    opened.open()
    checks.check("crashed" in opened.page.inner_text("#absences"), "a run without a time is listed")
    opened.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        index = plant_site(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(name).resolve())
        sys.exit(pages.run_checks([index], shutil.which("chromium"), check_site))
