"""The page of a study: claims and verdicts, tables as printed and as measured, plots, set-up.

It is made from what results.json holds, so an old result can be shown again.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

from saccade.studies import edges
from saccade.types import Spec

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;"
    "color:#1c2526;background:#fff}h2{margin-top:2.5rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1.2rem}caption{text-align:left;font-weight:600}"
    "td,th{padding:.2rem .7rem;border-bottom:1px solid #ddd;vertical-align:top;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}img{max-width:100%;height:auto}"
    "figure{margin:1rem 0}figcaption{color:#5a6465}"
    ".scroll{overflow-x:auto}.holds{color:#1a6b3c}.not{color:#9c2f10}.un{color:#5a6465}"
    "pre{white-space:pre-wrap;font-size:12px}"
)
_SHADE = {
    "holds": "holds",
    "no difference": "un",
    "does not hold": "not",
    "not measured": "un",
}

JUDGED = " Verdicts are those of today's judges on the values that were kept then."
BUSY = 0.5  # share of the cores that others used, from which on a page says so
KINDS_SAID = (
    "A claim is worth what its weakest comparison is: it holds where the effect lies above nought "
    "beyond doubt (p < .05 and a 95% interval without nought, paired over the units named), does "
    "not hold where it lies below, and is no difference where neither can be told."
)


def page(record: Spec) -> str:
    """The whole page as HTML, without a script."""
    from saccade.studies.report import about

    title = f"{record['study']}: {record['about']}"
    parts = [
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(record['paper'])}</p>",
        f"<p>{_text(about(record))}.{_text(JUDGED if record.get('judged') else '')}</p>",
        _data(record["data"]),
        "<h2>Claims and verdicts</h2>",
        f"<p>{_text(tally(record['claims']))}. {_text(KINDS_SAID)}</p>",
        _claims(record["claims"]),
        "<h2>Set-up</h2>",
        _list(record["setup"]),
        f"<p>Options: <code>{_text(json.dumps(record['options']))}</code></p>",
    ]
    parts += [_experiment(entry) for entry in record["experiments"].values()]
    body = "\n".join(parts)
    return (
        f"<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
        f'<meta name=viewport content="width=device-width">\n<title>{_text(title)}</title>\n'
        f"<style>{_STYLE}</style>\n{body}\n</html>\n"
    )


def _data(sets: Sequence[Spec]) -> str:
    lines = []
    for one in sets:
        drawn = " (drawn by code: no data were given)" if one["drawn"] else ""
        lines.append(f"Set <b>{_text(one['name'])}</b>{drawn}")
        lines += [f"&ensp;{_text(problem)}" for problem in one["problems"]]
    return "<p>" + "<br>\n".join(lines) + "</p>"


def _claims(claims: Sequence[Spec]) -> str:
    rows = [
        f"<tr><td>{_text(claim['text'])}</td><td>{_text(claim['source'])}</td>"
        f"<td>{_text(claim['here'])}</td>"
        f'<td class="{_SHADE[claim["verdict"]]}">{_text(claim["verdict"])}</td>'
        f"<td>{_text(weight(claim))}</td>"
        f"<td>{_text(claim['figure'])}</td><td>{_text(claim['why'])}</td></tr>"
        for claim in claims
    ]
    heads = "<tr><th>claim<th>where<th>what was run<th>verdict<th>effect<th>figures<th>more</tr>"
    return f"<div class=scroll><table>{heads}\n" + "\n".join(rows) + "\n</table></div>"


def weight(claim: Spec) -> str:
    """What a verdict rests on, in one line; nothing where it was not measured."""
    if claim["effect"] is None:
        return ""
    low, high = claim["interval"]
    return (
        f"{claim['effect']:+.4g} [{low:+.4g}, {high:+.4g}], p {claim['p']:.3g}, "
        f"{claim['n']} {claim['over']} ({claim['of']})"
    )


def tally(claims: Sequence[Spec]) -> str:
    """How many verdicts there are of each kind."""
    every = [claim["verdict"] for claim in claims]
    return ", ".join(f"{every.count(kind)} {kind}" for kind in _SHADE if kind in every)


def _experiment(entry: Spec) -> str:
    parts = [f"<h2>{_text(entry['title'])}</h2>"]
    printed = [(f"As printed: {table['title']}", table["rows"]) for table in entry["printed"]]
    measured = [(f"As measured on {name}", rows) for name, rows in entry["measured"].items()]
    parts += [table_html(rows, caption) for caption, rows in (*printed, *measured)]
    parts += [f"<p>{_text(said)}</p>" for said in remarks(entry)]
    for picture in entry.get("plots", ()):
        if picture.endswith(".png"):
            drawing = picture.removesuffix(".png") + ".svg"
            parts.append(
                f'<p><a href="{_text(drawing)}"><img src="{_text(picture)}" '
                f'alt="{_text(entry["title"])}"></a></p>'
            )
    for plate in entry.get("pictures", ()):
        label = _text(plate["caption"])
        parts.append(
            f'<figure><a href="{_text(plate["file"])}"><img src="{_text(plate["file"])}" '
            f'alt="{label}" loading=lazy></a>'
            f"<figcaption>{label}</figcaption></figure>"
        )
    notes = json.dumps(entry["notes"], ensure_ascii=False, indent=1)
    parts.append(
        f"<details><summary>Settings and sizes</summary><pre>{_text(notes)}</pre></details>"
    )
    return "\n".join(parts)


def remarks(entry: Spec) -> list[str]:
    """What must be known to read an experiment: a busy machine, and why there is no plot."""
    said = []
    load = entry.get("load")
    if load is not None and load > BUSY:
        said.append(f"Measured on a busy machine: others used up to {load:.0%} of the cores.")
    if "load" not in entry and any("seconds" in measure for measure in entry["measures"]):
        said.append(
            "How busy the machine was at the time was not kept: read these times with care."
        )
    if "plots" in entry and entry["measured"] and not entry["plots"]:
        said.append("No plot: not one of its values is a number.")
    return said + edges.said(entry)


def table_html(rows: Sequence[Spec], caption: str) -> str:
    """Rows of equal columns as an HTML table; numbers to the right."""
    if not rows:
        return ""
    heads = "".join(f"<th>{_text(name)}</th>" for name in rows[0])
    body = "\n".join(
        "<tr>" + "".join(_cell(value) for value in row.values()) + "</tr>" for row in rows
    )
    return (
        f"<div class=scroll><table><caption>{_text(caption)}</caption><tr>{heads}</tr>\n"
        f"{body}\n</table></div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td class=n>–</td>"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td class=n>{number(value)}</td>"
    return f"<td>{_text(value)}</td>"


def number(value: float) -> str:
    """Four digits after the point for values of measures, four figures for the rest.

    >>> number(0.61834), number(1234.5), number(12), number(0.00002)
    ('0.6183', '1234', '12', '2e-05')
    """
    if isinstance(value, int):
        return str(value)
    small = value != 0 and abs(value) < 0.0001
    return f"{value:.4g}" if small or abs(value) >= 10 else f"{value:.4f}"


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "\n".join(f"<li>{_text(sentence)}</li>" for sentence in sentences) + "</ul>"


def _text(value: object) -> str:
    return html.escape(str(value))
