#include "measure/novelty.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/unknown.h"
#include "core/value.h"
#include "measure/processor_wait.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// A kind of new contents, and how many times faster seen ones may be.
struct Contrast {
  bool is_near;
  double ratio;
};
constexpr Contrast kOfGpus[] = {{false, 1.1}};
/// Branch prediction never gained more than a factor of three.
constexpr Contrast kOfCpus[] = {{true, 1.5}, {false, 8}};

/// Turns of a first look, and how many of them must look suspicious before all turns decide: one
/// turn may have been disturbed.
constexpr std::size_t kFirstTurns = 3, kSuspiciousTurns = 2;
constexpr std::size_t kTurns = 16;
/// 15 or more of 16 turns point the same way by chance with probability 0.0003.
constexpr std::size_t kSlowerTurns = 15;
constexpr double kSlower_s = 1e-6;

std::vector<double> own_times(std::span<const LaunchTime> times) {
  std::vector<double> own_s;
  for (const LaunchTime& time : times) own_s.push_back(time.own_s);
  return own_s;
}

std::vector<double> whole_times(std::span<const LaunchTime> times) {
  std::vector<double> whole_s;
  for (const LaunchTime& time : times) whole_s.push_back(time.whole_s);
  return whole_s;
}

bool is_slower(double new_s, double seen_s, double ratio) {
  return new_s > ratio * seen_s && new_s - seen_s > kSlower_s;
}

std::string in_us(double seconds) { return shortest_text(std::round(seconds * 1e8) / 100) + " us"; }

class Probe {
 public:
  Probe(Device& device, const Launch& launch, const Scrutiny& scrutiny, BlockPlan plan,
        int exposures)
      : device_(device),
        launch_(launch),
        scrutiny_(scrutiny),
        plan_(std::move(plan)),
        exposures_(exposures),
        random_(static_cast<std::minstd_rand::result_type>(scrutiny.draw)) {}

  std::string run(std::span<const Contrast> contrasts) {
    new_.resize(contrasts.size());
    while (seen_.size() < kFirstTurns) take_turn(contrasts);
    if (!suspect(contrasts, kSuspiciousTurns)) return "";
    while (seen_.size() < kTurns) take_turn(contrasts);
    const auto found = suspect(contrasts, kSlowerTurns);
    if (!found) return "";
    return "launches are faster on data that they have seen: " +
           in_us(median(own_times(new_[*found]))) + " on new inputs, " +
           in_us(median(own_times(seen_))) + " after " + std::to_string(exposures_) +
           " launches on the same ones";
  }

 private:
  /// What looked suspicious is looked at again in a random order, with the same launches before
  /// each kind. On a busy machine a launch waits where its threads slept, or where their turn on a
  /// processor ends. In a fixed order, that could hit the same kind each time.
  void take_turn(std::span<const Contrast> contrasts) {
    const bool is_again = seen_.size() >= kFirstTurns;
    const std::uint64_t seen = contents_of(ContentsOf::probe, contents_++);
    const bool is_near = contrasts.front().is_near;
    const std::uint64_t other = contents_of(ContentsOf::probe, contents_);
    std::vector<Staging> kinds{{seen, exposures_, false, is_near ? seen : other}};
    for (const Contrast& contrast : contrasts)
      kinds.push_back({seen, is_again ? exposures_ : 0, true,
                       contrast.is_near ? seen : contents_of(ContentsOf::probe, contents_++)});
    std::vector<std::size_t> order(kinds.size());
    std::iota(order.begin(), order.end(), 0);
    if (is_again) std::ranges::shuffle(order, random_);
    for (const std::size_t kind : order)
      (kind == 0 ? seen_ : new_[kind - 1]).push_back(time(kinds[kind]));
  }

  LaunchTime time(const Staging& staging) {
    double waited_s = 0;
    plan_.around.before = [&](int) {
      scrutiny_.stage(staging);
      waited_s = -processor_wait_s();
    };
    plan_.around.after = [&](int) { waited_s += processor_wait_s(); };
    const double seconds = device_.time_block(launch_, plan_).samples_s.front();
    return {seconds, device_.is_cuda() ? seconds : seconds - waited_s};
  }

  /// Index of a contrast whose new contents took longer.
  std::optional<std::size_t> suspect(std::span<const Contrast> contrasts,
                                     std::size_t turns_at_least) const {
    for (std::size_t i = 0; i < contrasts.size(); ++i)
      if (looks_slower_on_new(new_[i], seen_, turns_at_least, contrasts[i].ratio)) return i;
    return std::nullopt;
  }

  Device& device_;
  const Launch& launch_;
  const Scrutiny& scrutiny_;
  BlockPlan plan_;
  int exposures_;
  std::minstd_rand random_;  // not secret: which kind a launch is of, its inputs tell anyway
  std::uint64_t contents_ = 0;
  std::vector<LaunchTime> seen_;              // by turn
  std::vector<std::vector<LaunchTime>> new_;  // by contrast and turn
};

}  // namespace

bool looks_slower_on_new(std::span<const LaunchTime> on_new, std::span<const LaunchTime> on_seen,
                         std::size_t turns_at_least, double ratio) {
  std::size_t slower = 0;
  for (std::size_t i = 0; i < on_seen.size(); ++i)
    slower += on_new[i].own_s > on_seen[i].own_s ? 1 : 0;
  return slower >= turns_at_least &&
         is_slower(median(own_times(on_new)), median(own_times(on_seen)), ratio) &&
         is_slower(median(whole_times(on_new)), median(whole_times(on_seen)), ratio);
}

std::string faster_on_seen(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                           bool is_held, Timer timer, int exposures) {
  const BlockPlan plan{.cache = CacheState::hot,
                       .timer = timer,
                       .samples = 1,
                       .is_held = is_held,
                       .is_back_to_back = false};
  const std::span<const Contrast> contrasts =
      device.is_cuda() ? std::span<const Contrast>(kOfGpus) : std::span<const Contrast>(kOfCpus);
  return Probe(device, launch, scrutiny, plan, exposures).run(contrasts);
}

std::string faster_in_place(Device& device, const Launch& launch, const Scrutiny& scrutiny,
                            BlockPlan plan) {
  constexpr double kRatio = 2;
  constexpr double kUndisturbed = 0.25;  // a busy machine disturbs fewer than three in four
  // Another load on the processor may halve the speed of one of two blocks: more turns decide.
  constexpr int kMoreTurns = 8, kLongerTurns = 7;
  const auto launch_and_touch = [&](bool is_poisoned) {
    device.begin_launch();
    launch();
    scrutiny.touch(is_poisoned);
  };
  const auto block_s = [&](bool is_poisoned) {
    plan.around.before = [&, is_poisoned](int) { launch_and_touch(is_poisoned); };
    const BlockReading reading = device.time_block(launch, plan);
    scrutiny.repeat();
    return reading.failure.empty() ? quantile(reading.samples_s, kUndisturbed) : kUnknown;
  };
  std::vector<double> kept_s, spoiled_s;
  const auto is_longer_in_a_turn = [&] {
    kept_s.push_back(block_s(false));
    spoiled_s.push_back(block_s(true));
    return spoiled_s.back() >= kRatio * kept_s.back() &&
           spoiled_s.back() - kept_s.back() >= kSlower_s;
  };
  for (int i = 0; i < plan.samples; ++i) {
    launch_and_touch(true);
    scrutiny.watch();
  }
  if (!is_longer_in_a_turn()) return "";
  int longer = 0;
  for (int turn = 0; turn < kMoreTurns; ++turn) longer += is_longer_in_a_turn() ? 1 : 0;
  if (longer < kLongerTurns) return "";
  return "launches right behind another are faster where its results are in place: " +
         in_us(median(kept_s)) + ", " + in_us(median(spoiled_s)) +
         " where a piece of them was overwritten";
}

}  // namespace plumbline
