"""Attributes: named directions that people teach, and the collection in their order.

    surface.py  records.py  fold.py  scoring.py  asking.py  classifying.py  capability.py

A search may ask for `more` or `less` of one. Each answer is an event with all that learning needs.
"""
