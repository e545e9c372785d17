"""A site of 16 planted nights, for site_test.py.

Everything takes 8 % longer from the ninth night on, the driver changes every night, and one case crashes once. Names
contain markup that would act on a page if not escaped. A second site, `left`, has the same nights, but the last three
lack one of the cases.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pages

FAKE_WORKER = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_worker.py"
OTHER_DEVICE = (5, 12)  # nights on a second device of the class
URL = "https://example.org/perf/"
TITLE = "</script><script>alert(1)</script>"
SUITE = """suite: site
measure: {rounds: 2}
benchmarks:
  - {op: softmax, sweep: {rows: [128, 256], cols: [64], dtype: [float32]}}
  - {op: aten::exp, args: {self: "randn[n]"}, sweep: {n: [16], dtype: [float32], label: [plain, LONG]}}
""".replace("LONG", "x" * 10_000)


def plant_site(program, folder):
    """Makes a site in the folder; returns its index."""
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
    shutil.copytree(folder / "runs", folder / "fewer")
    for night in (14, 15, 16):  # a case leaves the suite
        results = folder / "fewer" / f"night-{night}" / "results.csv"
        lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
        results.write_text("".join(line for line in lines if "rows=256" not in line), encoding="utf-8")
    plumbline("site", "left", "--runs", "fewer", "--url", URL)
    return folder / "site" / "index.html"


class SitePage(pages.Page):
    def open(self, fragment=""):
        self.page.goto(self.path.resolve().as_uri() + fragment)
        self.page.wait_for_selector("html.js", state="attached")
