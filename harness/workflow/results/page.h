/// The page about a run or a comparison, from files to a file.
///
/// Reads runs and git; how a page looks is reports/'s.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"
#include "workflow/talk.h"

namespace plumbline {

/// What a page shows.
struct PageMaterial {
  std::optional<Run> candidate, baseline;
  std::optional<Comparison> comparison;
};

/// The page of what is in memory, which has a candidate.
void write_page(const PageMaterial& material, const std::string& output, const std::string& title,
                const std::string& history, Talk& talk);

/// `inputs`: one comparison.json, or one run in one or more parts; "" as title names it by what it
/// shows; `history` is a folder of runs whose earlier ones each case is shown beside, "" for none.
/// Throws Error.
void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history, Talk& talk);

}  // namespace plumbline
