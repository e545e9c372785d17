#include "worker/verify/instance.h"

namespace plumbline {

Instance::Instance(const Case& subject, Device& device, bool is_cuda, std::int64_t run_seed)
    : subject_(subject),
      device_(device),
      is_cuda_(is_cuda),
      seed_(run_seed),
      workload_(make_workload(subject, device, is_cuda, run_seed)),
      judgement_(judgement()) {}

/// Of results for the inputs that are made from the seed.
Judgement Instance::judgement() const {
  return Judgement([&subject = subject_, &device = device_, is_cuda = is_cuda_, seed = seed_] {
    return make_workload(subject, device, is_cuda, seed);
  });
}

void Instance::expect(KeptResults& kept) {
  expected_ = kept.get(reference_key(subject_, seed_), device_, is_cuda_,
                       [this] { return in_float64([this] { return workload_->reference(); }); });
}

void Instance::expect_reference() {
  expected_ = in_float64([this] { return workload_->reference(); });
}

void Instance::change_values() {
  seed_ = other_seed(seed_);
  workload_->use_seed(problem_seed(subject_, std::uint64_t(seed_)));
  judgement_ = judgement();
}

Check Instance::check(const Tensors& results) {
  return judgement_.check(*workload_, results, expected_);
}

std::string Instance::race(const RaceSite& site) {
  return find_races(site,
                    {[this] { return workload_->prepare(); }, workload_->inputs(),
                     [this](const Tensors& results) {
                       return judgement_.check_as_before(*workload_, results, expected_).mistake;
                     }});
}

}  // namespace plumbline
