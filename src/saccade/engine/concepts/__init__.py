"""Concepts: the pictures of a keyword in a taught order, and the regions that count.

    surface.py  records.py  fold.py  scoring.py  keywords.py  regions.py  pointing.py  capability.py

A search may look for a `part` of a picture. Regions are made when they are first needed.
"""
