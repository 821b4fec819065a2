"""What a study leaves behind: table (Markdown, CSV), every value (JSON, CSV), a plot, a page."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.testbed.plots import bars
from saccade.testbed.tables import comma_separated, markdown, write_json, write_text

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd}"
    "td{text-align:right}td:first-child,td:nth-child(2),th{text-align:left}img{max-width:100%}"
)


def write(
    out: Path,
    stem: str,
    result: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    said: Sequence[str],
) -> list[Path]:
    """Write everything under one stem; the page comes first in the list."""
    title = f"{stem}: mean average precision on {result['data']}"
    facts = [*said, _facts(result)]
    paths = {ending: out / f"{stem}.{ending}" for ending in ("html", "md", "csv", "json", "png")}
    queries = out / f"{stem}-queries.csv"
    bars(
        paths["png"],
        {str(row["algorithm"]): float(row["measured mAP"]) for row in rows},
        title=title,
        axis="mAP (dots: folds)",
        spread={str(row["algorithm"]): result["found"][row["ranker"]]["folds"] for row in rows},
    )
    listed = "\n".join(f"- {fact}" for fact in facts)
    write_text(paths["md"], f"# {title}\n\n{listed}\n\n{markdown(rows)}\n")
    write_text(paths["csv"], comma_separated(rows))
    write_text(queries, comma_separated(_by_query(result)))
    write_json(paths["json"], {**result, "table": list(rows), "said": list(said)})
    write_text(paths["html"], _page(title, facts, rows, paths["png"].name))
    return [*paths.values(), queries]


def _facts(result: Mapping[str, Any]) -> str:
    first = result["folds"][0]
    return (
        f"{result['images']} images, {len(result['schemes'])} schemes "
        f"({result['descriptors']} descriptors), {len(result['folds'])} folds; in the first "
        f"{first['training_instances']} training instances of {first['training_queries']} queries, "
        f"{first['validation_queries']} validation and {first['test_queries']} test queries. "
        "Seconds are wall time of the final fits, all folds together."
    )


def _by_query(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a test query: where it comes from and its average precision by each algorithm."""
    values = {name: one["ap"] for name, one in result["found"].items()}
    return [
        {
            "fold": query["fold"],
            "file": query["file"],
            **{name: v[at] for name, v in values.items()},
        }
        for at, query in enumerate(result["queries"])
    ]


def _page(title: str, facts: Sequence[str], rows: Sequence[Mapping[str, Any]], picture: str) -> str:
    def cell(value: Any) -> str:
        if value is None:
            return "–"
        return f"{value:.4f}" if isinstance(value, float) else html.escape(str(value))

    heads = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
    body = "\n".join(
        "<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    listed = "".join(f"<li>{html.escape(fact)}</li>" for fact in facts)
    return (
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
        f"<style>{_STYLE}</style>\n<h1>{html.escape(title)}</h1>\n<ul>{listed}</ul>\n"
        f'<img src="{picture}" alt="mAP of each algorithm">\n'
        f"<table><tr>{heads}</tr>\n{body}\n</table></html>\n"
    )
