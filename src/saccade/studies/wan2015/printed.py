"""What Wan et al. 2015 print, and the names they use."""

from __future__ import annotations

LABELS: dict[str, str] = {
    "best-scheme": "Best-Fea",
    "uniform": "Uni-Con",
    "ranknet": "RankNet",
    "coordinate-ascent": "C-Ascent",
    "ranksvm": "RankSVM",
    "lambdamart": "λ-MART",
    "opr": "OPR",
    "opar1": "OPAR-I",
    "opar2": "OPAR-II",
    "ogdr": "OGDR",
    "arow": "AROW",
    "scw": "SCW",
}
HEURISTICS = ("best-scheme", "uniform")
BATCH = ("ranknet", "coordinate-ascent", "ranksvm", "lambdamart")
ONLINE = ("opr", "opar1", "opar2", "ogdr")
SECOND = ("arow", "scw")  # announced in section 3.1, not measured there

SETS = ("Holiday", "Caltech101", "ImageCLEF", "Corel")
TABLE_2: dict[str, tuple[float, float, float, float]] = {
    "best-scheme": (0.4892, 0.2664, 0.5777, 0.1846),
    "uniform": (0.5175, 0.2594, 0.6174, 0.2990),
    "ranknet": (0.6292, 0.2753, 0.6326, 0.3133),
    "coordinate-ascent": (0.6373, 0.3193, 0.6803, 0.3406),
    "ranksvm": (0.6429, 0.3270, 0.6585, 0.3366),
    "lambdamart": (0.6230, 0.3650, 0.6796, 0.3683),
    "opr": (0.6219, 0.3285, 0.6555, 0.3292),
    "opar1": (0.6329, 0.3070, 0.6556, 0.3340),
    "opar2": (0.6283, 0.3157, 0.6632, 0.3389),
    "ogdr": (0.6368, 0.3024, 0.6626, 0.3228),
}
TABLE_3: dict[str, float] = {
    "ranksvm": 4737.0, "opr": 1154.0, "opar1": 1370.0, "opar2": 1708.0, "ogdr": 2307.0,
}  # fmt: skip
UNIFORM_NDCG_50 = 0.80  # section 5.5: Uni-Con over 2,000 queries
