"""Rankers: a function φ → score that learns, behind one name each.

    make(name, **parameters)                       a fresh ranker
    as_ranker(model), as_online(model), …          the same, or refused where it learns otherwise
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
A learner whose solver is another package's names it in `packages` and is refused where that is not
installed, by `make` and by its fit; a model that was fitted elsewhere can be loaded all the same.
What labels are stands in `saccade.rankers.labels`, what bags are in `saccade.rankers.bags`.

>>> names()[:4]
('adarank', 'arow', 'best-scheme', 'coordinate-ascent')

Six rows of two queries, where the first column tells what is relevant:

>>> import numpy as np
>>> phi = np.array([[0.9, 0.1], [0.2, 0.4], [0.1, 0.9], [0.8, 0.2], [0.3, 0.3], [0.2, 0.6]])
>>> grades, groups = [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
>>> model = as_ranker(make("opar1")).fit(phi, grades, groups)
>>> model.score(phi).argsort()[::-1][:2]
array([0, 3])
>>> np.array_equal(load(model.dump()).score(phi), model.score(phi))
True
>>> online = as_online(make("opar1"))
>>> online.learn(phi[:1], phi[2:3])
>>> bool(online.score(phi)[0] > online.score(phi)[2])
True
>>> as_label_ranker(make("hybrid-online")).name, as_bag_ranker(make("mi-online")).name
('hybrid-online', 'mi-online')
>>> "hybrid" in label_names(), bag_names()[0], ranker_class("opar1").__name__
(True, 'mi-average', 'OPAR1')
>>> parameters("opar1")["C"]
0.1
"""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Literal, overload

from saccade.contracts import BagRanker, LabelRanker, OnlineRanker, Ranker
from saccade.errors import InvalidInput, UnknownName, need
from saccade.types import State

if TYPE_CHECKING:
    from saccade.rankers.bag_online import MIOnline
    from saccade.rankers.hybrid_online import HybridOnline
    from saccade.rankers.linear import OnlineLinear
    from saccade.rankers.multiple_instance import MultipleInstance

AnyRanker = Ranker | LabelRanker | BagRanker

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


def ranker_class(name: str) -> type[AnyRanker]:
    """The class behind a name; its module is imported now and not before."""
    if name not in _ALL:
        raise UnknownName("ranker", name, _ALL)
    module, _, attribute = _ALL[name].partition(":")
    kind: type[AnyRanker] = getattr(importlib.import_module(module), attribute)
    return kind


def parameters(name: str) -> dict[str, object]:
    """What `make(name, …)` takes, with the values it takes by default."""
    defaults: dict[str, object] = {}
    # A class that passes **shared on to its parent takes the parent's parameters too.
    for kind in ranker_class(name).__mro__[:-1]:
        begin = vars(kind).get("__init__")
        taken = {} if begin is None else inspect.signature(begin).parameters
        for key, parameter in taken.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                defaults.setdefault(key, parameter.default)
    return defaults


@overload
def make(
    name: Literal["arow", "ogdr", "opar1", "opar2", "opr", "scw"], **settings: object
) -> OnlineLinear: ...
@overload
def make(name: Literal["best-scheme", "uniform"], **settings: object) -> OnlineRanker: ...
@overload
def make(
    name: Literal[
        "adarank", "coordinate-ascent", "lambdamart", "listmle", "listnet", "prank", "ranknet",
        "ranksvm", "vsm",
    ],
    **settings: object,
) -> Ranker: ...  # fmt: skip
@overload
def make(name: Literal["hybrid-online"], **settings: object) -> HybridOnline: ...
@overload
def make(
    name: Literal[
        "crr", "hybrid", "hybrid-kernel", "ordinal-svm", "pointwise-svm", "relative-attributes"
    ],
    **settings: object,
) -> LabelRanker: ...
@overload
def make(name: Literal["mi-online"], **settings: object) -> MIOnline: ...
@overload
def make(
    name: Literal["mi-average", "mi-max", "mi-softmax"], **settings: object
) -> MultipleInstance: ...
@overload
def make(name: str, **settings: object) -> AnyRanker: ...
def make(name: str, **settings: object) -> AnyRanker:
    """A fresh ranker; of a name that is not known beforehand, `as_ranker` and its like say more.

    >>> make("opar1", C=0.1).name
    'opar1'
    >>> make("opar-1")
    Traceback (most recent call last):
    saccade.errors.UnknownName: no ranker 'opar-1'; did you mean 'opar1'?
    """
    kind = ranker_class(name)
    accepted = parameters(name) if settings else {}
    for key in settings:
        if key not in accepted:
            raise UnknownName(f"parameter of {name}", key, accepted)
    model = kind(**settings)
    # Before anyone reads a large file for it.
    need("rank", *getattr(model, "packages", ()), part=name)
    return model


def load(state: State) -> AnyRanker:
    """The ranker that was dumped, ready to go on as it would have."""
    if state.kind not in _ALL:
        raise UnknownName("ranker", state.kind, _ALL, hint="the state names it as its kind")
    try:
        return ranker_class(state.kind).load(state)
    except (KeyError, TypeError) as problem:
        raise InvalidInput(
            f"state of ranker {state.kind!r} cannot be read: {problem!r}",
            hint="fit it again, or take the state from a version of Saccade that wrote it",
        ) from problem


def as_ranker(model: AnyRanker) -> Ranker:
    """A ranker of rows of φ, with `fit`; any other is refused.

    >>> as_ranker(make("mi-" + "max"))
    Traceback (most recent call last):
    saccade.errors.InvalidInput: ranker 'mi-max' does not learn from graded rows
    """
    if isinstance(model, Ranker):
        return model
    raise InvalidInput(f"ranker {model.name!r} does not learn from graded rows")


def as_online(model: AnyRanker) -> OnlineLinear:
    """One that learns pair by pair into a weight a column; any other is refused."""
    from saccade.rankers.linear import OnlineLinear

    if isinstance(model, OnlineLinear):
        return model
    raise InvalidInput(f"ranker {model.name!r} does not learn weights pair by pair")


def as_label_ranker(model: AnyRanker) -> LabelRanker:
    """A ranker by an attribute, with `fit_labels`; any other is refused."""
    if isinstance(model, LabelRanker):
        return model
    raise InvalidInput(f"ranker {model.name!r} does not learn from labels of pictures")


def as_bag_ranker(model: AnyRanker) -> BagRanker:
    """A ranker by regions, with `fit_bags`; any other is refused."""
    if isinstance(model, BagRanker):
        return model
    raise InvalidInput(f"ranker {model.name!r} does not learn from pictures as bags of regions")
