#include "device/cuda/back_to_back.h"

#include "device/cuda/kernels.h"

namespace plumbline::cuda {

BackToBack::BackToBack(cudaStream_t stream) : stream_(stream) {
  for (cudaEvent_t& end : ends_)
    check(cudaEventCreateWithFlags(&end, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

BackToBack::~BackToBack() {
  for (cudaEvent_t end : ends_)
    if (end != nullptr) cudaEventDestroy(end);
}

void BackToBack::add(const Launch& launch, int launches) {
  for (int i = 0; i < launches; ++i) launch();
  check(cudaEventRecord(ends_[batches_ % 2], stream_), "cudaEventRecord");
  ++batches_;
  // An event that was never recorded counts as complete.
  check(cudaEventSynchronize(ends_[batches_ % 2]), "work on the device");
}

void BackToBack::finish() { check(cudaStreamSynchronize(stream_), "work on the device"); }

}  // namespace plumbline::cuda
