"""The loop, top to bottom: a request becomes a session, a ranking, a page; a mark becomes an event.

loop.py        the way of both; start here
session.py     what stays the same over the rounds of one search    query.py phi.py computed.py
experts/       ways to score the collection (a table)               where.py page.py verifying.py
teaching.py    what a mark says, as an event with its own lesson     marks.py
capability.py  what a capability offers; the loop asks those that a request names
"""
