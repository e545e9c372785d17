"""Layers of a network by type, and their replacement."""


def layers_of(module, *kinds):
    """[(name, layer)] of the layers inside a module that are exactly of these types."""
    return [(name, layer) for name, layer in module.named_modules() if name and type(layer) in kinds]


def replace(module, name, layer):
    parent, _, own = name.rpartition(".")
    setattr(module.get_submodule(parent), own, layer)
