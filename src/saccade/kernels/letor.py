"""Parsing of svmlight lines with query ids: bytes in, arrays out.

    GRADE qid:QUERY FEATURE:VALUE FEATURE:VALUE … # COMMENT

Numbers of up to 15 digits and powers of ten up to 10^22 are converted exactly: both parts are exact
in binary, so one multiplication or division rounds once (Clinger 1990). Other numbers are reported
back by position, and the caller converts them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

(
    GOOD,
    BAD_GRADE,
    NO_QUERY,
    BAD_QUERY,
    BAD_FEATURE,
    BAD_VALUE,
    UNSORTED_FEATURE,
    TOO_MANY_FEATURES,
) = range(8)

_SPACE, _TAB, _RETURN, _NEWLINE, _HASH, _COLON = 32, 9, 13, 10, 35, 58
POWERS = 10.0 ** np.arange(23)


@njit(cache=True, nogil=True)
def _blank(byte):  # type: ignore[no-untyped-def]
    return byte in (_SPACE, _TAB, _RETURN)


@njit(cache=True, nogil=True)
def _field_end(data, at):  # type: ignore[no-untyped-def]
    """Where the field that starts at `at` ends."""
    n = data.shape[0]
    while at < n and not _blank(data[at]) and data[at] != _NEWLINE and data[at] != _HASH:
        at += 1
    return at


@njit(cache=True, nogil=True)
def _whole(data, at, end):  # type: ignore[no-untyped-def]
    """A whole number in data[at:end], or -1 when it is none."""
    if at >= end or end - at > 18:
        return -1
    number = 0
    for i in range(at, end):
        digit = data[i] - 48
        if digit < 0 or digit > 9:
            return -1
        number = number * 10 + digit
    return number


@njit(cache=True, nogil=True)
def _decimal(data, at, end, powers):  # type: ignore[no-untyped-def]
    """(value, exact) of data[at:end]; not exact means: ask a full parser."""
    sign = 1.0
    if at < end and (data[at] == 45 or data[at] == 43):
        if data[at] == 45:
            sign = -1.0
        at += 1
    mantissa = np.int64(0)
    digits, shift, seen, point = 0, 0, 0, False
    while at < end:
        byte = data[at]
        if byte == 46 and not point:
            point = True
        elif 48 <= byte <= 57:
            seen += 1
            if mantissa > 0 or byte > 48:
                digits += 1
            if digits > 15:
                return 0.0, False
            mantissa = mantissa * 10 + (byte - 48)
            if point:
                shift -= 1
        else:
            break
        at += 1
    if seen == 0:
        return 0.0, False
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        down = False
        if at < end and (data[at] == 45 or data[at] == 43):
            down = data[at] == 45
            at += 1
        power = _whole(data, at, end)
        if power < 0 or power > 1000:
            return 0.0, False
        shift += -power if down else power
        at = end
    if at < end or shift < -22 or shift > 22:
        return 0.0, False
    value = np.float64(mantissa)
    return (
        (sign * value / powers[-shift], True) if shift < 0 else (sign * value * powers[shift], True)
    )


@njit(cache=True, nogil=True)
def parse(data, powers, limit, rows, bounds, features, values, comments, inexact):  # type: ignore[no-untyped-def]
    """Read whole lines from `data` [bytes] into the given arrays.

    `rows[i]` is grade, query and line of row i, `bounds[i]:bounds[i + 1]` are its values, and
    `comments[i]` is where its comment starts and ends (-1 without one). Numbers for the full parser
    are listed in `inexact` as (slot, begin, end). Features above `limit` are refused; 0 is none.
    Returns rows, values, inexact numbers, error code, line of the error (from 0), and begin and end
    of its field.
    """
    n = data.shape[0]
    at, line, row, slot, odd = 0, -1, 0, 0, 0
    bounds[0] = 0
    while at < n:
        line += 1
        while at < n and _blank(data[at]):
            at += 1
        if at < n and data[at] != _NEWLINE and data[at] != _HASH:
            end = _field_end(data, at)
            grade, exact = _decimal(data, at, end, powers)
            if not exact or grade < 0.0 or grade > 1e9 or grade != np.floor(grade):
                return row, slot, odd, BAD_GRADE, line, at, end
            rows[row, 0] = np.int64(grade)
            rows[row, 2] = line
            at = end
            while at < n and _blank(data[at]):
                at += 1
            end = _field_end(data, at)
            if (
                end - at < 4
                or data[at] != 113
                or data[at + 1] != 105
                or data[at + 2] != 100
                or data[at + 3] != _COLON
            ):
                return row, slot, odd, NO_QUERY, line, at, end
            query = _whole(data, at + 4, end)
            if query < 0:
                return row, slot, odd, BAD_QUERY, line, at, end
            rows[row, 1] = query
            at = end
            before = 0
            while True:
                while at < n and _blank(data[at]):
                    at += 1
                if at >= n or data[at] == _NEWLINE or data[at] == _HASH:
                    break
                end = _field_end(data, at)
                colon = at
                while colon < end and data[colon] != _COLON:
                    colon += 1
                feature = _whole(data, at, colon)
                if colon == end or feature < 1 or feature > 10_000_000:
                    return row, slot, odd, BAD_FEATURE, line, at, end
                if feature <= before:
                    return row, slot, odd, UNSORTED_FEATURE, line, at, end
                if 0 < limit < feature:
                    return row, slot, odd, TOO_MANY_FEATURES, line, at, end
                value, exact = _decimal(data, colon + 1, end, powers)
                if not exact:
                    if colon + 1 == end:
                        return row, slot, odd, BAD_VALUE, line, at, end
                    inexact[odd, 0] = slot
                    inexact[odd, 1] = colon + 1
                    inexact[odd, 2] = end
                    odd += 1
                features[slot] = feature - 1
                values[slot] = value
                slot += 1
                before = feature
                at = end
            comments[row, 0] = -1
            comments[row, 1] = -1
            if at < n and data[at] == _HASH:
                comments[row, 0] = at + 1
                while at < n and data[at] != _NEWLINE:
                    at += 1
                comments[row, 1] = at
            row += 1
            bounds[row] = slot
        while at < n and data[at] != _NEWLINE:
            at += 1
        at += 1
    return row, slot, odd, GOOD, line, 0, 0


@njit(cache=True, nogil=True)
def spread(features, values, bounds, out):  # type: ignore[no-untyped-def]
    """Write the sparse rows into the dense `out` [rows, features], which holds zeros."""
    for row in range(bounds.shape[0] - 1):
        for slot in range(bounds[row], bounds[row + 1]):
            out[row, features[slot]] = values[slot]
