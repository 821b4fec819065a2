"""Configurations: ways to rank a collection by its visual words alone, chosen from feedback.

    surface.py  records.py  fold.py  scoring.py  source.py  training.py  capability.py

A search may name a `configuration`, let the bandit draw one (`auto`), or let all of them `vote`.
"""
