"""Everything learned, as folds over the log; `fold.py` has the table."""
