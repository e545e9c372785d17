#!/usr/bin/python3
"""Another process on a GPU: takes its memory, or keeps it busy. Needs only NVIDIA's driver.

other_process.py [DEVICE]

Reads orders from standard input and answers each with one line: `take` takes all free memory but LEFT_MIB, `free` gives
it back, `work` keeps all multiprocessors busy until the next order. It ends at the end of the input. DEVICE: number of
the GPU, default 0. Exit code 1 with the driver's error if a call fails.
"""

import ctypes
import select
import sys

LEFT_MIB = 64
MIB = 1 << 20
BLOCKS, THREADS = 4096, 256
CYCLES = 2_000_000  # of each block: about a millisecond
SPIN = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 cycles) {
  .reg .u64 %start, %now, %limit;
  .reg .pred %again;
  ld.param.u64 %limit, [cycles];
  mov.u64 %start, %clock64;
LOOP:
  mov.u64 %now, %clock64;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %again, %now, %limit;
  @%again bra LOOP;
  ret;
}
"""


class Gpu:
    """A context of its own on a GPU."""

    def __init__(self, number):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.held = ctypes.c_void_p()  # memory
        context, module, self.spin = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        device = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), number)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(module), SPIN)
        self.call("cuModuleGetFunction", ctypes.byref(self.spin), module, b"spin")

    def call(self, name, *arguments):
        if code := getattr(self.cuda, name)(*arguments):
            sys.exit(f"other_process.py: {name} gave the error {code}")

    def free_bytes(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def take(self):
        """In one piece: the largest that the driver gives."""
        size = self.free_bytes() - LEFT_MIB * MIB
        while size > 0 and self.cuda.cuMemAlloc_v2(ctypes.byref(self.held), ctypes.c_size_t(size)):
            size -= LEFT_MIB * MIB
        return f"took {max(size, 0)} bytes; {self.free_bytes()} are free"

    def free(self):
        if self.held:
            self.call("cuMemFree_v2", self.held)
        self.held = ctypes.c_void_p()
        return f"{self.free_bytes()} bytes are free"

    def launch(self):
        """One kernel on all multiprocessors, to its end."""
        cycles = ctypes.c_uint64(CYCLES)
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(cycles))
        self.call("cuLaunchKernel", self.spin, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, arguments, None)
        self.call("cuCtxSynchronize")


def has_order():
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main():
    gpu = Gpu(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    # Not through Python's buffer: select would not see an order that is already in it.
    while order := sys.stdin.buffer.raw.readline().decode().strip():
        if order == "take":
            print(gpu.take(), flush=True)
        elif order == "free":
            print(gpu.free(), flush=True)
        elif order == "work":
            gpu.launch()
            print("works", flush=True)
            while not has_order():
                gpu.launch()
        else:
            sys.exit(f"other_process.py: found '{order}', expected take, free or work")


if __name__ == "__main__":
    main()
