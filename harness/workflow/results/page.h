/// Makes the page about a run or a comparison, from files.
///
/// Reads runs and git; reports/ renders the page.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"
#include "workflow/setup/git.h"
#include "workflow/talk.h"

namespace plumbline {

/// What git says about a run.
struct Origin {
  std::string project;  // name of the repository's folder; "" = in none
  CommitText commit;
};

/// Asks git once for all runs of one commit and suite that lie side by side: a large program takes
/// milliseconds to start a process. Threads may share it.
class Origins {
 public:
  Origin of(const Run& run);

 private:
  std::mutex mutex_;
  std::map<std::string, Origin> known_;
};

/// The content of a page.
struct PageMaterial {
  std::optional<Run> candidate, baseline;
  std::optional<Comparison> comparison;
};

/// Writes the page of runs in memory. `material` must have a candidate.
void write_page(const PageMaterial& material, const std::string& output, const std::string& title,
                const std::string& history, Talk& talk);
void write_page(const PageMaterial& material, const std::string& output, const std::string& title,
                const std::string& history, Origins& origins, Talk& talk);

/// `inputs`: one comparison.json, or one run in one or more parts. `title`: "" = by content.
/// `history`: a folder of earlier runs to show beside each case, "" for none. Throws Error.
void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history, Talk& talk);
void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history, Origins& origins, Talk& talk);

}  // namespace plumbline
