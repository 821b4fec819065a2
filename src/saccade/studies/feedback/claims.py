"""What we promise of feedback, and how the results judge it, set by set."""

from __future__ import annotations

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.feedback.systems import NONE, PEERS, PRODUCT
from saccade.studies.results import Results, each_set


def truthful_pays(results: Results) -> Verdict:
    """Five rounds of truthful answers end above the start, and above every peer."""

    def judge(data: str) -> tuple[bool, str]:
        told = {
            s: results.mean("sessions", s, "mAP after", data=data, part="right")
            for s in (PRODUCT, NONE, *PEERS)
        }
        best = max(PEERS, key=lambda peer: told[peer])
        figure = f"{told[NONE]:.3f} → {told[PRODUCT]:.3f}; best peer {best} {told[best]:.3f}"
        return told[PRODUCT] > max(told[NONE], told[best]), figure

    return Verdict(*each_set(results, "sessions", judge))


def hardly_worse(results: Results) -> Verdict:
    """Truthful answers leave at most one query in a hundred below its start in any round."""

    def judge(data: str) -> tuple[bool, str]:
        share = results.mean("sessions", PRODUCT, "worse by .005", data=data, part="right")
        much = results.mean("sessions", PRODUCT, "worse by .02", data=data, part="right")
        return share <= 0.01 and much == 0.0, f"{share:.1%} by .005, {much:.1%} by .02"

    return Verdict(*each_set(results, "sessions", judge))


def wrong_answers_help(results: Results) -> Verdict:
    """With 10% and with 30% of the answers wrong, what is not judged still gains."""

    def judge(data: str) -> tuple[bool, str]:
        gains = {
            part: results.mean("sessions", PRODUCT, "gain of the rest", data=data, part=part)
            for part in ("10% wrong", "30% wrong")
        }
        return min(gains.values()) > 0, ", ".join(f"{p}: {g:+.3f}" for p, g in gains.items())

    return Verdict(*each_set(results, "sessions", judge))


def random_answers_cost_little(results: Results) -> Verdict:
    """Random answers cost the rest at most .01 of average precision."""

    def judge(data: str) -> tuple[bool, str]:
        gain = results.mean("sessions", PRODUCT, "gain of the rest", data=data, part="at random")
        return gain >= -0.01, f"{gain:+.4f}"

    return Verdict(*each_set(results, "sessions", judge))


def one_mark_is_heard(results: Results) -> Verdict:
    """One right and one wrong bring new pictures, and the first 20 rarely fall."""

    def judge(data: str) -> tuple[bool, str]:
        new = results.mean(
            "one-mark", PRODUCT, "new in the first 20", data=data, part="one of each"
        )
        fell = results.mean("one-mark", PRODUCT, "fell", data=data, part="one of each")
        return new >= 1 and fell <= 0.05, f"{new:.1f} new, {fell:.1%} fell by two or more"

    return Verdict(*each_set(results, "one-mark", judge))


def a_wrong_ruins_nothing(results: Results) -> Verdict:
    """A lone wrong makes at most one first page in twenty worse."""

    def judge(data: str) -> tuple[bool, str]:
        fell = results.mean("one-mark", PRODUCT, "fell", data=data, part="one wrong")
        return fell <= 0.05, f"{fell:.1%} fell by two or more"

    return Verdict(*each_set(results, "one-mark", judge))


def learning_lasts(results: Results) -> Verdict:
    """Along one person's sequence the learned ranking of other queries does not fall."""

    def judge(data: str) -> tuple[bool, str]:
        found = {
            s: results.curve("lasting", s, "mAP of other queries", data=data)[1]
            for s in ("learned", "shared")
        }
        learned, shared = found["learned"], found["shared"]
        dip = min(value - learned[0] for value in learned)
        figure = f"{learned[0]:.4f} → {learned[-1]:.4f}, lowest {dip:+.4f}; shared {shared[-1]:.4f}"
        return dip >= -0.005 and learned[-1] >= shared[-1] - 0.002, figure

    return Verdict(*each_set(results, "lasting", judge))


def strangers_keep_their_pages(results: Results) -> Verdict:
    """One person's marks leave a stranger at least 19 of the first 20."""

    def judge(data: str) -> tuple[bool, str]:
        lowest = min(results.by_query("strangers", PRODUCT, "kept of 20", data=data).values())
        return lowest >= 19, f"lowest {lowest:.0f}"

    return Verdict(*each_set(results, "strangers", judge))


CLAIMS = (
    Claim("Truthful answers pay, more than any peer makes of them.", "sessions", truthful_pays),
    Claim("Nobody who answers truthfully is left worse off.", "sessions", hardly_worse),
    Claim("Wrong answers among right ones do no harm.", "sessions", wrong_answers_help),
    Claim("Random answers cost next to nothing.", "sessions", random_answers_cost_little),
    Claim("A first mark is heard.", "one-mark", one_mark_is_heard),
    Claim("A lone ✕ ruins nothing.", "one-mark", a_wrong_ruins_nothing),
    Claim("What lasts of it never hurts other queries.", "lasting", learning_lasts),
    Claim("One person does not move a stranger's pages.", "strangers", strangers_keep_their_pages),
)
