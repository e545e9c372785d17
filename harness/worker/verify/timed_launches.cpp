#include "worker/verify/timed_launches.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "backends/libtorch/libtorch.h"
#include "device/random.h"
#include "worker/verify/tensor_memory.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

/// Unexplained looks that are launched again, at most.
constexpr std::size_t kExplainedMax = 8;
/// References of a visit: one, and more until they have taken this long.
constexpr std::size_t kReferencesMax = 4;
constexpr double kReferences_s = 0.003;
/// The repeated launches that references may be computed for. They are the same in every visit of a
/// problem, so that the references of one visit serve the others.
constexpr std::size_t kCandidates = 8;

[[noreturn]] void wrong(const std::string& reason) { throw VisitFailure{Status::wrong, reason}; }

}  // namespace

TimedLaunches::TimedLaunches(WatchedLaunches launches, Device& device, std::uint64_t draw)
    : launches_(std::move(launches)), device_(device), draw_(draw) {}

Scrutiny TimedLaunches::scrutiny() {
  Scrutiny scrutiny;
  scrutiny.draw = draw_;
  scrutiny.renew = [this](std::uint64_t contents) { renew(contents); };
  scrutiny.poison = [this] { poison(); };
  scrutiny.touch = [this](bool is_poisoned) { touch(is_poisoned); };
  scrutiny.watch = [this] { watch(); };
  scrutiny.look = [this] { look(); };
  scrutiny.repeat = [this] { repeat(); };
  scrutiny.stage = [this](const Staging& staging) { stage(staging); };
  scrutiny.can_stage = [this] { return !is_mutating(); };
  return scrutiny;
}

void TimedLaunches::are_on(std::uint64_t contents) {
  contents_ = contents;
  is_hot_ = false;
}

void TimedLaunches::renew(std::uint64_t contents) {
  poison_memory(device_, own_spans());
  launches_.renew(contents);
  are_on(contents);
}

void TimedLaunches::poison() {
  is_hot_ = true;
  poison_memory(device_, own_spans());
}

/// Nobody else may hold the results meanwhile (LaunchResults::handles).
std::vector<MemorySpan> TimedLaunches::own_spans() const {
  return own_memory(device_, {launches_.results(), launches_.prepared().result_handles},
                    launches_.instance.workload().inputs());
}

/// Must take almost no time, because a launch could measure the time since the previous one. So the
/// places to write to are known from the previous launch.
void TimedLaunches::touch(bool is_poisoned) {
  constexpr std::size_t kPiece = 4096;
  const auto is_in_place = [&](const at::Tensor& result) {
    return result.has_storage() && result.storage().data() == touched_.data;
  };
  if (touched_.data == nullptr || std::ranges::none_of(launches_.results(), is_in_place)) {
    const std::vector<MemorySpan> spans = own_spans();
    if (spans.empty()) return;
    touched_ = spans[random_bits(draw_, touches_) % spans.size()];
  }
  const std::size_t bytes = std::min(kPiece, touched_.bytes);
  piece_ = {static_cast<unsigned char*>(touched_.data) +
                random_bits(draw_, ++touches_) % (touched_.bytes - bytes + 1),
            bytes};
  std::array<unsigned char, kPiece> buffer;
  std::memcpy(buffer.data(), piece_.data(), bytes);
  if (is_poisoned) buffer.fill(kPoison);
  std::memcpy(piece_.data(), buffer.data(), bytes);
}

/// A thread that nobody waits for finishes a little later.
void TimedLaunches::watch() {
  constexpr double kPatience_s = 50e-6;
  const double until_s = device_.now_s() + kPatience_s;
  while (device_.now_s() < until_s) {
  }
  const auto is_poison = [](unsigned char byte) { return byte == kPoison; };
  if (!std::ranges::all_of(piece_, is_poison)) wrong(std::string(kLateResults));
}

void TimedLaunches::look() {
  if (has_drifted()) return;
  digest_memory(device_, launches_.results());
  looked_at_.push_back({contents_, inputs_now(), {}});
}

/// Different numbers for different inputs. Inputs from a file are the same for many contents.
std::uint64_t TimedLaunches::inputs_now() const {
  return launches_.instance.workload().repeated_inputs().value_or(contents_);
}

void TimedLaunches::collect_looks() { collect_looks_and_others<0>(); }

template <std::size_t kOthers>
std::array<Digest, kOthers> TimedLaunches::collect_looks_and_others() {
  const std::vector<Digest> digests = device_.take_digests();
  for (std::size_t i = 0; i < looked_at_.size(); ++i) {
    looks_.push_back(looked_at_[i]);
    looks_.back().digest = digests.at(i);
  }
  std::array<Digest, kOthers> others{};
  for (std::size_t i = 0; i < kOthers; ++i) others[i] = digests.at(looked_at_.size() + i);
  looked_at_.clear();
  return others;
}

void TimedLaunches::launch_on(std::uint64_t contents) {
  renew(contents);
  launches_.launch();
  launches_.settle();
}

/// Returns the digest of its results.
Digest TimedLaunches::launch_again(std::uint64_t contents) {
  launch_on(contents);
  return digest_of(device_, launches_.results());
}

/// Releases the timed results if memory is short. Digests the inputs before the launch.
void TimedLaunches::remake_and_launch(Tensors& timed) {
  const PoisonedAllocations poisoned(device_);
  try {
    launches_.remake(contents_);
  } catch (const c10::OutOfMemoryError&) {
    timed.clear();
    launches_.remake(contents_);
  }
  digest_memory(device_, launches_.instance.workload().inputs());
  launches_.launch();
  launches_.settle();
}

/// A copy of results that the implementation keeps: the next launch would overwrite them. None if
/// memory is short.
Tensors TimedLaunches::timed_results() {
  const std::size_t owned = own_spans().size();
  Tensors timed = launches_.results();
  if (owned == timed.size()) return timed;
  try {
    for (at::Tensor& result : timed) result = result.clone();
  } catch (const c10::OutOfMemoryError&) {
    timed.clear();
  }
  return timed;
}

/// The results of the timed launch are held meanwhile, so that the other launch's results lie
/// elsewhere. All digests are read from the device together, because waiting for it takes the time.
void TimedLaunches::repeat() {
  if (has_drifted()) return collect_looks();
  Tensors timed = timed_results();
  const Workload& workload = launches_.instance.workload();
  digest_memory(device_, workload.inputs());
  remake_and_launch(timed);
  digest_memory(device_, launches_.results());
  digest_memory(device_, workload.inputs());
  const auto [used, fresh, again, left] = collect_looks_and_others<4>();
  if (!is_mutating() && (used != fresh || left != fresh))
    wrong(
        "a launch changed an input that it should only read; declare the inputs that a launch "
        "changes");
  if (std::ranges::find(repeated_, contents_) == repeated_.end()) repeated_.push_back(contents_);
  compare(timed, again);
  require_values(timed, again);
  timed.clear();
  launches_.remake(contents_);  // results lie at the block's places again
  launches_.launch();           // the next poison needs these places
}

/// False if there is no reference: results are random, or unset.
bool TimedLaunches::expect_reference() {
  try {
    launches_.instance.expect_reference();
    return true;
  } catch (const NoReference&) {
    return false;
  }
}

/// Whether the results have defined values: an operator that changes its inputs may leave them
/// unset.
bool TimedLaunches::is_claimed() {
  if (!is_mutating()) return true;
  if (!is_claimed_) {
    is_claimed_ = expect_reference();
    launches_.instance.expect_nothing();
  }
  return *is_claimed_;
}

void TimedLaunches::compare(const Tensors& timed, const Digest& again) {
  if (!is_claimed()) return;
  const bool has_timed = !looks_.empty() && !timed.empty();
  if (has_timed && looks_.back().digest.poisoned > again.poisoned)
    require_complete(device_, timed, looks_.back().digest);
  for (Look& look : looks_) {
    if (look.contents != contents_ || look.is_explained) continue;
    look.is_explained = true;
    if (look.digest == again) continue;
    if (look.digest.poisoned > again.poisoned || is_of_other_contents(look)) fail(look, again);
    if (has_timed && &look == &looks_.back()) compare_values(timed);
  }
}

/// Poison after both launches may mean that neither wrote. The timed results are compared with the
/// reference at once, because a launch elsewhere may do the work.
void TimedLaunches::require_values(const Tensors& timed, const Digest& again) {
  if (again.poisoned == 0 || timed.empty() || is_mutating()) return;
  if (std::ranges::none_of(timed,
                           [](const at::Tensor& t) { return at::isFloatingType(t.scalar_type()); }))
    return;
  if (!expect_reference()) return;
  const Check check = launches_.instance.check(timed);
  launches_.instance.expect_nothing();
  if (check.mistake.empty()) return;
  require_no_late_results(contents_);
  wrong("a timed launch did not do its work: " + std::to_string(4 * again.poisoned) +
        " bytes of its results were not written, and an untimed launch on the same inputs "
        "left as many: " +
        check.mistake);
}

/// Launches vary: if both are within the bounds, they differ at most by twice the bounds. A larger
/// difference may still be explained by rounding; the reference tells.
void TimedLaunches::compare_values(const Tensors& timed) {
  Instance& instance = launches_.instance;
  Tensors again;
  for (const at::Tensor& result : launches_.results())
    again.push_back(is_mutating() ? result.clone() : result);
  Check check = instance.check_between(timed, again);
  if (check.mistake.empty()) return;
  if (!is_mutating()) {
    if (!expect_reference()) return;
    check = instance.check(timed);
    instance.expect_nothing();
  }
  if (check.mistake.empty()) return;
  require_no_late_results(contents_);
  wrong("a timed launch computed something else than an untimed one on the same inputs: " +
        check.mistake);
}

bool TimedLaunches::is_of_other_contents(const Look& look) const {
  return std::ranges::any_of(looks_, [&](const Look& other) {
    return other.inputs != look.inputs && other.digest == look.digest;
  });
}

void TimedLaunches::require_no_late_results(std::uint64_t contents) {
  require_complete(device_, [&] {
    launch_on(contents);
    return launches_.results();
  });
}

bool TimedLaunches::has_few_results() {
  constexpr std::int64_t kFew = 64;
  std::int64_t elements = 0;
  for (const at::Tensor& result : launches_.results()) elements += result.numel();
  return elements <= kFew;
}

/// A few numbers may be equal on two inputs by chance: four of `bernoulli` have 16 values, and a
/// mean in bfloat16 has few as well. If launches vary, such a result has to come again on the same
/// inputs, and within the bounds of the others.
bool TimedLaunches::may_repeat_by_chance(const Look& look) {
  constexpr int kTries = 32;
  if (!has_few_results()) return false;
  if (launches_.instance.workload().draws_random_numbers()) return true;
  if (is_mutating()) return false;
  Tensors again;
  for (const at::Tensor& result : launches_.results()) again.push_back(result.clone());
  for (int i = 0; i < kTries; ++i)
    if (launch_again(look.contents) == look.digest)
      return launches_.instance.check_between(launches_.results(), again).mistake.empty();
  return false;
}

/// Returns if the suspicious result may be chance.
void TimedLaunches::fail(const Look& look, const Digest& again) {
  const bool is_poisoned = look.digest.poisoned > again.poisoned;
  if (!is_poisoned && may_repeat_by_chance(look)) return;
  require_no_late_results(look.contents);
  if (is_poisoned)
    wrong("a timed launch did not do its work: " + std::to_string(4 * look.digest.poisoned) +
          " bytes of its results were not written; an untimed launch on the same inputs "
          "left " +
          std::to_string(4 * again.poisoned));
  wrong("a timed launch did not do its work: it gave the results of a launch on other inputs");
}

/// Launches again for results that other contents gave too, or that contain poison.
void TimedLaunches::explain(Look& look) {
  if (!is_claimed()) return;
  const Digest again = launch_again(look.contents);
  if (look.digest != again && (look.digest.poisoned > again.poisoned || is_of_other_contents(look)))
    fail(look, again);
}

void TimedLaunches::judge_all(const Judge& judge) {
  collect_looks();
  staged_.clear();
  std::map<std::uint64_t, std::uint64_t> first;  // digest's bits -> inputs
  std::vector<Look*> suspects;
  for (Look& look : looks_) {
    const auto [known, is_new] = first.emplace(look.digest.bits, look.inputs);
    const bool is_suspect = look.digest.poisoned > 0 || (!is_new && known->second != look.inputs);
    if (is_suspect && !look.is_explained) suspects.push_back(&look);
  }
  for (std::size_t i = 0; i < std::min(kExplainedMax, suspects.size()); ++i) explain(*suspects[i]);
  judge_some(judge);
  if (launches_.instance.workload().repeated_inputs()) judge_near();
}

void TimedLaunches::judge_some(const Judge& judge) {
  if (repeated_.empty() && !is_mutating())
    return judge(launches_.instance, launches_.results(), "");
  if (repeated_.empty()) return judge_one(contents_of(ContentsOf::verification, 1), judge);
  std::vector<std::uint64_t> candidates = repeated_;
  candidates.resize(std::min(candidates.size(), kCandidates));
  std::ranges::sort(candidates, {},
                    [this](std::uint64_t contents) { return random_bits(draw_, contents); });
  const double begin_s = device_.now_s();
  for (std::size_t i = 0; i < std::min(candidates.size(), kReferencesMax); ++i) {
    judge_one(candidates[i], judge);
    if (device_.now_s() - begin_s > kReferences_s) break;
  }
}

void TimedLaunches::judge_others(int count, const Judge& judge) {
  for (int i = 0; i < count; ++i)
    judge_one(contents_of(ContentsOf::verification, 2 + std::uint64_t(i)), judge);
}

/// The reference is computed from inputs that are made again: a launch may have changed its own.
void TimedLaunches::judge_one(std::uint64_t contents, const Judge& judge) {
  const Digest digest = launch_again(contents);
  Tensors results;
  for (const at::Tensor& result : launches_.results()) results.push_back(result.clone());
  renew(contents);
  try {
    judge(launches_.instance, results, "");
  } catch (const VisitFailure& failure) {
    require_no_late_results(contents);
    if (digest.poisoned > 0 && at::isFloatingType(results.front().scalar_type()))
      wrong("a launch did not do its work: " + std::to_string(4 * digest.poisoned) +
            " bytes of its results were not written: " + failure.reason);
    if (!is_of_other_contents({contents, inputs_now(), digest})) throw;
    wrong("a launch gave the results of a launch on other inputs: " + failure.reason);
  }
  launches_.instance.expect_nothing();
}

}  // namespace plumbline
