"""What Hu, Li & Yu 2008 print, and the names they use."""

from __future__ import annotations

LABELS: dict[str, str] = {
    "given": "given order",
    "ranksvm": "whole picture",
    "mi-average": "Average",
    "mi-max": "Max",
    "mi-softmax": "Softmax",
    "mi-softmax + eta": "Softmax, η chosen",
    "mi-softmax + embedding": "Softmax, embedding",
    "mi-average + embedding": "Average, embedding",
    "mi-online": "Softmax, online",
}
QUERIES = (
    "alligator", "giraffe", "goat", "leopard", "dolphin", "elephant", "horse", "penguin",
    "dalmatian", "kangaroo", "mean",
)  # fmt: skip
# Average precision; the first row is Flickr's own order, by "interestingness".
TABLE_1: dict[str, tuple[float, ...]] = {
    "given": (.445, .613, .284, .584, .477, .422, .442, .388, .594, .580, .483),
    "mi-average": (.503, .810, .521, .721, .730, .570, .571, .630, .767, .728, .655),
    "mi-max": (.522, .781, .482, .698, .741, .565, .582, .619, .745, .688, .642),
    "mi-softmax": (.575, .857, .577, .798, .772, .622, .596, .646, .789, .762, .699),
}  # fmt: skip
