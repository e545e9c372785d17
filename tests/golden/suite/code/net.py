import torch


def net(width=8):
    return torch.nn.Linear(8, width)


def loss(outputs, labels):
    return torch.nn.functional.cross_entropy(outputs, labels)
