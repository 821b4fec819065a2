"""From a query to a page: `session.py` begins one, `experts.py` scores it, `page.py` shows it."""
