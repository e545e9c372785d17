#include "measure/novelty.h"

#include <cmath>
#include <span>
#include <vector>

#include "core/value.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// A kind of new contents, and how much faster seen ones may be.
struct Contrast {
  bool is_scaled;
  double ratio;
};
constexpr Contrast kOfGpus[] = {{false, 1.1}};
/// What branch prediction gains was never more than three times.
constexpr Contrast kOfCpus[] = {{true, 1.5}, {false, 8}};

/// Launches on contents until they count as seen.
constexpr int kExposures = 4;
/// A first look, and the turns that decide where it looks suspicious.
constexpr std::size_t kFirstTurns = 3;
constexpr std::size_t kTurns = 16;
/// Of 16 turns of one kind of launch 15 or more point one way with probability 0.0003.
constexpr std::size_t kSlowerTurns = 15;
constexpr double kSlower_s = 1e-6;

class Probe {
 public:
  Probe(Device& device, const Launch& launch, const Scrutiny& scrutiny, BlockPlan plan)
      : device_(device), launch_(launch), scrutiny_(scrutiny), plan_(std::move(plan)) {}

  std::string run(const Contrast& contrast) {
    new_s_.clear();
    seen_s_.clear();
    while (new_s_.size() < kFirstTurns) take_turn(contrast);
    if (!looks_slower(kFirstTurns, contrast.ratio)) return "";
    while (new_s_.size() < kTurns) take_turn(contrast);
    if (!looks_slower(kSlowerTurns, contrast.ratio)) return "";
    const auto in_us = [](const std::vector<double>& seconds) {
      return shortest_text(std::round(median(seconds) * 1e8) / 100) + " us";
    };
    return "launches are faster on data that they have seen: " + in_us(new_s_) +
           " on new inputs, " + in_us(seen_s_) + " after " + std::to_string(kExposures) +
           " launches on the same ones";
  }

 private:
  void take_turn(const Contrast& contrast) {
    const std::uint64_t seen = contents_of(ContentsOf::probe, contents_++);
    const std::uint64_t fresh =
        contrast.is_scaled ? seen : contents_of(ContentsOf::probe, contents_++);
    for (const bool is_new : {false, true})
      (is_new ? new_s_ : seen_s_).push_back(time({seen, kExposures, is_new, fresh}));
  }

  double time(const Staging& staging) {
    plan_.around.before = [&](int) { scrutiny_.stage(staging); };
    return device_.time_block(launch_, plan_).samples_s.front();
  }

  bool looks_slower(std::size_t turns_at_least, double ratio) const {
    std::size_t slower = 0;
    for (std::size_t i = 0; i < seen_s_.size(); ++i) slower += new_s_[i] > seen_s_[i] ? 1 : 0;
    const double seen_s = median(seen_s_);
    const double new_s = median(new_s_);
    return slower >= turns_at_least && new_s > ratio * seen_s && new_s - seen_s > kSlower_s;
  }

  Device& device_;
  const Launch& launch_;
  const Scrutiny& scrutiny_;
  BlockPlan plan_;
  std::uint64_t contents_ = 0;
  std::vector<double> new_s_, seen_s_;  // by turn
};

}  // namespace

std::string faster_on_seen(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                           bool is_held, Timer timer) {
  const BlockPlan plan{.cache = CacheState::hot,
                       .timer = timer,
                       .samples = 1,
                       .is_held = is_held,
                       .is_back_to_back = false};
  Probe probe(device, launch, scrutiny, plan);
  const std::span<const Contrast> contrasts =
      device.is_cuda() ? std::span<const Contrast>(kOfGpus) : std::span<const Contrast>(kOfCpus);
  for (const Contrast& contrast : contrasts)
    if (std::string found = probe.run(contrast); !found.empty()) return found;
  return "";
}

}  // namespace plumbline
