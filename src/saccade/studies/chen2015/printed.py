"""The numbers that Chen, Zhang & Li print, as shares of one."""

from __future__ import annotations

SYSTEMS = ("hybrid", "crr", "relative-attributes", "pointwise")
LABELS = {
    "hybrid": "Hybrid Ranking",
    "crr": "CRR",
    "relative-attributes": "Relative Attributes",
    "pointwise": "Pointwise SVM",
    "hybrid-online": "Online Learning",
    "batch": "Batch Learning",
    "online": "Online Learning",
    "hybrid-kernel": "Hybrid, Gaussian kernel",
    "saccade": "Saccade",
    "saccade-plain": "Saccade, plain vectors alone",
}

OSR = ("natural", "open", "perspective", "size-large", "diagonal-plane", "depth-close", "average")
TABLE_1 = {
    "hybrid": (0.9156, 0.8850, 0.8340, 0.7293, 0.8035, 0.8706, 0.8397),
    "crr": (0.8875, 0.8725, 0.8223, 0.7062, 0.7842, 0.8524, 0.8208),
    "relative-attributes": (0.8709, 0.8683, 0.8020, 0.6789, 0.7625, 0.8427, 0.8042),
    "pointwise": (0.8886, 0.8572, 0.8056, 0.6517, 0.7661, 0.8232, 0.7987),
}
DEVIATION_1 = {
    "hybrid": (0.0089, 0.0062, 0.0078, 0.0104, 0.0115, 0.0087, 0.0080),
    "crr": (0.0090, 0.0082, 0.0081, 0.0121, 0.0108, 0.0095, 0.0096),
    "relative-attributes": (0.0208, 0.0176, 0.0169, 0.0155, 0.0176, 0.0166, 0.0175),
    "pointwise": (0.0224, 0.0126, 0.0173, 0.0353, 0.0273, 0.0151, 0.0178),
}

SHOES = (
    "pointed", "open", "bright", "ornaments", "shiny", "high-heel", "long-leg", "formal", "sporty",
    "feminine", "average",
)  # fmt: skip
TABLE_2 = {
    "hybrid": (
        0.8225, 0.7602, 0.6440, 0.7119, 0.7960, 0.8071, 0.7519, 0.7578, 0.8024, 0.8337, 0.7688,
    ),
    "crr": (
        0.8142, 0.7424, 0.6243, 0.7002, 0.7828, 0.7893, 0.7332, 0.7445, 0.7825, 0.8242, 0.7538,
    ),
    "relative-attributes": (
        0.8061, 0.7172, 0.5938, 0.6888, 0.7694, 0.7743, 0.7244, 0.7237, 0.7739, 0.8138, 0.7385,
    ),
    "pointwise": (
        0.7913, 0.6910, 0.5863, 0.5910, 0.7412, 0.7659, 0.6908, 0.7076, 0.6898, 0.8186, 0.7074,
    ),
}  # fmt: skip

REACHED = (0.70, 0.725, 0.75, 0.775, 0.80, 0.825, 0.85)
TABLE_3 = {
    "online": (0.003, 0.004, 0.006, 0.009, 0.042, 0.105, 0.156),
    "batch": (0.006, 0.098, 0.104, 0.231, 0.451, 1.558, 6.308),
}

ZERO_SHOT_GAIN = 0.03  # "around 3%" above relative attributes, figure 5
FIGURE_6 = (0.0463, 0.0969)  # least and largest gain of online over batch after 0.1 s
