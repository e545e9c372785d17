"""docs/notebook.ipynb runs, shows tables with verdicts, is stored with outputs of the current form, and is readable in
a browser. --update runs it and stores it again.

PLUMBLINE_NOTEBOOK is the environment of scripts/requirements-notebook.txt, which scripts/test installs; exit code 77
without it.
"""

import html.parser
import os
import pathlib
import re
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
EXTRA = pathlib.Path(os.environ.get("PLUMBLINE_NOTEBOOK", ""))
PACKAGES = next(EXTRA.glob("lib/python3*/site-packages"), None) if EXTRA.is_absolute() else None
SHOTS = os.environ.get("PLUMBLINE_SHOTS")  # a folder for pictures of the page
MOST_S, MOST_CELLS = 120, 12
VERDICT = re.compile(r"[▲▼●◇] (SLOWER|FASTER|SAME|UNRESOLVED): ")
NOTES = {"note"}  # there are more of them on a busy machine
METRIC = re.compile(r"^(gpu_time_cold|wall_time)$")  # with a GPU, or without one
TABLES = "[...document.querySelectorAll('.plumbline table')]"
# Tables that are wider than their frame and cannot be scrolled, and frames wider than the window.
CUT = """[...document.querySelectorAll('.plumbline')].filter((frame) => frame.getBoundingClientRect().right > innerWidth
  || (frame.scrollWidth > frame.clientWidth && getComputedStyle(frame).overflowX !== 'auto')).length"""
SIDES = "[...document.querySelectorAll('.plumbline td:not(.number)')].map((e) => getComputedStyle(e).textAlign)"

if PACKAGES is None:
    print("skipped: PLUMBLINE_NOTEBOOK names no environment of scripts/requirements-notebook.txt; scripts/test does")
    sys.exit(77)
if not list((BUILD / "python/plumbline_gpu").glob("_engine*")):
    print(f"skipped: {BUILD}/python has no extension module")
    sys.exit(77)
sys.path.append(str(PACKAGES))
os.environ["JUPYTER_PATH"] = str(EXTRA / "share/jupyter")
os.environ["PYTHONPATH"] = os.pathsep.join([str(BUILD / "python"), str(PACKAGES)])
os.environ["JUPYTER_PLATFORM_DIRS"] = "1"

import nbclient
import nbconvert
import nbformat


class Heads(html.parser.HTMLParser):
    """The names of a table's rows and columns."""

    def __init__(self, text):
        super().__init__()
        self.found, self._is_in = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._is_in = tag == "th"
        if self._is_in:
            self.found.append("")

    def handle_endtag(self, tag):
        self._is_in = False

    def handle_data(self, data):
        if self._is_in:
            self.found[-1] += data


def shape(output):
    """What an output shows, without its numbers."""
    if output["output_type"] == "stream":
        return [output["name"], re.sub(r"[\d.]+", "0", re.sub(r" +", " ", output["text"]))]
    if output["output_type"] == "error":
        return ["error", output["ename"]]
    heads = [METRIC.sub("time", name) for name in Heads(output["data"].get("text/html", "")).found]
    return [*sorted(output["data"]), *(name for name in heads if name not in NOTES)]


def run():
    """The notebook with fresh outputs, run as if opened in its own folder; and the time it took."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # without settings and history of the user who runs the test
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            os.environ[name] = folder
        start = time.monotonic()
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False,
                                         resources={"metadata": {"path": str(NOTEBOOK.parent)}})  # fmt: skip
        client.execute()
    return notebook, time.monotonic() - start


def page(notebook, theme):
    """HTML that loads nothing from the network."""
    exporter = nbconvert.HTMLExporter(theme=theme, require_js_url="", jquery_url="", mathjax_url="", mermaid_js_url="",
                                      html_manager_semver_range="*", widget_renderer_url="")  # fmt: skip
    return exporter.from_notebook_node(notebook)[0]


def system_page(notebook):
    """Only the tables, on a page that follows the system's choice of light or dark."""
    shown = [table for cell in notebook.cells if cell.cell_type == "code" for table in tables(cell)]
    head = '<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width">'
    style = "<style>:root { color-scheme: light dark; background: Canvas; }</style>"
    return f"{head}<title>Tables</title>{style}{''.join(shown)}"


def tables(cell):
    return [output["data"]["text/html"] for output in cell.outputs if "text/html" in output.get("data", {})]


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stored = nbformat.read(NOTEBOOK, as_version=4)
        cls.fresh, cls.took_s = run()

    def test_it_is_short_and_runs_within_two_minutes(self):
        nbformat.validate(self.stored)
        self.assertLessEqual(len(self.stored.cells), MOST_CELLS)
        print(f"the notebook ran in {self.took_s:.0f} s", file=sys.stderr)
        self.assertLess(self.took_s, MOST_S)

    def test_a_verdict_stands_in_a_table(self):
        for notebook in (self.stored, self.fresh):
            shown = {cell.id: tables(cell) for cell in notebook.cells if cell.cell_type == "code"}
            self.assertRegex(shown["compare"][0], VERDICT)
            self.assertIn("✕ WRONG: the results differ", shown["wrong"][0])
            self.assertRegex(shown["visits"][0], r"20 of \d{2,} rows")

    def test_stored_outputs_have_the_shape_of_fresh_ones(self):
        for stored, fresh in zip(self.stored.cells, self.fresh.cells):
            if stored.cell_type == "code":
                self.assertEqual(
                    [shape(output) for output in stored.outputs], [shape(output) for output in fresh.outputs],
                    f"docs/notebook.ipynb, cell '{stored.id}': the stored output is stale. Store it again: "
                    f"tests/docs/notebook_test.py --update",
                )  # fmt: skip

    def test_its_links_lead_to_files_that_exist_and_the_docs_lead_to_it(self):
        for cell in self.stored.cells:
            for link in re.findall(r"\]\(([^)#]+)", cell.source):
                self.assertTrue((NOTEBOOK.parent / link).exists(), link)
        self.assertIn("notebook.ipynb", re.findall(r"\]\(([^)#]+)", (ROOT / "docs/python.md").read_text(encoding="utf-8")))


class Rendered(unittest.TestCase):
    """The stored notebook as a page, in Chromium."""

    @classmethod
    def setUpClass(cls):
        try:
            from playwright.sync_api import Error, sync_playwright

            cls.playwright = cls.enterClassContext(sync_playwright())
            cls.browser = cls.playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        except (ImportError, Error) as missing:
            raise unittest.SkipTest(f"no Chromium to open the page in: {str(missing).splitlines()[0]}") from None
        cls.addClassCleanup(cls.browser.close)
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        texts = {"light": page(notebook, "light"), "dark": page(notebook, "dark"), "system": system_page(notebook)}
        cls.pages = {theme: pathlib.Path(folder) / f"{theme}.html" for theme in texts}
        for theme, path in cls.pages.items():
            path.write_text(texts[theme], encoding="utf-8")
        cls.count = sum(len(tables(cell)) for cell in notebook.cells if cell.cell_type == "code")

    def opened(self, theme, scheme, width):
        window = self.browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        self.addCleanup(window.close)
        complaints = []
        window.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        window.on("pageerror", lambda error: complaints.append(str(error)))
        window.on("request", lambda asked: asked.url.startswith("http") and complaints.append(asked.url))
        window.goto(self.pages[theme].as_uri(), wait_until="networkidle")
        if SHOTS:
            window.screenshot(path=f"{SHOTS}/notebook-{theme}-{scheme}-{width}.png", full_page=True)
        self.assertEqual(complaints, [])
        return window

    def test_its_tables_are_seen_and_read_in_light_and_dark_wide_and_narrow(self):
        from axe_playwright_python.sync_playwright import Axe

        self.assertGreaterEqual(self.count, 4)
        for theme in self.pages:
            for scheme in ("light", "dark"):
                for width in (360, 1280):
                    with self.subTest(theme=theme, scheme=scheme, width=width):
                        window = self.opened(theme, scheme, width)
                        seen = window.evaluate(f"{TABLES}.filter((t) => t.checkVisibility() && t.offsetHeight > 50).length")
                        self.assertEqual(seen, self.count)
                        self.assertEqual(window.evaluate(CUT), 0)
                        self.assertEqual(set(window.evaluate(SIDES)), {"left"})
                        found = Axe().run(window, context=".plumbline").response
                        self.assertEqual([(v["id"], v["nodes"][0]["failureSummary"]) for v in found["violations"]], [])
                        self.assertIn("color-contrast", [rule["id"] for rule in found["passes"]])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        nbformat.write(run()[0], NOTEBOOK)
    else:
        unittest.main(verbosity=2)
