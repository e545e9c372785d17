#!/usr/bin/env python3
"""Opens a site in headless Chromium, from disk, and checks that its pages work.

usage: site_test.py PLUMBLINE

The site is made by that program from 16 planted nights: everything takes 8 % longer from the ninth
on, the driver changes every night, a case crashes once, names would act on a page if they could.
Ends with `N passed, N failed`; exit code 0, 1 when a check failed, 77 (skipped) without a browser.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pages
from accessibility import check_accessible

FAKE_WORKER = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_worker.py"
OTHER_DEVICE = (5, 12)  # nights on a second device of the class
TITLE = "</script><script>alert(1)</script>"
SUITE = """suite: site
measure: {rounds: 2}
benchmarks:
  - {op: softmax, sweep: {rows: [128, 256], cols: [64], dtype: [float32]}}
  - {op: aten::exp, args: {self: "randn[n]"}, sweep: {n: [16], dtype: [float32], label: [plain, LONG]}}
""".replace("LONG", "x" * 10_000)


def plant_site(program, folder):
    """A site in the folder; its index."""
    (folder / "site.yaml").write_text(SUITE, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE")}
    environment |= {"PLUMBLINE_WORKER": str(FAKE_WORKER), "PLUMBLINE_LOCKS": str(folder / "locks"),
                    "PLUMBLINE_CACHE": str(folder / "cache"), "GIT_CEILING_DIRECTORIES": str(folder)}

    def plumbline(*words, expected=(0,), **variables):
        done = subprocess.run([program, *map(str, words)], cwd=folder, env=environment | variables,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
        if done.returncode not in expected:
            raise SystemExit(f"{done.args}: {done.returncode}\n{done.stdout}{done.stderr}")

    for night in range(1, 17):
        run = folder / "runs" / f"night-{night}"
        variables = {"FAKE_WORKER_FACTOR": "1.08" if night > 8 else "1"}
        if night == 3:
            variables["FAKE_WORKER"] = '[["rows=256", "segfault"]]'
        plumbline("run", "site.yaml", "-o", run, expected=(0, 1), **variables)
        info = json.loads((run / "run.json").read_text(encoding="utf-8"))
        info["started_at"] = f"2026-06-{night:02d}T02:00:00Z"
        device = "GPU-4e5f6071-0000" if night in OTHER_DEVICE else "GPU-0a1b2c3d-0000"
        info["environment"] |= {"commit": f"{night:040x}", "driver": f"580.{night}", "device_uuid": device}
        (run / "run.json").write_text(json.dumps(info), encoding="utf-8")
        if night > 8:
            plumbline("compare", folder / "runs/night-8", run, "-o", run / "comparison.json",
                      "--margin", "2%", expected=(0, 1, 3))
    plumbline("site", "site", "--runs", "runs", "--title", TITLE)
    return folder / "site" / "index.html"


class SitePage(pages.Page):
    def open(self, fragment=""):
        self.page.goto(self.path.resolve().as_uri() + fragment)
        self.page.wait_for_selector("html.js", state="attached")


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
    check_accessible(checks, page, what)  # asks for the style sheet again, which the page's policy refuses
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
    page.wait_for_timeout(100)
    visible = page.locator("#commits tbody tr:visible").count()
    checks.check(visible == 1, f"a link within the page searches: {visible} rows")
    page.fill("#search", "")
    page.locator("#changes tbody a").first.click()
    page.wait_for_selector("svg.history")
    checks.check("/cases/" in page.url, "a change leads to its case")
    page.locator(".identity a").first.click()
    page.wait_for_selector("#commits")
    rows.first.locator("a").first.click()
    pages.wait_until_ready(page)
    checks.check("/commits/" in page.url, "a row leads to the commit's page")
    check_requests(checks, opened, site)
    opened.close()


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


def check_labels(checks, browser, site):
    """Where the table's head has no room, cells name themselves."""
    page = browser.new_page(viewport={"width": 360, "height": 740})
    for name, wanted in (("index", "device"), ("cases", "runs")):
        page.goto((site / f"{name}.html").resolve().as_uri())
        labels = page.evaluate("""[...document.querySelectorAll('.filtered tbody tr:first-child td')]
          .map((cell) => getComputedStyle(cell, '::before').content)""")
        checks.check(any(wanted in label for label in labels), f"{name} at 360 px: {labels}")
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
    check_case(checks, browser, site, changed)
    check_without_scripts(checks, browser, site, changed)
    check_labels(checks, browser, site)
    for path in {site / "index.html", site / "cases.html", changed, absent, hostile}:
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
