"""Scores rules for verdicts on a corpus of recorded nights (docs/how-to/score-a-rule.md).

nights.py reads a corpus and plants slowdowns, rule.py says what a rule is, judges.py and plumbline.py hold the rules,
scores.py counts.
"""
