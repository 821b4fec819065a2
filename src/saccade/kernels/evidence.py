"""What sessions say of two pictures, summed; and links bent by it.

    sessions      offsets[s] : offsets[s + 1] are the members of session s
    roles         ASKED; LIKED, BETTER above 0; WORSE, DISLIKED below

Sums are of integers, so that they do not depend on any order. No fast-math: the same input gives
the same bits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

ASKED, LIKED, BETTER, WORSE, DISLIKED = 3, 2, 1, -1, -2
WHOLE = 1000
"""What the query and a like say of each other; every sum is in these units."""


@njit(cache=True, nogil=True)
def closeness(reach, offsets, rows, roles, chance):  # type: ignore[no-untyped-def]
    """How far the reach of a query comes to each session: the mean over what it asked and liked.

    What reaches any row (`chance`) counts for nothing.
    """
    out = np.zeros(offsets.shape[0] - 1)
    for s in range(out.shape[0]):
        total, count = 0.0, 0
        for m in range(offsets[s], offsets[s + 1]):
            if rows[m] >= 0 and roles[m] > 0:
                count += 1
                total += max(reach[rows[m]] - chance, 0.0)
        if count:
            out[s] = total / count
    return out


@njit(cache=True, nogil=True)
def _word(first, second, among):  # type: ignore[no-untyped-def]
    """What one session says of two of its members; 0 where it says nothing."""
    if first == ASKED or second == ASKED:
        if first == second:
            return np.int64(WHOLE)
        other = second if first == ASKED else first
        return np.int64(other * (WHOLE // LIKED))
    if first < 0 and second < 0:
        return np.int64(0)
    return np.int64(first * second * (among // (LIKED * LIKED)))


@njit(cache=True, nogil=True)
def _slot(table, keys, key):  # type: ignore[no-untyped-def]
    """Where an open table has the number of a key, or the empty place (-1) for it."""
    mask = table.shape[0] - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = np.int64(mixed >> np.uint64(40)) & mask  # the upper bits: these hear every bit of a key
    while table[at] >= 0 and keys[table[at]] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _words(likes, among, most):  # type: ignore[no-untyped-def]
    """What a session with so many likes says of two members, by their roles and `DISLIKED` less."""
    each = among if likes <= most else among * most // likes
    out = np.empty((ASKED - DISLIKED + 1, ASKED - DISLIKED + 1), np.int64)
    for first in range(DISLIKED, ASKED + 1):
        for second in range(DISLIKED, ASKED + 1):
            out[first - DISLIKED, second - DISLIKED] = _word(first, second, each)
    return out


@njit(cache=True, nogil=True)
def summed(  # type: ignore[no-untyped-def]
    offsets, rows, roles, people, passed, chosen, own, among, most, agreed, apart
):
    """What some sessions say of every two pictures that one of them holds together.

    `chosen` are sessions with those of a person side by side. Those of `own` count in full: `plus`
    and `minus`, and how many of them spoke. Of everybody else each person counts at most once
    (`WHOLE`), the loudest is left out, and all of them together count `agreed` at most. Likes of
    one session speak of each other by `among`, more than `most` of them by less each.

    `told` is `plus` with every session counted by how far it told pictures apart, as `_shares` has
    it from `passed` and `apart`. `answers` [pairs, 2] is what of `plus` and `minus` is the answer
    to a query that holds one of the two.

    Gives first, second (rows, the lower first), plus, told, minus, answers, spoken, others, people;
    in the order in which the pairs came.
    """
    pairs = 0
    for c in range(chosen.shape[0]):
        size = offsets[chosen[c] + 1] - offsets[chosen[c]]
        pairs += size * (size - 1) // 2
    room = 16
    while room < 2 * pairs:
        room *= 2
    table = np.full(room, -1, np.int32)
    keys = np.empty(pairs, np.int64)
    first = np.empty(pairs, np.int32)
    second = np.empty(pairs, np.int32)
    plus = np.zeros(pairs, np.int64)
    told = np.zeros(pairs, np.int64)
    minus = np.zeros(pairs, np.int64)
    answers = np.zeros((pairs, 2), np.int64)
    spoken = np.zeros(pairs, np.int32)
    said = np.zeros(pairs, np.int64)  # by the person whose turn it is
    voice = np.full(pairs, -1, np.int32)  # who that is
    total = np.zeros(pairs, np.int64)  # of the people before
    loudest = np.zeros(pairs, np.int64)
    heard = np.zeros(pairs, np.int32)
    shares = _shares(offsets, roles, people, passed, chosen, own, apart)
    in_full = _words(0, among, most)
    count = 0
    for c in range(chosen.shape[0]):
        s = chosen[c]
        begin, end = offsets[s], offsets[s + 1]
        likes = 0
        for m in range(begin, end):
            likes += rows[m] >= 0 and roles[m] == LIKED
        words = in_full if likes <= most else _words(likes, among, most)
        for m in range(begin, end):
            if rows[m] < 0:
                continue
            for o in range(m + 1, end):
                if rows[o] < 0 or rows[o] == rows[m]:
                    continue
                word = words[roles[m] - DISLIKED, roles[o] - DISLIKED]
                if word == 0:
                    continue
                low, high = min(rows[m], rows[o]), max(rows[m], rows[o])
                key = np.int64(low) << 32 | np.int64(high)
                at = _slot(table, keys, key)
                if table[at] < 0:
                    table[at], keys[count] = count, key
                    first[count], second[count] = low, high
                    count += 1
                e = table[at]
                if people[s] == own:
                    spoken[e] += 1
                    if word > 0:
                        plus[e] += word
                        told[e] += word * shares[c] // WHOLE
                    else:
                        minus[e] -= word
                    if roles[m] == ASKED or roles[o] == ASKED:
                        answers[e, np.int64(word < 0)] += abs(word)
                else:
                    if voice[e] != people[s]:
                        _close(e, said, voice, total, loudest, heard)
                        voice[e] = people[s]
                    said[e] += word
    others = np.zeros(count, np.int64)
    for e in range(count):
        _close(e, said, voice, total, loudest, heard)
        rest = abs(total[e]) - loudest[e]
        if rest > 0:
            others[e] = min(rest, agreed) if total[e] > 0 else -min(rest, agreed)
    return (
        first[:count].copy(), second[:count].copy(), plus[:count].copy(), told[:count].copy(),
        minus[:count].copy(), answers[:count].copy(), spoken[:count].copy(), others,
        heard[:count].copy(),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _shares(offsets, roles, people, passed, chosen, own, apart):  # type: ignore[no-untyped-def]
    """How far each session of `own` is believed where it speaks for a pair, in `WHOLE`.

    d pictures of it were set apart: called wrong, or passed over on the way to a liked one. With d̄
    of an average session of theirs it counts (d + d̄) / (2 d̄ + apart), and never more than once.
    Where nothing was liked there is nothing that others are set apart from.
    """
    sizes = np.zeros(chosen.shape[0], np.int64)
    total, count = np.int64(0), np.int64(0)
    for c in range(chosen.shape[0]):
        s = chosen[c]
        if people[s] != own:
            continue
        likes = 0
        for m in range(offsets[s], offsets[s + 1]):
            sizes[c] += roles[m] < 0
            likes += roles[m] > 0 and roles[m] != ASKED
        if likes == 0:
            sizes[c] = 0
            continue
        sizes[c] += passed[s]
        total += sizes[c]
        count += 1
    shares = np.zeros(chosen.shape[0], np.int64)
    for c in range(chosen.shape[0]):
        most = 2 * WHOLE * total + apart * count
        if most > 0:
            share = WHOLE * WHOLE * (sizes[c] * count + total) // most
            shares[c] = min(share, np.int64(WHOLE))
    return shares


@njit(cache=True, nogil=True)
def _close(e, said, voice, total, loudest, heard):  # type: ignore[no-untyped-def]
    """Count what one person said of a pair, at most once."""
    if voice[e] < 0:
        return
    word = min(max(said[e], -np.int64(WHOLE)), np.int64(WHOLE))
    total[e] += word
    loudest[e] = max(loudest[e], abs(word))
    heard[e] += word != 0
    said[e] = 0
    voice[e] = -1


@njit(cache=True, nogil=True)
def company_along(  # type: ignore[no-untyped-def]
    which, companies, begins, members, values, rows, offsets, neighbours, weights, over, bent, sure,
    asked, rounds,
):  # fmt: skip
    """How far the places `asked` keep two companies: before, and now.

    `companies` [few, 2] has what a row is in the two, and `which` of them it is: small enough that
    looking up a row finds it near. Before is by links as they were, now along bent ones. A place
    whose links are bent keeps the second company as far as it did, and further by as much as those
    do that it is linked with now more than those that it was linked with before; their own links
    may be bent, hence the rounds. `sure` are places that keep it in full, whatever their links. Who
    is not asked about keeps none.
    """
    bent_offsets, bent_neighbours, bent_weights = bent
    first = np.empty(asked.shape[0], np.float32)
    now = np.zeros(rows.shape[0])  # by place
    touched = np.empty(asked.shape[0], np.int64)
    count = 0
    for i in range(asked.shape[0]):
        place = asked[i]
        one, other = 0.0, 0.0
        for e in range(begins[rows[place]], begins[rows[place] + 1]):
            row = which[members[e]]
            one += np.float64(companies[row, 0]) * np.float64(values[e])
            other += np.float64(companies[row, 1]) * np.float64(values[e])
        first[i], now[place] = one, other
        if over[place] >= 0:
            touched[count] = place
            count += 1
    held = np.zeros(rows.shape[0], np.bool_)
    for place in sure:
        now[place], held[place] = 1.0, True
    # What a place keeps by itself, less what those kept that it was linked with.
    beside = np.empty(count)
    for t in range(count):
        place = touched[t]
        beside[t] = now[place] - _linked(offsets, neighbours, weights, place, now)
    after = np.empty(count)
    for _ in range(rounds):
        for t in range(count):
            at = over[touched[t]]
            linked = _linked(bent_offsets, bent_neighbours, bent_weights, at, now)
            after[t] = max(0.0, beside[t] + linked)
        for t in range(count):
            if not held[touched[t]]:
                now[touched[t]] = after[t]
    second = np.empty(asked.shape[0], np.float32)
    for i in range(asked.shape[0]):
        second[i] = now[asked[i]]
    return first, second


@njit(cache=True, nogil=True)
def _linked(offsets, neighbours, weights, at, kept):  # type: ignore[no-untyped-def]
    """How far those keep a company that one is linked with, by the strength of the links."""
    total, weight = 0.0, 0.0
    for e in range(offsets[at], offsets[at + 1]):
        total += np.float64(weights[e]) * kept[neighbours[e]]
        weight += np.float64(weights[e])
    return total / weight if weight > 0.0 else 0.0


@njit(cache=True, nogil=True)
def bent(offsets, neighbours, weights, root, first, second, net, rule):  # type: ignore[no-untyped-def]
    """The rows of a graph that evidence touches, anew: `over`, offsets, neighbours, weights, root.

    `first`, `second` are places of pairs and `net` what is said of them. `rule` is cut, typical,
    rise, quiet:

        A = A₀ exp(−cut max(0, −E)) + typical (1 − exp(−rise max(0, E − quiet)))

    A touched row keeps its links in their order, new ones follow in the order of the pairs. `over`
    [n] says where a place's new row is, -1 for none.
    """
    n = root.shape[0]
    cut, typical, rise, quiet = rule
    over = np.full(n, -1, np.int32)
    touched = 0
    for p in range(first.shape[0]):
        for place in (first[p], second[p]):
            if over[place] < 0:
                over[place] = touched
                touched += 1
    who = np.empty(touched, np.int64)
    starts = np.zeros(touched + 1, np.int64)
    for p in range(first.shape[0]):
        who[over[first[p]]], who[over[second[p]]] = first[p], second[p]
        starts[over[first[p]] + 1] += 1
        starts[over[second[p]] + 1] += 1
    for t in range(touched):
        starts[t + 1] += starts[t]
    mates = np.empty(starts[touched], np.int32)
    words = np.empty(starts[touched], np.float64)  # what a link is cut to (< 0), or is given more
    filled = starts[:-1].copy()
    for p in range(first.shape[0]):
        a, b, word = over[first[p]], over[second[p]], 0.0
        if net[p] < 0.0:
            word = -max(np.exp(cut * net[p]), 1e-300)  # however little, it is cut
        elif net[p] > quiet:
            word = typical * (1.0 - np.exp(-rise * (net[p] - quiet)))
        mates[filled[a]], words[filled[a]] = second[p], word
        mates[filled[b]], words[filled[b]] = first[p], word
        filled[a] += 1
        filled[b] += 1
    room = starts[touched]
    for t in range(touched):
        room += offsets[who[t] + 1] - offsets[who[t]]
    out_offsets = np.zeros(touched + 1, np.int64)
    out = np.empty(room, np.int32)
    strengths = np.empty(room, np.float32)
    roots = root.copy()
    said = np.zeros(n, np.float64)  # of the row whose turn it is
    size = 0
    for t in range(touched):
        place = who[t]
        begin, end = starts[t], starts[t + 1]
        for m in range(begin, end):
            said[mates[m]] = words[m]
        total = 0.0
        for e in range(offsets[place], offsets[place + 1]):
            to = neighbours[e]
            word = said[to]
            value = np.float64(weights[e])
            value = value * -word if word < 0.0 else value + word
            said[to] = 0.0
            out[size], strengths[size] = to, value
            total += np.float64(strengths[size])
            size += 1
        for m in range(begin, end):
            to = mates[m]
            word = said[to]
            said[to] = 0.0
            if word > 0.0:
                out[size], strengths[size] = to, word
                total += np.float64(strengths[size])
                size += 1
        out_offsets[t + 1] = size
        roots[place] = np.sqrt(total) if total > 0.0 else 1.0
    return over, out_offsets, out[:size].copy(), strengths[:size].copy(), roots
