"""Draws docs/images/words.jpg: two views of a poster, and the places that geometry confirms.

python docs/images/words.py
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from saccade.images.picture import ArrayPicture
from saccade.kernels import geometry as kernel
from saccade.testbed.worlds import views
from saccade.words import akm
from saccade.words.geometry import TOLERANCE, Placed, match
from saccade.words.local_features import extract

GREEN, RED = (60, 220, 90), (235, 70, 70)


def main() -> None:
    """Match by words, check the arrangement, draw both."""
    shots = [one.pixels for one in views(6, 3, seed=4, size=(480, 360))]
    features = [extract(ArrayPicture(shot)) for shot in shots]
    vocabulary = akm.train(np.concatenate([f.descriptors for f in features]), 1500, seed=0)
    placed = [Placed(f, vocabulary.assign(f.descriptors)) for f in features]
    one, other = 4, 3  # a tilted view of the second poster, and its frontal view
    left, right = match(placed[one], placed[other])
    inside = np.zeros(len(left), np.bool_)
    frames, others = features[one].frames, features[other].frames
    kernel.agree(frames, others, left, right, TOLERANCE * 480, True, inside)
    sheet = np.concatenate([shots[one], np.full((360, 12, 3), 255, np.uint8), shots[other]], axis=1)
    for i, j, good in sorted(
        zip(left.tolist(), right.tolist(), inside.tolist(), strict=True), key=lambda m: m[2]
    ):
        a = tuple(int(v) for v in frames[i, :2])
        b = (int(others[j, 0]) + 492, int(others[j, 1]))
        cv2.line(sheet, a, b, GREEN if good else RED, 1, cv2.LINE_AA)
        for point in (a, b):
            cv2.circle(sheet, point, 3, GREEN if good else RED, -1, cv2.LINE_AA)
    file = Path(__file__).with_name("words.jpg")
    cv2.imwrite(str(file), sheet[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
    print(f"{file}: {len(left)} matches, {int(inside.sum())} confirmed")


if __name__ == "__main__":
    main()
