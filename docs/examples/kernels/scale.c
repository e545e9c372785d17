/* scale: y = 3 x on the CPU, float32. */
#include <plumbline_plugin.h>
#include <stdlib.h>

struct plumbline_instance {
  int64_t elements;
};

static int create(const plumbline_request* request, plumbline_instance** instance) {
  const plumbline_tensor* const x = request->tensors[0];
  *instance = malloc(sizeof **instance);
  (*instance)->elements = 1;
  for (int32_t i = 0; i < x->dimensions; ++i) (*instance)->elements *= x->shape[i];
  return PLUMBLINE_OK;
}

static void destroy(plumbline_instance* instance) { free(instance); }

static int launch(plumbline_instance* instance, void* const* tensors, void* workspace,
                  void* stream) {
  (void)workspace;
  (void)stream;
  const float* const x = tensors[0];
  float* const y = tensors[1];
  for (int64_t i = 0; i < instance->elements; ++i) y[i] = 3 * x[i];
  return PLUMBLINE_OK;
}

static const char* last_error(void) { return "no reason"; }

static const plumbline_op kScale = {sizeof kScale, "scale", "y = 3 x", NULL};
static const plumbline_op* const kOps[] = {&kScale};
static const plumbline_plugin kPlugin = {
    sizeof kPlugin, PLUMBLINE_PLUGIN_ABI, 1, "scale", "1", kOps, create, destroy, NULL, launch,
    last_error};

const plumbline_plugin* plumbline_plugin_entry(void) { return &kPlugin; }
