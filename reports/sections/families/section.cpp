/// What other libraries did to each op: a row for each op and the library that computes it.
#include "reports/section.h"

#include "reports/family_text.h"

namespace plumbline {
namespace {

PageData family_data(const FamilyChange& family, double steps) {
  const bool is_slower = family.slower + family.broken > 0;
  return {{"op", family.op},
          {"backend", family.backend},
          {"cases", std::to_string(family.cases)},
          {"tone", is_slower           ? "slower"
                   : family.faster > 0 ? "faster"
                                       : ""},
          {"change", family_change_text(family)},
          {"range", family_range_text(family)},
          {"step", steps > 0 ? PageData{{"share", family_share_text(family, steps)},
                                        {"added", family_added_text(family)}}
                             : PageData(nullptr)},
          {"verdicts", family_verdicts_text(family)}};
}

PageData content(const ReportModel& model) {
  const Comparison* const comparison = model.input.comparison;
  if (!comparison || !compares_libraries(*comparison)) return nullptr;
  const std::vector<FamilyChange> changes = family_changes(*comparison);
  if (changes.empty()) return nullptr;
  const double steps = steps_s(changes);
  PageData families = PageData::array();
  for (const FamilyChange& family : changes) families.push_back(family_data(family, steps));
  return {{"families", std::move(families)}, {"has_steps", steps > 0}};
}

}  // namespace

Section families_section() { return {"families", 19, content, nullptr}; }

}  // namespace plumbline
