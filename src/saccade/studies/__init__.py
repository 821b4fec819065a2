"""Studies: a paper's experiments as one command, with its printed numbers beside the measured ones.

`STUDIES` names them; each module has `run(data, *, out, …)` and writes tables, plots, JSON and one
HTML page into a folder.
"""

from __future__ import annotations

STUDIES = {
    "wan2015": "learned weights over schemes against fixed ones, by mAP (its table 2)",
}
