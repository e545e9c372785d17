#!/usr/bin/python3
"""The reader of GitHub's expressions that other tests use: what it knows is right, what it does not know is an error.

usage: expressions_test.py
"""

import unittest

from expressions import Unknown, evaluated, is_run

CONTEXTS = {"inputs": {"suites": "a b", "on": "true", "empty": ""}, "github": {"event": {"number": 5, "action": "opened", "pull_request": {"fork": False}}},
            "steps": {"one": {"outputs": {"code": "3"}}}}


class Expressions(unittest.TestCase):
    def test_values(self):
        for text, value in (("${{ inputs.suites }}", "a b"), ("x ${{ steps.one.outputs.code }}${{ inputs.empty }} y", "x 3 y"), ("${{ github.event.number }}", 5),
                            ("${{ github.event.issue.number }}", None), ("<${{ github.event.issue.number }}>", "<>"), ("${{ steps.one.outputs.none }}", ""),
                            ("${{ inputs.on == 'true' && format('{0}/x', 'a') || '' }}", "a/x"), ("${{ inputs.empty || 'b' }}", "b"), ("${{ 'it''s' }}", "it's"),
                            ("${{ 'A' == 'a' }}", True), ("${{ null == '' }}", True), ("${{ null == 'a' }}", False), ("${{ fromJSON('[1]') }}", [1]), ("plain", "plain")):
            self.assertEqual(evaluated(text, CONTEXTS), value, text)

    def test_conditions(self):
        for text, status, value in ((None, "success", True), (None, "failure", False), ("always()", "failure", True), ("inputs.on == 'true'", "failure", False),
                                    ("always() && inputs.empty != ''", "success", False), ("failure()", "failure", True), ("!github.event.pull_request.fork", "success", True),
                                    ("(github.event.action == 'closed' || contains('opened', 'open')) && true", "success", True), ("'always()' == 'x'", "failure", False)):
            self.assertIs(is_run(text, CONTEXTS, status), value, text)

    def test_what_it_does_not_know_is_an_error(self):
        for text in ("secrets.TOKEN", "inputs.gone", "github.actor", "toJSON(inputs)", "inputs.suites == 3", "inputs.suites <  'b'", "inputs['suites']", "inputs.suites inputs",
                     "'open", "", "(true", "inputs.*", "a && b ||", "steps.two.outputs.code"):
            with self.subTest(text), self.assertRaises(Unknown):
                evaluated("${{ " + text + " }}", CONTEXTS)


if __name__ == "__main__":
    unittest.main()
