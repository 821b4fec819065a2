"""One file per group of routes; `app.py` puts them together."""
