/* The interface between Plumbline and a plug-in: a shared library that computes ops of its own.
 *
 * Plain C99, and nothing else to include or to link. A plug-in exports one function,
 *
 *     const plumbline_plugin *plumbline_plugin_entry(void);
 *
 * and a suite names the library, one of its ops, parameters and tensors:
 *
 *     - op: plugin
 *       name: scale
 *       library: build/libours.so            # from the suite's folder
 *       function: scale
 *       params: {factor: 2}
 *       args: {x: "randn[n]", y: {output: [n]}}
 *       reference: aten::mul(x, 2)
 *       sweep: {n: [1024], dtype: [float32]}
 *
 * For each case Plumbline calls create() with the parameters and the tensors' types and shapes, and
 * launch() many times with addresses. On the CPU, launch() computes before it returns. On a GPU, it
 * enqueues on the given stream without waiting. Plumbline fills inputs, checks results and times
 * launches. All calls of a process come from one thread. C++ exceptions must not leave a function
 * of the plug-in: catch them, keep the message for last_error(), return PLUMBLINE_FAILED.
 *
 * Versions: PLUMBLINE_PLUGIN_ABI is raised when an older plug-in could no longer be called; a
 * library with another ABI is refused. Within an ABI, structs only grow at their ends. Each struct
 * begins with its size in bytes as its maker knows it; the reader ignores what lies beyond its own.
 */
#ifndef PLUMBLINE_PLUGIN_H
#define PLUMBLINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMBLINE_PLUGIN_ABI 1

/* What a function of the plug-in returns. */
enum {
  PLUMBLINE_OK = 0,
  PLUMBLINE_UNSUPPORTED = 1, /* cannot do this case: UNSUPPORTED, with last_error() as the reason */
  PLUMBLINE_FAILED = 2       /* went wrong: CRASHED, with last_error() as the reason */
};

enum { PLUMBLINE_CPU = 0, PLUMBLINE_CUDA = 1 };

/* Element types. */
enum {
  PLUMBLINE_FLOAT64 = 0,
  PLUMBLINE_FLOAT32 = 1,
  PLUMBLINE_FLOAT16 = 2,
  PLUMBLINE_BFLOAT16 = 3,
  PLUMBLINE_INT64 = 4,
  PLUMBLINE_INT32 = 5,
  PLUMBLINE_INT16 = 6,
  PLUMBLINE_INT8 = 7,
  PLUMBLINE_UINT8 = 8,
  PLUMBLINE_BOOL = 9,
  PLUMBLINE_FLOAT8_E4M3FN = 10,
  PLUMBLINE_FLOAT8_E5M2 = 11
};

/* What a tensor is used for. */
enum { PLUMBLINE_INPUT = 0, PLUMBLINE_OUTPUT = 1, PLUMBLINE_INOUT = 2, PLUMBLINE_SCRATCH = 3 };

/* A tensor of the suite's `args`, in their order: dense, the last dimension fastest. */
typedef struct plumbline_tensor {
  size_t size; /* of this struct */
  const char* name;
  int32_t role;  /* PLUMBLINE_INPUT, … */
  int32_t dtype; /* PLUMBLINE_FLOAT32, … */
  int32_t dimensions;
  const int64_t* shape;
} plumbline_tensor;

/* One of the suite's `params`, its value as a text: "12", "0.5", "true", "float16". */
typedef struct plumbline_param {
  const char* name;
  const char* value;
} plumbline_param;

/* What an instance is made for. All of it is gone after create(). */
typedef struct plumbline_request {
  size_t size; /* of this struct */
  const char* function;
  int32_t device;         /* PLUMBLINE_CPU, PLUMBLINE_CUDA */
  int32_t device_ordinal; /* of CUDA; it is the current device */
  uint32_t param_count;
  uint32_t tensor_count;
  const plumbline_param* params;
  const plumbline_tensor* const* tensors;
} plumbline_request;

/* An op of the plug-in. */
typedef struct plumbline_op {
  size_t size; /* of this struct */
  const char* name;
  const char* doc;           /* one line */
  const char* const* params; /* names that it takes, then NULL; others are refused */
} plumbline_op;

/* The plug-in's own: one prepared case. */
typedef struct plumbline_instance plumbline_instance;

typedef struct plumbline_plugin {
  size_t size;  /* of this struct */
  uint32_t abi; /* PLUMBLINE_PLUGIN_ABI */
  uint32_t op_count;
  const char* name;
  const char* version;
  const plumbline_op* const* ops;

  /* Does everything that must not be timed: checks, plans, tuning. When it returns PLUMBLINE_OK,
   * *instance must be set; NULL counts as no instance. */
  int (*create)(const plumbline_request* request, plumbline_instance** instance);
  void (*destroy)(plumbline_instance* instance);
  /* Bytes of device memory that launches need besides the tensors; NULL: none. */
  size_t (*workspace_bytes)(const plumbline_instance* instance);
  /* One execution. `tensors`: addresses in the order of the request. `workspace`: aligned to
   * 512 bytes. `stream`: a cudaStream_t, NULL on the CPU. Addresses may change between calls. */
  int (*launch)(plumbline_instance* instance, void* const* tensors, void* workspace, void* stream);
  /* Why the last call of this thread did not return PLUMBLINE_OK, as a sentence. */
  const char* (*last_error)(void);
} plumbline_plugin;

typedef const plumbline_plugin* (*plumbline_plugin_entry_function)(void);
#define PLUMBLINE_PLUGIN_ENTRY "plumbline_plugin_entry"

#ifdef __cplusplus
}
#endif

#endif
