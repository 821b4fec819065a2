"""What others know of pictures: an id of their own, and fields with values.

    path,external_id,price,colour            beside the folder, as CSV or a JSON object a line
    shoes/1.jpg,sku-1,12.50,red

A field is a number, a text or a flag from its first value on. A line names a picture by `path`
(whole, relative to the file of lines, or the end of one), by `image_id`, or by an `external_id`
that it has.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from saccade.engine.names import check_name, check_text
from saccade.engine.opened import OpenStore
from saccade.errors import InvalidInput, NoSuchImage
from saccade.store.catalog import FIELD_KINDS, ImageFields, check_kinds
from saccade.types import FieldsReport, FieldValue, ImageRecord, Skipped

MOST_FIELDS, LONGEST = 64, 1000
A_COMMIT = 2000
_KEYS = ("image_id", "path", "external_id")


@dataclass(frozen=True, slots=True)
class FieldLine:
    """What one line says of one picture; a value of None takes a field away."""

    number: int
    image_id: str = ""
    path: str = ""
    external_id: str = ""
    fields: Mapping[str, FieldValue | None] = field(default_factory=dict)


class Fields:
    r"""Fields and further ids of the pictures of an open store.

    >>> record = engine.images()[0]
    >>> fields = engine.fields
    >>> fields.check({"price": 12.5})
    >>> fields.set(record.image_id, {"price": 12.5}, external_id="sku-1").fields
    {'price': 12.5}
    >>> fields.find("sku-1").image_id == record.image_id, fields.kinds
    (True, {'price': 'number'})
    >>> _ = (folder / "more.csv").write_text("external_id,colour\nsku-1,red\nsku-9,blue\n")
    >>> report = fields.read(folder / "more.csv")
    >>> report.images, report.fields, len(report.missed)
    (1, ('colour', 'price'), 1)
    >>> len(engine.search(text="harbour", where={"fields": {"price": {"below": 20}}}))
    1
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened, self._catalog = opened, opened.store.catalog

    @property
    def kinds(self) -> dict[str, str]:
        """Every field with what it holds: number, text or flag."""
        return dict(self._catalog.setting(FIELD_KINDS) or {})

    def set(
        self,
        image: str,
        fields: Mapping[str, FieldValue | None] | None = None,
        *,
        external_id: str | None = None,
    ) -> ImageRecord:
        """Give a picture (by its id, or by an id of yours) fields, and perhaps an id of yours.

        Fields that are not named stay; None takes one away.
        """
        row = self.find(image).row
        line = FieldLine(0, external_id=external_id or "", fields=dict(fields or {}))
        self._opened.store.commit(fields={row: _checked(line, self.kinds)})
        return self._catalog.records([row])[0]

    def check(self, fields: Mapping[str, FieldValue | None]) -> None:
        """Raise InvalidInput for what no picture can be given."""
        _checked(FieldLine(0, fields=fields), self.kinds)

    @staticmethod
    def typed(text: str) -> tuple[str, FieldValue]:
        """A field as it is typed: a number, a flag or a text.

        >>> Fields.typed("price=12.5"), Fields.typed("new=true"), Fields.typed("colour=red")
        (('price', 12.5), ('new', True), ('colour', 'red'))
        """
        name, sign, value = text.partition("=")
        if not sign:
            raise InvalidInput(
                f"field {text!r} has no value", hint="a field is a name, an equals sign and a value"
            )
        return name, float(value) if _is_number(value) else _flag(value)

    def find(self, name: str) -> ImageRecord:
        """The picture of this id, or of this id of yours."""
        row = self._catalog.row_of_external(name)
        collection = self._opened.collection()
        row = collection.find(name) if row is None else row
        if row < 0 or not collection.listing.alive[row]:
            raise NoSuchImage(name)
        return self._catalog.records([row])[0]

    def read(self, file: str | os.PathLike[str]) -> FieldsReport:
        """Take in a file of lines, CSV or JSON; lines about no picture are told, not an error.

        A value that is not what its field holds is one, and then nothing of the file is kept.
        """
        place = Path(file).expanduser()
        lines = list(_csv(place) if place.suffix.lower() == ".csv" else _json_lines(place))
        find = self._finder(place.parent)
        kinds, by_row, missed = self.kinds, dict[int, ImageFields](), list[Skipped]()
        for line in lines:
            row = find(line)
            if row is None:
                named = line.path or line.image_id or line.external_id
                missed.append(Skipped(f"{place}:{line.number}", f"no picture {named!r} here"))
                continue
            try:
                by_row[row] = _checked(line, kinds)
            except InvalidInput as error:
                raise InvalidInput(f"{place}:{line.number}: {error.message}") from error
        rows = list(by_row)
        for start in range(0, len(rows), A_COMMIT):
            some = {row: by_row[row] for row in rows[start : start + A_COMMIT]}
            self._opened.store.commit(fields=some)
        return FieldsReport(images=len(by_row), fields=tuple(sorted(kinds)), missed=tuple(missed))

    def _finder(self, folder: Path) -> Callable[[FieldLine], int | None]:
        by_path = self._catalog.path_rows()
        ends: dict[str, int | None] = {}
        for path, row in by_path.items():
            for start in range(1, path.count("/") + 1):
                end = "/".join(path.rsplit("/", start)[1:])
                ends[end] = row if ends.get(end, row) == row else None  # of several, none
        collection = self._opened.collection()

        def find(line: FieldLine) -> int | None:
            if line.path:
                whole = os.path.abspath(folder / line.path)
                exact = by_path.get(line.path, by_path.get(whole))
                return ends.get(line.path) if exact is None else exact
            if line.image_id:
                row = collection.find(line.image_id)
                return None if row < 0 else row
            return self._catalog.row_of_external(line.external_id)

        return find


def _checked(line: FieldLine, kinds: dict[str, str]) -> ImageFields:
    """What a line says, with every value of its field's kind; new fields get theirs."""
    if line.external_id:
        check_name("external id", line.external_id, longest=200, without="/")
    if len(line.fields) > MOST_FIELDS:
        raise InvalidInput(f"a picture has at most {MOST_FIELDS} fields, not {len(line.fields)}")
    for name, value in line.fields.items():
        check_name("field", name, longest=100, without="/:=<>~")
        if value is None:
            continue
        strange = not isinstance(value, int | float | str)
        if strange or (isinstance(value, float) and not math.isfinite(value)):
            raise InvalidInput(f"field {name!r}: {value!r} is no number, text or flag")
        if isinstance(value, str):
            check_text(value, LONGEST)
    record = ImageFields(line.external_id, dict(line.fields))
    check_kinds(record, kinds)
    return record


def _csv(file: Path) -> Iterator[FieldLine]:
    with file.open(newline="", encoding="utf-8-sig") as stream:
        reader = csv.DictReader(stream)
        if not set(reader.fieldnames or ()) & set(_KEYS):
            raise InvalidInput(
                f"{file}: its first line names none of {', '.join(_KEYS)}",
                hint="name the columns in the first line, one of them `path`",
            )
        rows = [(reader.line_num, row) for row in reader]
    numbers = {
        name
        for name in (reader.fieldnames or ())
        if name not in _KEYS and all(_is_number(row[name]) for _, row in rows if row[name])
    }
    for number, row in rows:
        values = {n: v for n, v in row.items() if n is not None and n not in _KEYS and v}
        typed = {n: float(v) if n in numbers else _flag(v) for n, v in values.items()}
        yield FieldLine(number, **{key: row.get(key) or "" for key in _KEYS}, fields=typed)


def _json_lines(file: Path) -> Iterator[FieldLine]:
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            values = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"{file}:{number}: this is no JSON: {error}") from error
        if not isinstance(values, dict) or not any(values.get(key) for key in _KEYS):
            raise InvalidInput(f"{file}:{number}: an object with one of {', '.join(_KEYS)}")
        keys = {key: str(values.pop(key, "") or "") for key in _KEYS}
        nested = values.pop("fields", {})
        yield FieldLine(number, **keys, fields={**values, **nested})


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _flag(text: str) -> FieldValue:
    return {"true": True, "false": False}.get(text.lower(), text)
