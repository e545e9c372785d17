#!/usr/bin/python3
"""Times torch.distributed's all_reduce on two GPUs, as a user would do it: a process for each rank, events around
launches one after the other.

collectives_by_hand.py ELEMENTS… -> JSON on stdout: {elements: median seconds of a launch of the slower rank}
"""

import json
import os
import socket
import statistics
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS, WARM_UP, LAUNCHES = 2, 20, 100


def timed(rank, elements):
    x = torch.randn(elements, device=f"cuda:{rank}")
    for _ in range(WARM_UP):
        dist.all_reduce(x, op=dist.ReduceOp.AVG)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(LAUNCHES + 1)]
    events[0].record()
    for event in events[1:]:
        dist.all_reduce(x, op=dist.ReduceOp.AVG)
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) / 1e3 for a, b in zip(events, events[1:]))


def run_rank(rank, port, sizes, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS, device_id=torch.device("cuda", rank))
    for elements in sizes:
        results.put((elements, timed(rank, elements)))
    dist.destroy_process_group()


def main():
    sizes = [int(word) for word in sys.argv[1:]]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    results = mp.get_context("spawn").SimpleQueue()
    processes = mp.spawn(run_rank, (port, sizes, results), nprocs=RANKS, join=False)
    longest = {}
    for _ in range(RANKS * len(sizes)):
        elements, seconds = results.get()
        longest[elements] = max(longest.get(elements, 0), seconds)
    processes.join()
    print(json.dumps(longest))


if __name__ == "__main__":
    main()
