"""optimizer and update: which rule makes the new weights, and by which kernels."""

import torch

FUSED = ("_fused_sgd_", "_fused_adamw_", "_fused_adam_")


def optimizer_of(parameters, settings):
    """torch.optim's SGD with momentum, or AdamW (Loshchilov, Hutter, "Decoupled Weight Decay Regularization", 2017)."""
    options = {"lr": settings.rate, "weight_decay": settings.weight_decay, "foreach": settings.update == "foreach",
               "fused": settings.update == "fused"}  # fmt: skip
    parameters = list(parameters)
    if settings.optimizer == "sgd":
        optimizer = torch.optim.SGD(parameters, momentum=settings.momentum, **options)
        # torch's fused kernel leaves the momentum unwritten if an overflow skips the first step. Zero is how it begins.
        for parameter in parameters if settings.momentum else ():
            optimizer.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
        return optimizer
    return torch.optim.AdamW(parameters, capturable=settings.graph, **options)


def evidence(settings, operators):
    """{"fused", "foreach": times that such operators ran}, of the {operator: times} of the optimizer's phase.

    NotImplementedError if they are not those asked for.
    """
    found = {
        "fused": sum(operators[name] for name in FUSED),
        "foreach": sum(times for name, times in operators.items() if name.startswith("_foreach_")),
    }
    wanted = {"plain": not found["fused"] and not found["foreach"], "foreach": found["foreach"] and not found["fused"],
              "fused": found["fused"]}  # fmt: skip
    if not wanted[settings.update]:
        raise NotImplementedError(f"update: {settings.update}: the optimizer ran {found['fused']} fused and "
                                  f"{found['foreach']} foreach operators")
    return found


def state_tensors(optimizer):
    """{(index of the parameter, name): tensor of the optimizer's state}"""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    return {(i, name): value for i, parameter in enumerate(parameters)
            for name, value in optimizer.state.get(parameter, {}).items() if isinstance(value, torch.Tensor)}
