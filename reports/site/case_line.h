/// What lists say of a case × metric, as data of their templates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/site/site.h"
#include "reports/template.h"

namespace plumbline {

/// Changes below it are none where cases are coloured by how far they moved.
inline constexpr double kLeastShown = 0.02;

/// Data of parts/case_link.html, from the site's folder.
PageData case_anchor(const CaseLine& line);

/// `slower` for the worse, `faster` for the better, `base` where it moved by less than counts.
std::string tone_of(const CaseLine& line, double change);

/// `tone` and `change` of a step.
PageData step_data(const CaseLine& line, double change);

/// Whether something about the last run changed that no placed change tells.
bool is_apart(const CaseLine& line);

/// What changed last comes first, then what never did, as they come.
std::vector<const CaseLine*> by_last_change(const std::vector<CaseLine>& cases);

/// Most cases of one cause that are listed.
inline constexpr std::size_t kMostMembers = 50;

/// What cases have in common: `softmax libtorch dtype=float16`.
std::string common_case_text(const std::vector<const CaseLine*>& cases);

/// Adds what site/which_cases.html shows: one case, or what several have in common and each.
/// `members`: of the first of them, each with a `link`, `size`, `metric` and `values`.
void add_cases(const std::vector<const CaseLine*>& cases, PageData members, PageData& row);

}  // namespace plumbline
