"""Typed words: what they mean in this collection, and what people taught them to mean.

    surface.py  records.py  fold.py  scoring.py  asking.py  source.py  paths.py  capability.py

A search with a `text` looks for kinds of things, for what is near them, for colours and for names;
what is marked on its pages teaches the word. A brought pair of encoders goes before all that.
"""
