/* Faults of a GPU and of its driver's libraries, planted below a worker with LD_PRELOAD. The GPU itself is real, and
 * nothing on it is changed. Variables say what fails:
 *
 * PLANTED_LOSS=FILE, PLANTED_LOSS_CODE=N: once FILE exists, the next call that waits for the GPU gives this CUDA error,
 *   and so do all later calls of its process, as after an uncorrectable ECC error. The process removes FILE: the next
 *   one has a sound GPU. With PLANTED_LOSS_STAYS=1 FILE is left: no process has a GPU until somebody removes it.
 * PLANTED_CLOCK_REASONS=FILE: adds the bits in FILE (a number) to NVML's reasons for the clock, while it exists.
 * PLANTED_MISSING, PLANTED_ACCEPTS, PLANTED_REFUSES=NAME,...: functions that dlsym finds: not there at all; do nothing
 *   and give 0; do nothing and give PLANTED_REFUSAL.
 * PLANTED_NO_ENTRY=NAME: a function of the driver that the CUDA run time does not find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  unsigned x, y, z;
} dim3;

static int number(const char* variable) {
  const char* text = getenv(variable);
  return text ? atoi(text) : 0;
}

/* ---- a lost GPU: functions of the CUDA run time, which the worker and LibTorch link ---- */

static atomic_int is_lost;

static int code_if_lost(void) { return is_lost ? number("PLANTED_LOSS_CODE") : 0; }

static int code_of_wait(void) {
  const char* file = getenv("PLANTED_LOSS");
  if (file && !is_lost)
    is_lost = number("PLANTED_LOSS_STAYS") ? access(file, F_OK) == 0 : unlink(file) == 0;
  return code_if_lost();
}

#define FAILS(when, name, parameters, arguments)                              \
  int name parameters {                                                       \
    static int(*real) parameters;                                             \
    if (!real) real = (int(*) parameters)dlsym(RTLD_NEXT, #name);             \
    const int code = when();                                                  \
    return code ? code : real arguments;                                      \
  }

FAILS(code_of_wait, cudaStreamSynchronize, (void* stream), (stream))
FAILS(code_of_wait, cudaEventSynchronize, (void* event), (event))
FAILS(code_of_wait, cudaDeviceSynchronize, (void), ())
FAILS(code_of_wait, cudaSetDevice, (int device), (device))
FAILS(code_if_lost, cudaGetLastError, (void), ())
FAILS(code_if_lost, cudaPeekAtLastError, (void), ())
FAILS(code_if_lost, cudaStreamQuery, (void* stream), (stream))
FAILS(code_if_lost, cudaEventQuery, (void* event), (event))
FAILS(code_if_lost, cudaEventRecord, (void* event, void* stream), (event, stream))
FAILS(code_if_lost, cudaMalloc, (void** to, size_t bytes), (to, bytes))
FAILS(code_if_lost, cudaFree, (void* memory), (memory))
FAILS(code_if_lost, cudaMemcpy, (void* to, const void* from, size_t bytes, int kind), (to, from, bytes, kind))
FAILS(code_if_lost, cudaMemcpyAsync, (void* to, const void* from, size_t bytes, int kind, void* stream),
      (to, from, bytes, kind, stream))
FAILS(code_if_lost, cudaMemsetAsync, (void* to, int value, size_t bytes, void* stream), (to, value, bytes, stream))
FAILS(code_if_lost, cudaGraphLaunch, (void* graph, void* stream), (graph, stream))
FAILS(code_if_lost, cudaLaunchKernel,
      (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream),
      (function, grid, block, arguments, shared, stream))
FAILS(code_if_lost, cudaLaunchKernelExC, (const void* config, const void* function, void** arguments),
      (config, function, arguments))

int cudaGetDriverEntryPointByVersion(const char* name, void** to, unsigned version, unsigned long long flags,
                                     int* found) {
  static int (*real)(const char*, void**, unsigned, unsigned long long, int*);
  if (!real)
    real = (int (*)(const char*, void**, unsigned, unsigned long long, int*))dlsym(RTLD_NEXT, __func__);
  const char* missing = getenv("PLANTED_NO_ENTRY");
  if (!missing || strcmp(missing, name) != 0) return real(name, to, version, flags, found);
  *to = NULL;
  if (found) *found = 1; /* cudaDriverEntryPointSymbolNotFound */
  return 0;
}

/* ---- functions that are looked up: NVML, CUPTI, the driver ---- */

static int (*real_reasons)(void*, unsigned long long*);

static int clock_reasons(void* device, unsigned long long* reasons) {
  const char* path = getenv("PLANTED_CLOCK_REASONS");
  unsigned long long planted = 0;
  FILE* file = path ? fopen(path, "r") : NULL;
  if (file) {
    if (fscanf(file, "%llu", &planted) != 1) planted = 0;
    fclose(file);
  }
  const int code = real_reasons(device, reasons);
  if (planted == 0) return code;
  *reasons = (code == 0 ? *reasons : 0) | planted;
  return 0;
}

static int accept(void) { return 0; }
static int refuse(void) { return number("PLANTED_REFUSAL"); }

static int is_named(const char* variable, const char* name) {
  const char* list = getenv(variable);
  const size_t length = strlen(name);
  for (const char* at = list; at && (at = strstr(at, name)) != NULL; at += length) {
    const int is_begin = at == list || at[-1] == ',';
    if (is_begin && (at[length] == '\0' || at[length] == ',')) return 1;
  }
  return 0;
}

void* dlsym(void* restrict handle, const char* restrict name) {
  static void* (*real)(void*, const char*);
  if (!real) real = (void* (*)(void*, const char*))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (is_named("PLANTED_MISSING", name)) return NULL;
  if (is_named("PLANTED_ACCEPTS", name)) return (void*)accept;
  if (is_named("PLANTED_REFUSES", name)) return (void*)refuse;
  if (getenv("PLANTED_CLOCK_REASONS") && strcmp(name, "nvmlDeviceGetCurrentClocksEventReasons") == 0) {
    real_reasons = (int (*)(void*, unsigned long long*))real(handle, name);
    return real_reasons ? (void*)clock_reasons : NULL;
  }
  return real(handle, name); /* the last call: for RTLD_NEXT glibc looks from where it returns to */
}
