#!/usr/bin/env python3
"""Checks that reports/js/axis.js places values and chooses round numbers like reports/axis.h.

usage: axis_test.py EXAMPLES.json AXIS.js

tests/unit/reports/axis_test.cpp writes the examples. Exit code 0, 1 when a check failed, 77 (skipped) without a
browser.
"""

import json
import math
import pathlib
import shutil
import sys

import pages

TOLD = """([low, high, is_log, most]) => {
  const axis = make_axis(low, high, 0, 100, is_log);
  return [axis.ticks(most), axis.at(low * Math.sqrt(high / low))];
}"""


def check_examples(checks, browser, path):
    page = browser.new_page()
    page.add_script_tag(path=sys.argv[2])
    for *axis, ticks, place in json.loads(path.read_text()):
        found, found_place = page.evaluate(TOLD, axis)
        same = len(found) == len(ticks) and all(map(lambda a, b: math.isclose(a, b, rel_tol=1e-9), found, ticks))
        checks.check(same, f"{axis}: {found} and not {ticks}")
        checks.check(math.isclose(found_place, place, rel_tol=1e-9), f"{axis}: {found_place} and not {place}")
    page.close()


if __name__ == "__main__":
    sys.exit(pages.run_checks([pathlib.Path(sys.argv[1])], shutil.which("chromium"), check_examples))
