"""Which rank keeps the others waiting.

Steps are those of Rank.watched_step(), by rank and step. Their times are on the host's clock, which all processes of a
machine have in common.
"""

import statistics

# A rank is late if it is this far behind the first one, at the median: seconds, and share of a step.
LATE_S, LATE_SHARE = 1e-3, 0.1


def medians_behind(times):
    """By rank, seconds behind the first one at the median step; `times` by rank and step."""
    firsts = [min(each) for each in zip(*times)]
    return [statistics.median(one - first for one, first in zip(own, firsts)) for own in times]


def arrivals(seen):
    """When each rank needed the others first, or had all its gradients."""
    return [[step["begin_s"] + step["own_s"] for step in steps] for steps in seen]


def step_s(seen):
    return statistics.median(step["all_s"] for step in seen[0])


def behind(seen):
    """{"step_s", "own_s", "behind_s", "waited_s"}: medians, the last three by rank"""
    found = {"step_s": step_s(seen), "own_s": [statistics.median(step["own_s"] for step in steps) for steps in seen],
             "behind_s": medians_behind(arrivals(seen))}  # fmt: skip
    if "waited_s" in seen[0][0]:
        found["waited_s"] = [statistics.median(step["waited_s"] for step in steps) for steps in seen]
    return found


def in_words(behind_s, of_s, what, count):
    """ "": no rank is late"""
    late = max(range(len(behind_s)), key=behind_s.__getitem__)
    if behind_s[late] <= max(LATE_S, LATE_SHARE * of_s):
        return ""
    return (f"rank {late} is {1e3 * behind_s[late]:.3g} ms behind the first one {what}, {behind_s[late] / of_s:.0%} of a step "
            f"(median of {count} steps)")  # fmt: skip


def late(seen):
    return in_words(medians_behind(arrivals(seen)), step_s(seen), "when it needs the others", len(seen[0]))


def begins_late(begins, seen):
    """Of timed steps: when each rank began, by rank and step."""
    return in_words(medians_behind(begins), step_s(seen), "when it begins", len(begins[0]))
