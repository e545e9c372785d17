/* A plug-in of nine ops on float32 tensors x and y of one shape, as an example and for tests:
 *   scale           y = factor * x, on the CPU and, if built so, on GPUs
 *   scale_but_last  the same without the last element: a planted mistake
 *   centre          y = x - mean(x), on the CPU, with the mean in the workspace
 *   accumulate      y += x, on the CPU
 *   remembers       scale, computed by an instance's first launch only: a planted mistake
 *   latest_place    scale, computed only if x has a new address: a planted mistake
 *   idle_in_place   scale, not computed if y has the same address as last time: a planted mistake
 *   far_behind      scale, which also writes 8 KB behind y: a planted mistake
 *   far_before      scale, which also writes 8 KB before x: a planted mistake
 */
#include <plumbline_plugin.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "on_gpu.h"

#ifndef EXAMPLE_ABI
#define EXAMPLE_ABI PLUMBLINE_PLUGIN_ABI
#endif

typedef enum {
  SCALE,
  SCALE_BUT_LAST,
  CENTRE,
  ACCUMULATE,
  REMEMBERS,
  LATEST_PLACE,
  IDLE_IN_PLACE,
  FAR_BEHIND,
  FAR_BEFORE
} example_op;

enum { FAR = 2048 }; /* elements */

struct plumbline_instance {
  example_op op;
  int32_t device;
  float factor;
  int64_t elements;
  float* kept;           /* REMEMBERS and LATEST_PLACE: the result that is returned */
  const void* kept_from; /* x's address at that time; IDLE_IN_PLACE: y's address */
};

static char error_text[256];

static int answer(int code, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(error_text, sizeof error_text, format, values);
  va_end(values);
  return code;
}

static const char* last_error(void) { return error_text; }

static int64_t elements_of(const plumbline_tensor* tensor) {
  int64_t elements = 1;
  for (int32_t i = 0; i < tensor->dimensions; ++i) elements *= tensor->shape[i];
  return elements;
}

static int check_tensors(const plumbline_request* request) {
  if (request->tensor_count != 2)
    return answer(PLUMBLINE_FAILED, "expected two tensors, x and y, found %u",
                  (unsigned)request->tensor_count);
  const plumbline_tensor *const x = request->tensors[0], *const y = request->tensors[1];
  const int32_t wanted =
      strcmp(request->function, "accumulate") == 0 ? PLUMBLINE_INOUT : PLUMBLINE_OUTPUT;
  if (x->role != PLUMBLINE_INPUT || y->role != wanted)
    return answer(PLUMBLINE_FAILED, "%s: expected an input and an %s, in this order",
                  request->function, wanted == PLUMBLINE_INOUT ? "inout" : "output");
  if (x->dtype != PLUMBLINE_FLOAT32 || y->dtype != PLUMBLINE_FLOAT32)
    return answer(PLUMBLINE_UNSUPPORTED, "%s: float32 alone is supported", request->function);
  if (elements_of(x) != elements_of(y))
    return answer(PLUMBLINE_FAILED, "%s and %s differ in size", x->name, y->name);
  return PLUMBLINE_OK;
}

static int create(const plumbline_request* request, plumbline_instance** instance) {
  const int code = check_tensors(request);
  if (code != PLUMBLINE_OK) return code;
  plumbline_instance made = {SCALE, request->device, 1.0F, elements_of(request->tensors[0]), NULL,
                             NULL};
  if (strcmp(request->function, "scale_but_last") == 0) made.op = SCALE_BUT_LAST;
  if (strcmp(request->function, "centre") == 0) made.op = CENTRE;
  if (strcmp(request->function, "accumulate") == 0) made.op = ACCUMULATE;
  if (strcmp(request->function, "remembers") == 0) made.op = REMEMBERS;
  if (strcmp(request->function, "latest_place") == 0) made.op = LATEST_PLACE;
  if (strcmp(request->function, "idle_in_place") == 0) made.op = IDLE_IN_PLACE;
  if (strcmp(request->function, "far_behind") == 0) made.op = FAR_BEHIND;
  if (strcmp(request->function, "far_before") == 0) made.op = FAR_BEFORE;
  for (uint32_t i = 0; i < request->param_count; ++i)
    if (strcmp(request->params[i].name, "factor") == 0)
      made.factor = strtof(request->params[i].value, NULL);
  if (made.device == PLUMBLINE_CUDA && (made.op != SCALE || !can_use_gpu()))
    return answer(PLUMBLINE_UNSUPPORTED, "%s: not on GPUs", request->function);
#ifdef EXAMPLE_WITHOUT_INSTANCE
  return PLUMBLINE_OK;
#endif
  *instance = malloc(sizeof made);
  if (*instance == NULL) return answer(PLUMBLINE_FAILED, "out of memory");
  **instance = made;
  return PLUMBLINE_OK;
}

static void destroy(plumbline_instance* instance) {
  free(instance->kept);
  free(instance);
}

static size_t workspace_bytes(const plumbline_instance* instance) {
  return instance->op == CENTRE ? sizeof(double) : 0;
}

static void centre(const float* x, float* y, int64_t elements, double* mean) {
  *mean = 0;
  for (int64_t i = 0; i < elements; ++i) *mean += x[i];
  *mean /= (double)elements;
  for (int64_t i = 0; i < elements; ++i) y[i] = (float)(x[i] - *mean);
}

static int hand_out(plumbline_instance* instance, const float* x, float* y) {
  const size_t bytes = (size_t)instance->elements * sizeof *y;
  const int is_known = instance->kept != NULL &&
                       (instance->op == REMEMBERS || instance->kept_from == (const void*)x);
  if (instance->kept == NULL) instance->kept = malloc(bytes);
  if (instance->kept == NULL) return answer(PLUMBLINE_FAILED, "out of memory");
  if (!is_known)
    for (int64_t i = 0; i < instance->elements; ++i) instance->kept[i] = instance->factor * x[i];
  instance->kept_from = x;
  memcpy(y, instance->kept, bytes);
  return PLUMBLINE_OK;
}

static int launch(plumbline_instance* instance, void* const* tensors, void* workspace,
                  void* stream) {
  const float* const x = tensors[0];
  float* const y = tensors[1];
  if (instance->device == PLUMBLINE_CUDA) {
    const char* const mistake = scale_on_gpu(x, y, instance->factor, instance->elements, stream);
    return mistake == NULL ? PLUMBLINE_OK : answer(PLUMBLINE_FAILED, "%s", mistake);
  }
  if (instance->op == CENTRE) {
    centre(x, y, instance->elements, workspace);
    return PLUMBLINE_OK;
  }
  if (instance->op == ACCUMULATE) {
    for (int64_t i = 0; i < instance->elements; ++i) y[i] += x[i];
    return PLUMBLINE_OK;
  }
  if (instance->op == REMEMBERS || instance->op == LATEST_PLACE) return hand_out(instance, x, y);
  if (instance->op == IDLE_IN_PLACE) {
    if (instance->kept_from == (const void*)y) return PLUMBLINE_OK;
    instance->kept_from = y;
  }
  const int64_t end = instance->elements - (instance->op == SCALE_BUT_LAST ? 1 : 0);
  for (int64_t i = 0; i < end; ++i) y[i] = instance->factor * x[i];
  if (instance->op == FAR_BEHIND) y[instance->elements + FAR] = 0;
  if (instance->op == FAR_BEFORE) ((float*)tensors[0])[-FAR] = 0;
  return PLUMBLINE_OK;
}

static const char* const scale_params[] = {"factor", NULL};
static const char* const no_params[] = {NULL};
static const plumbline_op scale_op = {sizeof(plumbline_op), "scale", "y = factor * x",
                                      scale_params};
static const plumbline_op scale_but_last_op = {sizeof(plumbline_op), "scale_but_last",
                                               "scale without the last element", scale_params};
static const plumbline_op centre_op = {sizeof(plumbline_op), "centre", "y = x - mean(x)",
                                       no_params};
static const plumbline_op accumulate_op = {sizeof(plumbline_op), "accumulate", "y += x", no_params};
static const plumbline_op remembers_op = {sizeof(plumbline_op), "remembers",
                                          "scale of an instance's first inputs", scale_params};
static const plumbline_op latest_place_op = {sizeof(plumbline_op), "latest_place",
                                             "scale of what was first at a place", scale_params};
static const plumbline_op idle_in_place_op = {sizeof(plumbline_op), "idle_in_place",
                                              "scale, once where y lies", scale_params};
static const plumbline_op far_behind_op = {sizeof(plumbline_op), "far_behind",
                                           "scale and a write 8 KB behind y", scale_params};
static const plumbline_op far_before_op = {sizeof(plumbline_op), "far_before",
                                           "scale and a write 8 KB before x", scale_params};
static const plumbline_op* ops[] = {&scale_op,         &scale_but_last_op, &centre_op,
                                    &accumulate_op,    &remembers_op,      &latest_place_op,
                                    &idle_in_place_op, &far_behind_op,     &far_before_op};

const plumbline_plugin* plumbline_plugin_entry(void) {
  static const plumbline_plugin plugin = {
      sizeof(plumbline_plugin), EXAMPLE_ABI, 9,         "example", "1.0", ops, create, destroy,
      workspace_bytes,          launch,      last_error};
#ifdef EXAMPLE_GAP
  ops[1] = NULL;
#endif
  return &plugin;
}
