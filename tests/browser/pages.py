"""Opens pages in headless Chromium and checks them: for the tests beside this file."""

import sys
import time
import urllib.parse

SKIPPED = 77
READY = "html[data-ready='true']"
ROWS = "Tabulator.findTable('#table')[0].getDataCount('active')"
COLUMN = "(field) => Tabulator.findTable('#table')[0].getRows('active').map((r) => r.getData()[field])"


class Checks:
    """Counts successful checks; prints failed ones and continues."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}")


def wait_until_ready(page):
    """Waits for a selector: the page's policy forbids a condition in JavaScript."""
    page.wait_for_selector(READY, state="attached", timeout=30_000)


def becomes(page, holds, limit_s=30):
    """Waits until holds() is true; returns whether it became so."""
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        page.wait_for_timeout(20)
    return True


def address(page):
    """As the page itself knows it: `page.url` is told of a change later."""
    return page.evaluate("location.href")


class Page:
    """One report in a new browser window, with its requests and error messages."""

    def __init__(self, browser, path, **options):
        self.path = path
        self.page = browser.new_page(**options)
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text)
                     if said.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog " + dialog.message),
                                               dialog.dismiss()))

    def open(self, fragment=""):
        started = time.monotonic()
        self.page.goto(self.path.resolve().as_uri() + fragment)
        wait_until_ready(self.page)
        return time.monotonic() - started

    def fragment(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(address(self.page)).fragment))

    def close(self):
        self.page.close()


def plain(text):
    """Replaces spaces of all kinds by blanks: a number is joined to its unit by a non-breaking one."""
    return text.replace("\u00a0", " ").replace("\u2009", " ")


def pages_of(paths):
    """The named pages, and those of the named folders; at least one."""
    pages = [page for path in paths for page in (sorted(path.glob("*.html")) if path.is_dir() else [path])]
    if not pages:
        sys.exit(f"no pages in {', '.join(map(str, paths))}")
    return pages


def run_checks(reports, chromium, check):
    """Calls check(checks, browser, path) for every page; returns the exit code."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        print("skipped: Playwright is not installed in this Python")
        return SKIPPED
    checks = Checks()
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        except Error as error:
            print("skipped: no Chromium to start:", str(error).splitlines()[0])
            return SKIPPED
        for path in pages_of(reports):
            try:
                check(checks, browser, path)
            except Error as error:
                checks.check(False, f"{path.name}: {str(error).splitlines()[0]}")
        browser.close()
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0
