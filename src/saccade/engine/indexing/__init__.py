"""From folders to rows: one `add` in `run.py`, and the check-up in `doctor.py`."""
