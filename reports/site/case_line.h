/// The content of lists for a case × metric, as data of their templates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/site/site.h"
#include "reports/template.h"

namespace plumbline {

/// Smaller changes have no colour where cases are coloured by their change.
inline constexpr double kLeastShown = 0.02;

/// Data of parts/case_link.html, from the site's folder.
PageData case_anchor(const CaseLine& line);

/// `slower` for worse, `faster` for better, `base` if it moved by less than counts.
std::string tone_of(const CaseLine& line, double change);

/// `tone` and `change` of a step.
PageData step_data(const CaseLine& line, double change);

/// True if the last run may show a change that cannot be placed yet.
bool is_apart(const CaseLine& line);

/// Lines with the latest change first, then those that never changed, in their order.
std::vector<const CaseLine*> by_last_change(const std::vector<CaseLine>& cases);

/// Limit of listed cases of one cause.
inline constexpr std::size_t kMostMembers = 50;

/// What the cases have in common: `softmax libtorch dtype=float16`.
std::string common_case_text(const std::vector<const CaseLine*>& cases);

/// Adds the data of site/which_cases.html: one case, or what several have in common and each of
/// them. `members`: data of the first ones, each with a `link`, `size`, `metric` and `values`.
void add_cases(const std::vector<const CaseLine*>& cases, PageData members, PageData& row);

}  // namespace plumbline
