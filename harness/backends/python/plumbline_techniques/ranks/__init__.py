"""A step that several processes compute together, each on its own device.

plumbline-worker's Python is rank 0 (first.py). It starts the others (team.py, program.py). Each has its part (rank.py).
They communicate by torch.distributed (group.py). lateness.py says which one the others wait for.
"""
