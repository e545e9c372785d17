"""What a technique does to the accuracy of a trained network.

    python -m plumbline_techniques.accuracy --technique precision=bfloat16 --technique share=clustered,clusters=4 --json

Each seed draws the first weights and the order of the images, for the technique and for float32 alike. So a technique
is judged by its differences from float32 over the seeds.
"""

import argparse
import dataclasses
import functools
import json
import math
import statistics
import sys

import torch
import torch.nn.functional as F

from .digits import NETWORKS, digits
from .settings import Settings
from .step import Step, built

STEPS = 300  # of a training run
BATCH = 64
RATE = 0.002  # of AdamW
TECHNIQUES = (
    {"precision": "tf32"}, {"precision": "bfloat16"}, {"precision": "float16"}, {"memory_format": "channels_last"},
    {"checkpoint": True}, {"accumulate": 4}, {"update": "fused"}, {"prune": "structured"},
    {"prune": "2:4", "precision": "bfloat16"}, {"quantize": "int8"}, {"quantize": "fp8"}, {"quantize": "int4_weights"},
    {"share": "tied"}, {"share": "clustered"},
)  # fmt: skip
OF_INFERENCE = ("precision", "memory_format", "compile", "graph", "sdpa")  # what both training and use have


def split(technique):
    """(settings of the first half of training, of the second half, of use) as dicts.

    Channels are removed and weights are clustered in a trained network, which is then trained on (Han et al., "Learning
    both Weights and Connections for Efficient Neural Networks", 2015). Quantised and 2:4 weights are not trained.
    """
    training = {name: value for name, value in technique.items() if name != "quantize" and (name, value) != ("prune", "2:4")}
    late = {("prune", "structured"), ("share", "clustered")}
    first = {name: value for name, value in training.items() if (name, value) not in late}
    # The second half changes the network that the first half made: tied blocks are tied already.
    second = {name: value for name, value in training.items() if (name, value) != ("share", "tied")}
    use = {name: value for name, value in technique.items()
           if name in OF_INFERENCE or name == "quantize" or (name, value) == ("prune", "2:4")}
    return first, second, use


def trained(module, technique, batches, data):
    """Trains in place. -> (losses of the steps, evidence of Step.report)"""
    settings = Settings.of({"optimizer": "adamw", "learning_rate": RATE, **technique, "step": "training"})
    step = Step(module, settings, loss=lambda outputs, labels: F.cross_entropy(outputs, labels))
    images, labels = data
    argument = [step.prepared(images=images[batch], labels=labels[batch]) for batch in batches]
    evidence = step.report(**argument[0])
    return [float(step(**args)) for args in argument], evidence


def share_right(module, technique, data):
    """Accuracy in percent on images that training did not see, and the evidence of inference."""
    step = Step(module, Settings.of({**technique, "step": "inference"}))
    images, labels = data
    args = step.prepared(images=images)
    evidence = step.report(**args)
    return 100 * float((step(**args).argmax(1) == labels).double().mean()), evidence


def one_run(network, technique, seed, device):
    """A network trained and used with a technique. -> {"accuracy" (percent), "losses", "evidence"}"""
    training, held_out = [[part.to(device) for part in data] for data in digits()]
    module = built(NETWORKS[network], {}, seed, device)
    generator = torch.Generator().manual_seed(seed)
    batches = [torch.randperm(len(training[0]), generator=generator)[:BATCH].to(device) for _ in range(STEPS)]
    first, second, use = split(technique)
    if first == second:
        losses, evidence = trained(module, first, batches, training)
    else:
        losses, evidence = trained(module, first, batches[: STEPS // 2], training)
        more, later = trained(module, second, batches[STEPS // 2 :], training)
        losses, evidence = losses + more, {**evidence, **later}
    accuracy, evidence_of_use = share_right(module, use, held_out)
    evidence = {"training": evidence, "inference": evidence_of_use}
    return {"accuracy": accuracy, "losses": losses, "evidence": evidence, "held_out": len(held_out[0])}


@functools.lru_cache(maxsize=None)
def plain_run(network, seed, device):
    """The run in float32 that techniques are compared with; one for all of them."""
    return one_run(network, {}, seed, device)


def smallest_visible(spread, seeds, power=0.8, level=0.05):
    """The mean loss that a one-sided paired t test over the seeds finds with this power, if the differences have the
    standard deviation `spread`. From the noncentral t distribution."""
    from scipy import optimize, stats

    freedom = seeds - 1
    critical = stats.t.ppf(1 - level, freedom)
    shift = optimize.brentq(lambda value: stats.nct.sf(critical, freedom, value) - power, 0.1, 100.0)
    return shift * spread / math.sqrt(seeds)


def summary(values):
    return {"values": values, "mean": statistics.mean(values), "spread": statistics.stdev(values)}


def accuracy(network, technique, seeds, device="cpu"):
    """Held-out accuracy with a technique and with float32, in percent.

    `network` is a name in digits.NETWORKS, `technique` a dict for Settings, `seeds` three or more numbers. -> "float32",
    "with" and "difference" (with - float32), each with the values of the seeds, their mean and their standard deviation
    ("spread"); "smallest_visible_loss": the loss that this many seeds find 8 times in 10, at least that of one image;
    "losses": of each step and seed; "evidence": that the technique was active. NotImplementedError if it was not.
    """
    if network not in NETWORKS:
        raise ValueError(f"network: found '{network}'; allowed: {', '.join(NETWORKS)}")
    seeds = list(seeds)
    if len(set(seeds)) < 3 or len(set(seeds)) != len(seeds):
        raise ValueError(f"seeds: found {seeds}; allowed: three or more different numbers, because their spread is the measure")
    first, second, use = split(technique)
    for part, step in ((first, "training"), (second, "training"), (use, "inference")):
        Settings.of({**part, "step": step})  # mistakes come before any training
    runs = [one_run(network, technique, seed, device) for seed in seeds]
    plain = [plain_run(network, seed, device) for seed in seeds]
    differences = [run["accuracy"] - other["accuracy"] for run, other in zip(runs, plain)]
    image = 100 / runs[0]["held_out"]
    return {
        "network": network, "technique": technique, "seeds": seeds, "steps": STEPS, "batch": BATCH, "device": device,
        "held_out_images": runs[0]["held_out"],
        "float32": summary([run["accuracy"] for run in plain]),
        "with": summary([run["accuracy"] for run in runs]),
        "difference": summary(differences),
        "smallest_visible_loss": max(smallest_visible(statistics.stdev(differences), len(seeds)), image),
        "losses": {"float32": [run["losses"] for run in plain], "with": [run["losses"] for run in runs]},
        "evidence": runs[0]["evidence"],
    }  # fmt: skip


def read_technique(text):
    """`precision=bfloat16,accumulate=4` -> a dict with the types of Settings' defaults."""
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    found = {}
    for item in text.split(","):
        name, _, value = item.partition("=")
        if name not in defaults or not value:
            raise ValueError(f"--technique: found '{item}'; allowed: NAME=VALUE, with a name of {', '.join(defaults)}")
        if isinstance(defaults[name], bool):
            found[name] = {"true": True, "false": False}.get(value, value)
        elif isinstance(defaults[name], str):
            found[name] = value
        else:
            found[name] = int(value) if isinstance(defaults[name], int) else float(value)
    return found


def shown(result):
    words = ",".join(f"{name}={value}" for name, value in result["technique"].items())
    if "unsupported" in result:
        return f"{result['network']:14} {words:36} UNSUPPORTED {result['unsupported']}"
    plain, used, difference = result["float32"], result["with"], result["difference"]
    return (f"{result['network']:14} {words:36} {used['mean']:6.2f} % ± {used['spread']:.2f}   float32 {plain['mean']:6.2f} % ± "
            f"{plain['spread']:.2f}   difference {difference['mean']:+.2f}   could see {result['smallest_visible_loss']:.2f}")


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m plumbline_techniques.accuracy", description=__doc__.split("\n")[0])
    parser.add_argument("--network", action="append", choices=sorted(NETWORKS), help="all if none is named")
    parser.add_argument("--technique", action="append", metavar="NAME=VALUE,…",
                        help="a common list if none is named; on CPUs without float16, which they compute slowly")
    parser.add_argument("--seeds", type=int, default=5, help="number of training runs (default: 5)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 (default: cpu)")
    parser.add_argument("--json", action="store_true", help="print a JSON array instead of lines")
    asked = parser.parse_args(words)
    torch.set_num_threads(1)  # more threads wait for each other longer than networks of this size compute
    results = []
    try:
        techniques = [read_technique(text) for text in asked.technique or ()]
        if not techniques:
            slow = {"precision": "float16"} if asked.device == "cpu" else None
            techniques = [technique for technique in TECHNIQUES if technique != slow]
        for network in asked.network or NETWORKS:
            for technique in techniques:
                try:
                    result = accuracy(network, technique, range(asked.seeds), asked.device)
                except NotImplementedError as reason:
                    result = {"network": network, "technique": technique, "unsupported": str(reason)}
                results.append(result)
                if not asked.json:
                    print(shown(result), flush=True)
    except ValueError as mistake:
        parser.error(str(mistake))
    if asked.json:
        print(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
