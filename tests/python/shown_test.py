#!/usr/bin/python3
"""What `print` and a notebook show for tables: the same rows and numbers, escaped, in the hues of reports."""

import html.parser
import math
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "harness/python"))

from plumbline_gpu import _html, _text
from plumbline_gpu.tables import Table

TYPES = {"case": str, "verdict": str, "change": float, "change_low": float, "change_high": float, "unit": str,
         "candidate": float, "reason": str, "status": str}  # fmt: skip
ROWS = [
    ("gemm/custom/n=1", "SLOWER", 0.0204, 0.0101, 0.0305, "s", 12.6e-6, "", "OK"),
    ("<script>alert(1)</script>/x", "NOT_JUDGED", math.nan, math.nan, math.nan, "s", math.nan, "a & b", "OK"),
]


class Cells(html.parser.HTMLParser):
    """Collects the texts of a table, row by row, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.title, self._in = [], [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._in = self._in if tag == "wbr" else tag
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self._in = ""

    def handle_data(self, data):
        if self._in == "caption":
            self.title += data
        elif self._in in ("th", "td"):
            self.rows[-1][-1] += data


class Tables(unittest.TestCase):
    def test_a_notebook_shows_what_print_does(self):
        table = Table(TYPES, ROWS)
        title, head, *lines = str(table).splitlines()
        shown = Cells(table._repr_html_())
        self.assertEqual(shown.title, title)
        self.assertEqual([re.split(r" {2,}", line) for line in (head, *lines)], [[t for t in r if t] for r in shown.rows])
        self.assertEqual(shown.rows[1], ["gemm/custom/n=1", "▲ SLOWER", "+2.04 % [+1.01, +3.05]", "12.6 µs", ""])

    def test_columns_that_say_nothing_are_left_out_and_unknown_numbers_are_a_dash(self):
        shown = Cells(Table(TYPES, ROWS)._repr_html_())
        self.assertEqual(shown.rows[0], ["case", "verdict", "change", "candidate", "reason"])
        self.assertEqual(shown.rows[2][1:], ["○ NOT_JUDGED", "–", "–", "a & b"])
        self.assertEqual(shown.title, "2 of 2 rows, 5 of 9 columns")

    def test_texts_are_escaped(self):
        self.assertNotIn("script", Cells(Table(TYPES, ROWS)._repr_html_()).tags)
        self.assertNotIn("img", Cells(_html.facts("<img>", [("<img>", "<img>")])).tags)

    def test_a_long_table_shows_its_head_and_says_how_long_it_is(self):
        long = Table(TYPES, ROWS[:1] * 1000)
        self.assertEqual(len(Cells(long._repr_html_()).rows), 1 + 20)
        self.assertIn("20 of 1000 rows", str(long))
        self.assertIn("0 rows with 9 columns", Cells(Table(TYPES)._repr_html_()).title)


class Numbers(unittest.TestCase):
    def test_values_share_a_unit_that_suits_the_largest(self):
        self.assertEqual(_text.quantities([0.9e-3, 1.1e-3], "s"), (["0.9", "1.1"], "ms"))
        self.assertEqual(_text.quantity(1.5e9, "Hz"), "1.5 GHz")
        self.assertEqual(_text.quantity(3e-10, "s"), "0.3 ns")
        self.assertEqual(_text.quantity(0.25, "1"), "0.25")
        self.assertEqual(_text.quantity(None, "s"), "–")
        self.assertEqual(_text.with_interval(8.72e-3, 6.8e-3, 10.63e-3, "s"), "8.72 ms [6.8, 10.63]")
        self.assertEqual(_text.with_interval(2e-6, -math.inf, math.inf, "s"), "2 µs [-inf, inf]")

    def test_changes_have_a_sign_and_their_interval(self):
        self.assertEqual(_text.change(-0.0123, -0.02, 0.001), "-1.23 % [-2.00, +0.10]")
        self.assertEqual(_text.change(0.5, math.nan, math.nan), "+50.00 %")


class Style(unittest.TestCase):
    def test_hues_are_those_of_reports_in_light_and_in_dark(self):
        page = (ROOT / "reports/page.css").read_text(encoding="utf-8")
        ours = re.findall(r"\.(\w+) { color: light-dark\((#\w+), (#\w+)\)", _html._STYLE)
        self.assertEqual([name for name, *_ in ours], ["slower", "faster", "unresolved", "broken"])
        for name, *hues in ours:
            self.assertEqual(re.findall(rf"--{name}: (#\w+)", page)[:2], hues)

    def test_a_verdict_is_told_by_mark_and_word_and_not_by_colour_alone(self):
        names = re.findall(r'"(\w+)"', (ROOT / "harness/analysis/compare/comparison.h").read_text().split("kVerdict")[1])
        self.assertEqual(_text.marked("LOOKS_SLOWER"), "▲ LOOKS_SLOWER")
        self.assertEqual(_text.marked("NEW"), "NEW")
        self.assertLessEqual(set(_text._VERDICTS) - {"WRONG"}, set(names))


if __name__ == "__main__":
    unittest.main()
