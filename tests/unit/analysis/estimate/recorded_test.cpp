// What was recorded beside the times: which cases differ in it, and whose numbers stand for them.
#include "analysis/estimate/recorded.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

CaseEvidence of_error(double before, double after) {
  static const RunInfo kInfo;
  CaseEvidence evidence;
  evidence.baseline_info = evidence.candidate_info = &kInfo;
  const auto place = static_cast<std::size_t>(Aspect::result_error);
  evidence.baseline[place] = RecordedValue{"", before};
  evidence.candidate[place] = RecordedValue{"", after};
  return evidence;
}

RecordedFact error_fact(const std::vector<CaseEvidence>& cases) {
  std::vector<const CaseEvidence*> pointers;
  for (const CaseEvidence& evidence : cases) pointers.push_back(&evidence);
  for (RecordedFact& fact : recorded_facts(pointers))
    if (fact.name == "result_error") return std::move(fact);
  return {};
}

TEST(RecordedFacts, NumbersAreThoseOfACaseAndNotAMeanOfDtypes) {
  const RecordedFact fact = error_fact({of_error(2.3e-7, 2.4e-7), of_error(1.86e-3, 1.82e-3)});
  EXPECT_EQ(fact.same, 2u) << "inputs are drawn anew: the error of the same code varies";
  EXPECT_EQ(fact.before_value, 2.3e-7);
  EXPECT_EQ(fact.after_value, 2.4e-7);
}

TEST(RecordedFacts, NumbersAreThoseOfAChangedCaseIfThereIsOne) {
  const RecordedFact fact =
      error_fact({of_error(1.86e-3, 1.86e-3), of_error(2.3e-7, 1e-4), of_error(0, 0)});
  EXPECT_EQ(fact.changed, 1u);
  EXPECT_EQ(fact.same, 2u);
  EXPECT_EQ(fact.before_value, 2.3e-7);
  EXPECT_EQ(fact.after_value, 1e-4);
}

}  // namespace
}  // namespace plumbline
