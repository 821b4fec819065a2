"""Labelled picture sets, read by their layout and never by their name.

    FOLDER/labels.csv           file, class, and others: grade, split, role, rank_NAME (`tables`)
    FOLDER/<class>/…            one folder a class                                     (`files`)
    …/NAME_query.txt …          Oxford-style lists of good, ok and junk pictures
    …/100000.jpg 100001.jpg     Holidays-style numbers
    FOLDER/Fold1/train.txt      LETOR files

`load` reads what it recognises and puts what it had to leave out into `Dataset.problems`; `check`
looks at every byte. Nothing is dropped without a word.
"""

from __future__ import annotations

from pathlib import Path

from saccade.errors import InvalidInput
from saccade.testbed.datasets import files, tables
from saccade.testbed.datasets.check import Report, check
from saccade.testbed.datasets.record import TABLE, Dataset, GradedQuery, Pair

__all__ = ["TABLE", "Dataset", "GradedQuery", "Pair", "Report", "check", "load"]

# By file names, most telling first: a folder of folders would also hold for most of the others.
LAYOUTS = {
    "letor": files.letor,
    "oxford": files.oxford,
    "holidays": files.holidays,
    "folders": files.folders,
}


def load(folder: str | Path, *, label: str | None = None) -> Dataset:
    """Read a labelled set; `label` names the column of labels where a table does not say it.

    Raises:
        InvalidInput: no such folder; a table without the columns or with a broken line; nothing
            in it that is known.

    >>> dataset = load(pictures)
    >>> len(dataset.files), dataset.layout
    (36, 'table')
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InvalidInput(f"no folder {str(folder)!r}; check the path")
    dataset = tables.read(folder, label)
    if dataset is not None:
        return dataset
    for layout in LAYOUTS.values():
        dataset = layout(folder)
        if dataset is not None:
            return dataset
    raise files.nothing(folder)
