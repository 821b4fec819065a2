"""Candidates that another engine found, re-ranked by what people teach: a shop's articles, say.

They need not be pictures: a candidate is a name, numbers and named vectors. What is marked on a
page of them teaches their order, by the same log, guard and replay as everything else.
"""
