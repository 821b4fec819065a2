"""The rooms that are no capability: pictures, people, look-alikes, saved searches, retention.

    library.py  people.py  graph.py  sessions.py  retention.py        features.py: for the library

`Engine` has each as an attribute. They work on an open store, and on the loop to show pages.
"""
