"""precision: the type that matrices are multiplied in. Weights and their updates stay in float32."""

import contextlib

import torch

from .observed import name_of

AUTOCAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}
PROBE = 512  # rows and columns of the matrices that rounding() multiplies
FLOAT32_ROUNDING = 1e-5  # errors above it are not those of float32


@contextlib.contextmanager
def matmul_precision(precision):
    """Within it, products of float32 may be rounded to TF32 if, and only if, that is the precision asked for."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = precision == "tf32"
    try:
        yield
    finally:
        matmul.allow_tf32, cudnn.allow_tf32 = before


def autocast(precision, device):
    """The context of forward pass and loss."""
    if precision not in AUTOCAST:
        return contextlib.nullcontext()
    return torch.autocast(device.type, AUTOCAST[precision])


def check(precision, device):
    """Raises NotImplementedError if the device has no such precision."""
    if precision == "tf32":
        if device.type != "cuda":
            raise NotImplementedError(f"precision: tf32 is a mode of NVIDIA GPUs; the device is {device.type}")
        if torch.cuda.get_device_capability(device) < (8, 0):
            raise NotImplementedError("precision: tf32 needs compute capability 8.0 or later")
    if precision == "bfloat16" and device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise NotImplementedError("precision: bfloat16 needs compute capability 8.0 or later")


def rounding(device):
    """Relative error of a product of float32 matrices on the device, as the flags are now."""
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(PROBE, PROBE, generator=generator).to(device) for _ in range(2))
    exact = a.double() @ b.double()
    return float(torch.linalg.norm((a @ b).double() - exact) / torch.linalg.norm(exact))


def evidence(precision, device, observed, layers_have_types, own):
    """{"products": {dtype: times}, "rounding": relative error of a float32 product}.

    `own`: the type of the weights, which is that of the products without autocast. Raises NotImplementedError if no
    product ran in the precision, unless the layers have types of their own, because they are quantised.
    """
    found = {"products": observed.dtypes()}
    wanted = name_of(AUTOCAST.get(precision, own))
    if observed.products and not observed.products_in(wanted) and not layers_have_types:
        raise NotImplementedError(f"precision: {precision}: no product ran in {wanted}; seen: "
                                  f"{', '.join(sorted(found['products']))}")
    if precision not in AUTOCAST:
        found["rounding"] = rounding(device)
        if (found["rounding"] > FLOAT32_ROUNDING) != (precision == "tf32"):
            raise NotImplementedError(f"precision: {precision}: a product had the relative error "
                                      f"{found['rounding']:.1e}, which is not of this precision")
    return found


class LossScale:
    """Scales the loss of float16, skips steps whose gradients overflowed, and counts them without waiting for the device.

    Micikevicius et al., "Mixed Precision Training", 2017; torch.amp.GradScaler.
    """

    def __init__(self, optimizer, device, scale):
        self.scaler = torch.amp.GradScaler(device.type, init_scale=scale)
        self.optimizer = optimizer
        self.asked = self.made = 0
        self.skipped_on_device = torch.zeros((), device=device)
        optimizer.register_step_post_hook(self.count)

    def count(self, optimizer, args, kwargs):
        self.made += 1
        found = getattr(optimizer, "found_inf", None)  # fused optimizers are called, and skip by themselves
        if found is not None:
            self.skipped_on_device += found

    def forget_failed_step(self):
        """A step that ended with an error midway has left its gradients unscaled, which the scaler refuses to do again."""
        self.scaler._per_optimizer_states.clear()

    def step(self):
        self.asked += 1
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def record(self):
        """{"scale": now, "skipped_steps": since the last reset}"""
        skipped = self.asked - self.made + int(self.skipped_on_device.item())
        return {"scale": self.scaler.get_scale(), "skipped_steps": skipped}

    def saved(self):
        return {**self.scaler.state_dict(), "counts": (self.asked, self.made, self.skipped_on_device.clone())}

    def restore(self, saved):
        saved = dict(saved)
        self.asked, self.made, skipped = saved.pop("counts")
        self.skipped_on_device.copy_(skipped)
        # In place, because a CUDA graph reads the tensors.
        self.scaler.load_state_dict(saved)
