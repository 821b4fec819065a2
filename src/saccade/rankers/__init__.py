"""Rankers: a function φ → score that learns, behind one name each.

    make(name, **parameters)                       a fresh ranker
    model.learn(winners, losers)                   online: winners[i] before losers[i], in order
    model.fit(phi, grades, groups, validation=…)   batch: starts afresh, gives the model back
    model.score(phi)                               [n], higher is better; works before any learning
    model.dump() / load(state)                     a JSON-able spec and named arrays

    model.fit_labels(points=, ordered=, similar=)  rankers of pictures by an attribute
    model.learn_labels(…)                          the same, one label after another

    model.fit_bags(bags, pairs)                    rankers of pictures by their regions
    model.score_bags(bags), model.relevance(bag)   [n]; [regions] in 0..1

The convention, once for all: `phi` is [n, m]; `grades` [n] are whole numbers, 0 is irrelevant;
`groups` [n] are query numbers, in any order. Queries with one document or with equal grades only
teach nothing and are left out. `validation` is another (phi, grades, groups): where learning is
iterated, the iterate that ranks it best is kept. Chance comes in as `seed`.
What labels are stands in `saccade.rankers.labels`, what bags are in `saccade.rankers.bags`.

>>> names()[:4]
('adarank', 'arow', 'best-scheme', 'coordinate-ascent')
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from saccade.contracts import Ranker
from saccade.errors import InvalidInput, UnknownName
from saccade.types import State

RANKERS = {
    "adarank": "saccade.rankers.adarank:AdaRank",
    "arow": "saccade.rankers.second_order:AROW",
    "best-scheme": "saccade.rankers.baselines:BestScheme",
    "coordinate-ascent": "saccade.rankers.coordinate_ascent:CoordinateAscent",
    "lambdamart": "saccade.rankers.lambdamart:LambdaMART",
    "listmle": "saccade.rankers.listmle:ListMLE",
    "listnet": "saccade.rankers.listnet:ListNet",
    "ogdr": "saccade.rankers.online:OGDR",
    "opar1": "saccade.rankers.online:OPAR1",
    "opar2": "saccade.rankers.online:OPAR2",
    "opr": "saccade.rankers.online:OPR",
    "prank": "saccade.rankers.prank:PRank",
    "ranknet": "saccade.rankers.ranknet:RankNet",
    "ranksvm": "saccade.rankers.ranksvm:RankSVM",
    "scw": "saccade.rankers.second_order:SCW",
    "uniform": "saccade.rankers.baselines:Uniform",
    "vsm": "saccade.rankers.baselines:VSM",
}

LABEL_RANKERS = {
    "crr": "saccade.rankers.crr:CRR",
    "hybrid": "saccade.rankers.hybrid:Hybrid",
    "hybrid-kernel": "saccade.rankers.hybrid_kernel:HybridKernel",
    "hybrid-online": "saccade.rankers.hybrid_online:HybridOnline",
    "ordinal-svm": "saccade.rankers.hybrid:OrdinalSVM",
    "pointwise-svm": "saccade.rankers.pointwise_svm:PointwiseSVM",
    "relative-attributes": "saccade.rankers.hybrid:RelativeAttributes",
}

BAG_RANKERS = {
    "mi-average": "saccade.rankers.multiple_instance:MIAverage",
    "mi-max": "saccade.rankers.multiple_instance:MIMax",
    "mi-online": "saccade.rankers.bag_online:MIOnline",
    "mi-softmax": "saccade.rankers.multiple_instance:MISoftmax",
}

_ALL = RANKERS | LABEL_RANKERS | BAG_RANKERS


def names() -> tuple[str, ...]:
    """Every ranker of φ that `make` knows."""
    return tuple(sorted(RANKERS))


def label_names() -> tuple[str, ...]:
    """Every ranker that `make` knows and that learns from labels of pictures."""
    return tuple(sorted(LABEL_RANKERS))


def bag_names() -> tuple[str, ...]:
    """Every ranker that `make` knows and that learns from pictures as bags of regions."""
    return tuple(sorted(BAG_RANKERS))


def ranker_class(name: str) -> Any:
    """The class behind a name; its module is imported now and not before."""
    if name not in _ALL:
        raise UnknownName("ranker", name, _ALL)
    module, _, attribute = _ALL[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def parameters(name: str) -> dict[str, Any]:
    """What `make(name, …)` takes, with the values it takes by default."""
    found: dict[str, Any] = {}
    # A class that passes **shared on to its parent takes the parent's parameters too.
    for kind in ranker_class(name).__mro__[:-1]:
        for key, parameter in inspect.signature(kind.__init__).parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                found.setdefault(key, parameter.default)
    return found


def make(name: str, **settings: Any) -> Any:
    """A fresh ranker.

    >>> make("opar1", C=0.1).name
    'opar1'
    >>> make("opar-1")
    Traceback (most recent call last):
    saccade.errors.UnknownName: no ranker 'opar-1'; did you mean 'opar1'?
    """
    kind = ranker_class(name)
    known = parameters(name) if settings else {}
    for key in settings:
        if key not in known:
            raise UnknownName(f"parameter of {name}", key, known)
    return kind(**settings)


def load(state: State) -> Ranker:
    """The ranker that was dumped, ready to go on as it would have."""
    if state.kind not in _ALL:
        raise UnknownName("ranker", state.kind, _ALL, hint="the state names it as its kind")
    try:
        model: Ranker = ranker_class(state.kind).load(state)
    except (KeyError, TypeError) as problem:
        raise InvalidInput(
            f"state of ranker {state.kind!r} cannot be read: {problem!r}",
            hint="fit it again, or take the state from a version of Saccade that wrote it",
        ) from problem
    return model
