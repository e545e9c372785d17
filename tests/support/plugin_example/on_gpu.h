/* The part of the example that a CUDA compiler builds. */
#ifndef ON_GPU_H
#define ON_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(WITH_CUDA) || defined(__CUDACC__)
static inline int can_use_gpu(void) { return 1; }
/* y = factor * x, enqueued on a cudaStream_t. Returns NULL, or CUDA's message. */
const char* scale_on_gpu(const float* x, float* y, float factor, int64_t elements, void* stream);
#else
static inline int can_use_gpu(void) { return 0; }
static inline const char* scale_on_gpu(const float* x, float* y, float factor, int64_t elements,
                                       void* stream) {
  (void)x, (void)y, (void)factor, (void)elements, (void)stream;
  return "built without CUDA";
}
#endif

#ifdef __cplusplus
}
#endif

#endif
