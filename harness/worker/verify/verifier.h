/// Does a visit's subject compute what it has to? The steps, for plain cases and for cases with
/// streams alike: before anything is timed, and afterwards.
///
/// Before: a launch on poisoned memory, the reference, bounds, whether launches repeat, races.
/// After: whether the timed launches of a plain case did their work (timed_launches.h); of streams
/// the results of the last ones, then a launch on other inputs where timed ones had theirs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/messages.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/visit_subject.h"

namespace plumbline {

/// What of it a visit does. The code and the inputs are the same in every visit of a case.
struct VerificationExtent {
  bool launches_before = true;  // there are launches before the timed ones
  bool has_races = false;       // races between streams are looked for among these
  bool is_first_visit = false;  // of the case in its run: whether launches repeat, other inputs
  std::string timed_as{};       // how reasons call timed launches; "" = not at all
};

class Verifier {
 public:
  using Begin = std::function<void(std::string_view phase)>;

  /// What is handed over must outlive it. What is found becomes part of the answer.
  Verifier(VisitSubject& subject, Device& device, KeptResults& kept, VerificationExtent extent,
           Begin begin, MeasureAnswer& answer);

  /// Both throw VisitFailure where results are wrong, and what launches throw.
  void before_timing();
  void after_timing();

  /// Has results judged, as both do.
  Judge judge();

  /// What could not be told of the results; "" = nothing.
  const std::string& doubt() const { return doubt_; }
  /// Some results were right only with bounds that were widened (instance.h).
  bool has_widened() const { return has_widened_; }
  /// Whether a result was right only because the type's smallest numbers are coarse.
  bool needs_subnormals() const { return needs_subnormals_; }

 private:
  void begin(std::string_view phase);
  void begin_part(std::string_view phase);
  bool is_expected() const;
  bool is_mutating() const;
  void expect();
  void expect_of(Instance& instance);
  void expect_nothing();
  void require_results_written();
  void judge_first();
  void judge_first_results();
  void settle_margin();
  void judge_streams();
  void launch_poisoned();
  void place_and_launch();
  void check_bounds();
  void look_whether_it_repeats();
  void look_for_races();
  void verify_other_inputs();
  Check checked(Instance& instance, const Tensors& results);

  VisitSubject& subject_;
  Device& device_;
  KeptResults& kept_;
  VerificationExtent extent_;
  Begin begin_;
  MeasureAnswer& answer_;
  std::string phase_;
  std::string doubt_;
  bool has_widened_ = false, needs_subnormals_ = false;
  int judged_ = 0, marginal_ = 0;  // results, and those that are a little more off than allowed
  std::string marginal_mistake_;
};

}  // namespace plumbline
