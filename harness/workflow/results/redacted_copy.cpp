#include "workflow/results/redacted_copy.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/words.h"
#include "store/file.h"
#include "store/run/run_copy.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/results/named_results.h"
#include "workflow/results/page.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct RunToCopy {
  fs::path source, target;
  Run run;
};

struct ComparisonToCopy {
  fs::path target;
  Json json;
  fs::path baseline, candidate;  // targets; "" = not copied
};

/// What is copied, and where to.
class CopyPlan {
 public:
  explicit CopyPlan(Talk& talk) : talk_(talk) {}

  /// Gives what stands for the input in the copy.
  std::string add(const std::string& input, const fs::path& target) {
    if (fs::is_directory(input)) return add_folder(input, target);
    if (const auto comparison = find_comparison(input)) {
      add_comparison(input, *comparison, target);
      return (target / kComparison).string();
    }
    throw Error(input +
                ": found a baseline or another file, expected a run directory, a folder of "
                "`ab` or a comparison; redact the run that was accepted");
  }

  std::vector<RunToCopy> runs;
  std::vector<ComparisonToCopy> comparisons;

 private:
  static constexpr const char* kComparison = "comparison.json";

  fs::path add_run(const fs::path& source, const fs::path& target) {
    std::error_code none;
    const fs::path whole = fs::weakly_canonical(source, none);
    const auto known = std::ranges::find(runs, whole, &RunToCopy::source);
    if (known != runs.end()) return known->target;
    runs.push_back({whole, target, read_run(source.string())});
    for (const std::string& warning : runs.back().run.warnings) talk_.note(warning);
    return target;
  }

  std::string add_folder(const fs::path& folder, const fs::path& target) {
    const bool is_run = fs::exists(folder / "run.json");
    if (is_run) add_run(folder, target);
    for (const std::string& name : parts_of(folder))
      add_folder(folder / name, target / new_name(plain_name(name), target));
    const fs::path comparison = folder / kComparison;
    const bool has_comparison = fs::is_regular_file(comparison);
    if (has_comparison) add_comparison(comparison, read_comparison(comparison.string()), target);
    return is_run || !has_comparison ? target.string() : (target / kComparison).string();
  }

  /// What `ab` and `check` make in a folder, in the order of names: names that are kept as they are
  /// come before those that are numbered.
  static std::vector<std::string> parts_of(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_known = name == "a" || name == "b" || name == "controls" ||
                            name.starts_with("pairs") || name.starts_with("rerun");
      if (is_known && entry.is_directory() && !entry.is_symlink()) names.push_back(name);
    }
    std::ranges::sort(names, {}, [](const std::string& name) {
      return std::pair(plain_name(name) != name, name);
    });
    return names;
  }

  /// The name, or name-2, name-3, … where the copy has it already.
  std::string new_name(const std::string& name, const fs::path& target) {
    std::string made = name;
    for (int number = 2; !taken_.insert(target / made).second; ++number)
      made = name + "-" + std::to_string(number);
    return made;
  }

  /// A name may go on with anything.
  static std::string plain_name(const std::string& name) {
    const std::size_t end = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    const bool is_numbered = end != std::string::npos && name[end] == '-' &&
                             name.find_first_not_of("0123456789", end + 1) == std::string::npos;
    return is_numbered ? name : name.substr(0, end);
  }

  fs::path add_side(const std::string& path, const fs::path& target) {
    std::error_code none;  // a path that is too long names nothing
    if (!path.empty() && fs::is_regular_file(fs::path(path) / "run.json", none))
      return add_run(path, target);
    talk_.note(target.filename().string() +
               (path.empty() || !fs::exists(path, none) ? " of the comparison is gone"
                                                        : " of the comparison is a baseline") +
               ": the copy holds its verdicts and not its samples");
    return "";
  }

  void add_comparison(const fs::path& source, const Comparison& comparison,
                      const fs::path& target) {
    ComparisonToCopy made{target / kComparison, Json::parse(read_text(source.string())),
                          add_side(comparison.baseline_path, target / "baseline"),
                          add_side(comparison.candidate_path, target / "candidate")};
    comparisons.push_back(std::move(made));
  }

  Talk& talk_;
  std::set<fs::path> taken_;
};

/// Ends placeholders: two copies of one content have the same, others have not.
std::string tag_of(const CopyPlan& plan) {
  constexpr std::size_t kLength = 6;
  ContentHash hash;
  for (const RunToCopy& one : plan.runs)
    hash.add(hash_of_file((one.source / "results.csv").string()).text());
  for (const ComparisonToCopy& one : plan.comparisons) hash.add(one.json.dump());
  return hash.text().substr(0, kLength);
}

/// A path that leads nowhere by itself: readers find the run beside the comparison, by its name.
std::string moved_path(const fs::path& target, const std::string& tag) {
  return target.empty() ? "" : "redacted-" + tag + "/" + target.filename().string();
}

void write_comparison(const ComparisonToCopy& comparison, Redactor& redactor,
                      const std::vector<std::string>& redacted) {
  Json json = redactor.redacted_comparison(comparison.json);
  json["baseline_path"] = moved_path(comparison.baseline, redactor.tag());
  json["candidate_path"] = moved_path(comparison.candidate, redactor.tag());
  json["redacted"] = redacted;
  for (const char* side : {"baseline", "candidate"}) json[side]["redacted"] = redacted;
  if (const std::size_t notes = comparison.json.value("notes", Json::array()).size(); notes > 0)
    json["notes"] = {counted(notes, "note") + " left out of this redacted copy."};
  write_atomically(comparison.target.string(), json_text(json));
}

void require_empty(const std::string& folder) {
  if (fs::exists(fs::symlink_status(folder)) && !(fs::is_directory(folder) && fs::is_empty(folder)))
    throw Error(folder + ": found something there, expected a new or empty folder");
}

}  // namespace

RedactedCopy redact(const RedactRequest& request, Talk& talk) {
  require_empty(request.output);
  RedactedCopy copy;
  CopyPlan plan(talk);
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const std::string& input = request.inputs[i];
    if (!fs::is_directory(input)) require_results(input);
    const fs::path target = request.inputs.size() == 1
                                ? fs::path(request.output)
                                : fs::path(request.output) / std::to_string(i + 1);
    copy.outputs.push_back(plan.add(input, target));
  }
  if (plan.runs.empty() && plan.comparisons.empty())
    throw Error(request.inputs.front() + ": found neither a run nor a comparison in it");
  Redactor redactor(tag_of(plan));
  // All is learned before anything is written: what one file names is hidden in all of them.
  for (const RunToCopy& one : plan.runs) redactor.learn(one.run);
  for (const ComparisonToCopy& one : plan.comparisons) redactor.learn_comparison(one.json);
  const std::vector<std::string> redacted = redactor.summary().lines();
  for (const RunToCopy& one : plan.runs) {
    Run run = redactor.redacted(one.run);
    run.info.redacted = redacted;
    write_run_copy(run, one.target.string());
  }
  for (const ComparisonToCopy& one : plan.comparisons) {
    fs::create_directories(one.target.parent_path());
    write_comparison(one, redactor, redacted);
  }
  copy.summary = redactor.summary();
  return copy;
}

void write_redacted_page(const std::vector<std::string>& inputs, const std::string& output,
                         const std::string& title, Talk& talk) {
  const ScratchFolder scratch;
  const RedactedCopy copy = redact({inputs, scratch.path() + "/copy"}, talk);
  write_page(copy.outputs, output, title, "", talk);
}

}  // namespace plumbline
