/// Launches of TimedLaunches on values that are near those of a timed launch.
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>

#include "backends/libtorch/libtorch.h"
#include "worker/verify/tensor_memory.h"
#include "worker/verify/timed_launches.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

/// Sums that overflow stay what they are on other values, whatever their exact value.
bool are_finite(const Tensors& results) {
  return std::ranges::all_of(results, [](const at::Tensor& result) {
    return !at::isFloatingType(result.scalar_type()) ||
           at::isfinite(exact(result)).all().item<bool>();
  });
}

}  // namespace

/// Recorded integers may be places, lengths or order; others of them may mean nothing.
Tensors TimedLaunches::changeable_inputs() const {
  const Workload& workload = launches_.instance.workload();
  Tensors inputs = workload.inputs();
  if (workload.repeated_inputs())
    std::erase_if(inputs, [](const at::Tensor& input) {
      return !input.defined() || !at::isFloatingType(input.scalar_type());
    });
  return inputs;
}

/// Where launches repeat the inputs of a file, a result that was kept for ever is right. On other
/// values it has the same bits, and is wrong.
void TimedLaunches::judge_near() {
  if (!launches_.prepared().keeps_no_values) return;
  const std::uint64_t contents = contents_of(ContentsOf::verification, 1);
  const auto put_near_values = [&] {
    renew(contents);
    NearValues(changeable_inputs(), contents, /*is_other=*/true).put(/*tells=*/true);
  };
  const Digest before = launch_again(contents);
  put_near_values();
  launches_.launch();
  launches_.settle();
  if (digest_of(device_, launches_.results()) != before || !are_finite(launches_.results())) return;
  Tensors results;
  for (const at::Tensor& result : launches_.results()) results.push_back(result.clone());
  put_near_values();  // a launch may have changed its own
  if (!expect_reference()) return;
  const Check check = launches_.instance.check_as_before(results);
  launches_.instance.expect_nothing();
  if (check.mistake.empty()) return;
  throw VisitFailure{Status::wrong,
                     "a launch gave the results of a launch on other inputs: " + check.mistake};
}

void TimedLaunches::find_places() {
  const auto options =
      at::TensorOptions().dtype(at::kByte).device(device_.is_cuda() ? at::kCUDA : at::kCPU);
  for (const MemorySpan& span : own_spans()) {
    const at::Tensor place = at::from_blob(span.data, {std::int64_t(span.bytes)}, options);
    staged_.push_back({place, at::empty_like(place), at::full_like(place, kPoison)});
  }
}

/// Does the same before every kind of launch, so that caches, waiting threads and code are alike.
/// Near values are put in place last, so that no thread can compute with them in advance.
void TimedLaunches::stage(const Staging& staging) {
  if (staging.launches > 0) renew(staging.seen);
  for (int i = 0; i < staging.launches; ++i) launches_.launch();
  if (staged_.empty()) find_places();
  for (const Staged& staged : staged_) staged.kept.copy_(staged.place);
  renew(staging.is_new ? staging.fresh : staging.seen);
  const auto put_results = [&] {
    for (const Staged& staged : staged_)
      staged.place.copy_(staging.is_new ? staged.poison : staged.kept);
  };
  if (staging.fresh != staging.seen) return put_results();
  NearValues values(changeable_inputs(), staging.seen, staging.is_new);
  put_results();
  values.put(launches_.prepared().keeps_no_values);
}

}  // namespace plumbline
