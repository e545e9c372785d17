#!/usr/bin/env python3
"""Words with an explanation, in headless Chromium: by mouse, keyboard, screen reader, on paper.

usage: terms_test.py FOLDER|PAGE…

Takes any page that Plumbline writes; at least one of them must mark words. Ends with `N passed, N failed`; exit code 0,
1 when a check failed, 77 (skipped) without a browser.
"""

import pathlib
import shutil
import sys

import pages

MARKS = """[...document.querySelectorAll('[popovertarget^="term-"], [aria-describedby^="term-"]')]
  .map((place) => place.getAttribute('popovertarget') || place.getAttribute('aria-describedby'))"""
HEADERS = """[...document.querySelectorAll('#table .tabulator-col[tabulator-field]')]
  .filter((header) => header.offsetWidth > 0 && !document.getElementById(header.getAttribute('aria-describedby')))
  .map((header) => header.innerText.trim()).filter((title) => !/[0-9]/.test(title))"""
OPEN = ".meaning:popover-open"


def check_texts(checks, page, what):
    missing = [mark for mark in page.evaluate(MARKS) if page.locator(f"[id='{mark}']").count() != 1]
    checks.check(not missing, f"{what}: each marked word has one text: {missing[:3]}")
    empty = page.evaluate("[...document.querySelectorAll('.meaning')].filter((m) => m.textContent.trim().length < 20).length")
    checks.check(empty == 0, f"{what}: no text is empty")
    silent = page.evaluate(HEADERS)
    checks.check(not silent, f"{what}: every column of the table says what it is: {silent}")


def check_place(checks, page, word, what):
    """The explanation appears below or above its word, within the window."""
    page.wait_for_selector(OPEN, timeout=30_000)
    box, at, size = page.locator(OPEN).bounding_box(), word.bounding_box(), page.viewport_size
    checks.check(box["x"] >= 0 and box["x"] + box["width"] <= size["width"], f"{what}: within the window: {box}")
    gap = max(box["y"] - at["y"] - at["height"], at["y"] - box["y"] - box["height"])
    checks.check(-1 <= gap <= 12, f"{what}: the text is beside its word: {gap:.0f} px")


def check_button(checks, page, what):
    word = page.locator("main .term:visible").first
    word.scroll_into_view_if_needed()
    word.click()
    check_place(checks, page, word, f"{what}, clicked")
    page.keyboard.press("Escape")
    checks.check(page.locator(OPEN).count() == 0, f"{what}: Esc closes the text")
    word.focus()
    page.keyboard.press("Enter")
    check_place(checks, page, word, f"{what}, Enter")
    page.keyboard.press("Escape")
    checks.check(page.evaluate("document.activeElement.className") == "term", f"{what}: the focus stays at the word")
    if page.evaluate("matchMedia('(hover: hover)').matches"):
        page.mouse.move(1, 1)
        word.hover()
        check_place(checks, page, word, f"{what}, under the pointer")
        word.click()
        checks.check(page.locator(OPEN).count() == 1, f"{what}: a click there keeps the text")
        page.keyboard.press("Escape")


def check_described(checks, page, what):
    """A link or a header gives its explanation to a screen reader, and shows it to the keyboard."""
    link = page.locator("nav a[aria-describedby^='term-']").first
    if link.count() == 0:
        return
    client = page.context.new_cdp_session(page)
    node = client.send("DOM.getDocument")["root"]["nodeId"]
    found = client.send("DOM.querySelector", {"nodeId": node, "selector": "nav a[aria-describedby^='term-']"})
    tree = client.send("Accessibility.getPartialAXTree", {"nodeId": found["nodeId"], "fetchRelatives": False})
    said = tree["nodes"][0].get("description", {}).get("value", "")
    checks.check(len(said) > 20, f"{what}: a count is described to a screen reader: {said!r}")
    page.keyboard.press("Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement.matches('nav a[aria-describedby]')"):
            break
        page.keyboard.press("Tab")
    check_place(checks, page, link, f"{what}, a count with the focus")
    page.keyboard.press("Escape")


def check_paper(checks, page, what):
    page.emulate_media(media="print")
    shown = page.evaluate("""(() => {
      const asked = new Set([...document.querySelectorAll('main [popovertarget^="term-"]')].filter((word) => word.checkVisibility())
        .map((word) => word.getAttribute('popovertarget')));
      return [...asked].filter((id) => !document.getElementById(id).checkVisibility());
    })()""")
    checks.check(not shown, f"{what}: on paper the texts are printed: {shown[:3]}")
    page.emulate_media(media="screen")


def check_page(checks, browser, path):
    for width in (1280, 360):
        opened = pages.Page(browser, path, viewport={"width": width, "height": 800})
        page, what = opened.page, f"{path.stem} at {width} px"
        page.goto(path.resolve().as_uri())
        page.wait_for_selector("html.js", state="attached")
        if page.locator("#table").count():
            pages.wait_until_ready(page)
        check_texts(checks, page, what)
        if page.locator("main .term:visible").count():
            check_button(checks, page, what)
        check_described(checks, page, what)
        check_paper(checks, page, what)
        checks.check(not opened.complaints, f"{what}: no complaint on the console: {opened.complaints[:3]}")
        opened.close()
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.resolve().as_uri())
    if page.locator("main .term:visible").count():
        page.locator("main .term:visible").first.click()
        checks.check(page.locator(OPEN).count() == 1, f"{path.stem}: with scripts off a click shows the text")
    page.close()


if __name__ == "__main__":
    sys.exit(pages.run_checks([pathlib.Path(path) for path in sys.argv[1:]], shutil.which("chromium"), check_page))
