/// Checks that a visit's subject computes the right results, for plain cases and for cases with
/// streams: before and after timing.
///
/// Before: a launch on poisoned memory, the reference, bounds, whether launches repeat, races.
/// After, for plain cases: whether the timed launches did their work (timed_launches.h). For
/// streams: the results of the last launches. Then a launch on other inputs at the places of the
/// timed ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/messages.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/visit_subject.h"

namespace plumbline {

/// Which steps a visit does. Code and inputs are the same in every visit of a case.
struct VerificationExtent {
  bool launches_before = true;  // there are launches before the timed ones
  bool has_races = false;       // looks for races between streams in these
  bool is_first_visit = false;  // of the case in its run: also checks repeatability and other
                                // inputs
  std::string timed_as{};       // what reasons call timed launches; "": none are timed
};

class Verifier {
 public:
  using Begin = std::function<void(std::string_view phase)>;

  /// All references must outlive it. Findings go into the answer.
  Verifier(VisitSubject& subject, Device& device, KeptResults& kept, VerificationExtent extent,
           Begin begin, MeasureAnswer& answer);

  /// Both throw VisitFailure for wrong results, and what launches throw.
  void before_timing();
  void after_timing();

  /// Judges results, as both of these do.
  Judge judge();

  /// What could not be checked; "": nothing.
  const std::string& doubt() const { return doubt_; }
  /// Some results were right only with widened bounds (instance.h).
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
  void look_at_parts_of_the_batch();
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
  int judged_ = 0, marginal_ = 0;  // results, and those slightly beyond the allowance
  std::string marginal_mistake_;
};

}  // namespace plumbline
