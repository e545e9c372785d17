"""Counts what rules say of a corpus: false alarms, power, delay."""

import collections
import csv
import dataclasses
import io
import math

HEADLINES = ("gpu_time_cold", "wall_time")  # the first that a corpus has is judged, unless metrics are named
SURE = 1.96  # standard errors of a 95 % interval


@dataclasses.dataclass
class Score:
    rule: str
    about: str
    case_nights: int = 0
    false_alarms: int = 0
    planted: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by factor
    at_once: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # found the first night
    delays: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))  # nights, of those found


def histories(nights):
    """Nights by device class."""
    by_class = collections.defaultdict(list)
    for night in nights:
        by_class[night.device_class].append(night)
    return list(by_class.values())


def judged_metrics(nights, asked):
    known = {metric for night in nights for _, metric in night.visits}
    if asked:
        if missing := set(asked) - known:
            raise ValueError(f"metric {', '.join(sorted(missing))} is not in the corpus; it has {', '.join(sorted(known))}")
        return set(asked)
    chosen = next((metric for metric in HEADLINES if metric in known), None)
    if chosen is None:
        raise ValueError(f"the corpus has none of {', '.join(HEADLINES)}; name metrics of it: {', '.join(sorted(known))}")
    return {chosen}


def shared_series(nights, metrics):
    shared = set.intersection(*(set(night.visits) for night in nights))
    return sorted(one for one in shared if one[1] in metrics)


def alarms(rule, history, at, accepted, metrics):
    """The cases that the rule calls slower in the night history[at], and all that it judged."""
    series = shared_series(history[: at + 1], metrics)
    found = rule.judge(history[:accepted], history[:at], history[at], series) if series else ()
    return {case for case, _ in found}, {case for case, _ in series}


def score_planted(score, rule, history, planted, accepted, metrics):
    """One trial in the history of one device class: the nights until the first alarm."""
    begin = next((i for i, night in enumerate(history) if night.number >= planted.night), len(history))
    if begin < accepted or begin == len(history):
        return
    trial = history[:begin] + [night.slowed(planted.case, planted.factor) for night in history[begin:]]
    for at in range(begin, len(trial)):
        found, judged = alarms(rule, trial, at, accepted, metrics)
        if planted.case not in judged:
            return
        if at == begin:
            score.planted[planted.factor] += 1
        if planted.case in found:
            score.at_once[planted.factor] += at == begin
            score.delays[planted.factor].append(at - begin)
            return


def score_rule(rule, nights, planted, accepted, metrics):
    score = Score(rule.name, rule.about)
    for history in histories(nights):
        for at in range(accepted, len(history)):
            found, judged = alarms(rule, history, at, accepted, metrics)
            score.case_nights += len(judged)
            score.false_alarms += len(found)
        for one in planted:
            score_planted(score, rule, history, one, accepted, metrics)
    return score


def interval(count, of):
    """Wilson's 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    share, z = count / of, SURE * SURE / of
    half = SURE * math.sqrt(share * (1 - share) / of + z / (4 * of))
    return max(0.0, (share + z / 2 - half) / (1 + z)), min(1.0, (share + z / 2 + half) / (1 + z))


def mean_delay(score):
    delays = [nights for of_factor in score.delays.values() for nights in of_factor]
    return sum(delays) / len(delays) if delays else None


def factors(scores):
    return sorted({factor for score in scores for factor in score.planted})


def size_text(factor):
    return f"+{(factor - 1) * 100:.3g} %"


def markdown(scores):
    sizes = factors(scores)
    head = ["rule", "false alarms in 1,000 case-nights", *(f"found {size_text(size)}" for size in sizes), "delay"]
    lines = [" | ".join(["", *head, ""]).strip(), "|---|" + "---:|" * (len(head) - 1)]
    for score in scores:
        low, high = (1000 * share for share in interval(score.false_alarms, score.case_nights))
        rate = 1000 * score.false_alarms / score.case_nights if score.case_nights else 0
        cells = [score.rule, f"{rate:.1f} [{low:.1f}, {high:.1f}] ({score.false_alarms} of {score.case_nights})"]
        for size in sizes:
            cells.append(f"{score.at_once[size]}, {len(score.delays[size])} of {score.planted[size]}")
        delay = mean_delay(score)
        cells.append("" if delay is None else f"{delay:.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "found: in the first slower night, and in any night of the corpus, of those planted. delay: mean "
              "number of nights until a slowdown that was found. In brackets: 95 % interval.", ""]  # fmt: skip
    lines += [f"- **{score.rule}**: {score.about}" for score in scores]
    return "\n".join(lines) + "\n"


def as_csv(scores):
    """One row per number: rule, score, factor, count, of, value."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["rule", "score", "factor", "count", "of", "value"])

    def add(score, name, factor, count, of, scale=1.0):
        table.writerow([score.rule, name, factor, count, of, f"{scale * count / of:.6g}" if of else ""])

    for score in scores:
        add(score, "false_alarms_per_1000", "", score.false_alarms, score.case_nights, 1000)
        for factor in factors(scores):
            add(score, "found_first_night", factor, score.at_once[factor], score.planted[factor])
            add(score, "found", factor, len(score.delays[factor]), score.planted[factor])
            add(score, "delay_nights", factor, sum(score.delays[factor]), len(score.delays[factor]))
    return text.getvalue()
