#include "store/run/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <tuple>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/suite_name.h"
#include "store/csv/columns.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"
#include "store/run/locate.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr int kMedianDigits = 7;     // the rounding is far below any difference that is judged
constexpr int kConditionDigits = 4;  // clocks, times, costs: shown, never judged

double rounded(double number, int digits) {
  if (!std::isfinite(number)) return number;
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, number, std::chars_format::scientific, digits - 1);
  parse_number(std::string_view(text, end.ptr), number);
  return number;
}

double median(std::span<const double> block, std::vector<double>& scratch) {
  scratch.assign(block.begin(), block.end());
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
  std::ranges::nth_element(scratch, middle);
  if (scratch.size() % 2 == 1) return *middle;
  return (*std::max_element(scratch.begin(), middle) + *middle) / 2;
}

ResultRow reduced(const ResultRow& row) {
  ResultRow small = row;
  std::vector<double> scratch;
  small.samples = {};
  for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
    const double value = rounded(median(row.samples.block(i), scratch), kMedianDigits);
    small.samples.add_block(std::span(&value, 1));
  }
  for (std::vector<double>* list : {&small.block_times_s, &small.block_clocks_hz})
    for (double& number : *list) number = rounded(number, kConditionDigits);
  for (double* number : {&small.floor_s, &small.age_s, &small.temperature_c, &small.power_w,
                         &small.error_rel_l2, &small.error_max_abs, &small.error_max_ulp})
    *number = rounded(*number, kConditionDigits);
  return small;
}

/// Conditions of the earlier baseline that are not the run's, of kinds that explain differences.
std::vector<std::string> differing_conditions(const Environment& before, const Environment& now) {
  std::vector<std::string> notes;
  for (const EnvironmentField& field : environment_fields()) {
    const std::string was = field.text(before), is = field.text(now);
    if (field.kind == EnvironmentKind::note || was == is) continue;
    notes.push_back(std::string(field.label) + ": kept cases were measured with '" + was +
                    "', the others with '" + is + "'");
  }
  return notes;
}

struct Draft {
  AcceptedSuite report;
  RunInfo info;
  std::vector<ResultRow> rows;
};

std::string json_path(const std::string& csv) {
  return fs::path(csv).replace_extension(".json").string();
}

enum class Holding { nothing, this_class, others };

/// Whose baselines lie in `folder`.
Holding holding_of(const fs::path& folder, const std::string& device_class) {
  Holding found = Holding::nothing;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string json = json_path(entry.path().string());
    if (entry.path().extension() != ".csv" || !fs::exists(json)) continue;
    if (read_run_json(json).info.environment.device_class == device_class)
      return Holding::this_class;
    found = Holding::others;
  }
  return found;
}

std::string csv_path(const std::string& baselines, const Environment& environment,
                     const std::string& suite) {
  return (fs::path(baselines) / baseline_folder(baselines, environment) /
          (file_name_of(suite) + ".csv"))
      .string();
}

/// Adds the run's cases of the suite; returns the ids of those that were measured.
std::set<std::string, std::less<>> add_measured(const std::vector<CaseRows>& cases, Draft& draft) {
  std::set<std::string, std::less<>> measured;
  for (const CaseRows& found : cases) {
    if (found.suite != draft.report.suite) continue;
    const std::string words = std::string(found.case_id) + ": " +
                              std::string(name_of(found.status)) +
                              (found.reason.empty() ? "" : " ") + found.reason;
    if (!found.measured() && found.status == Status::interrupted) {
      draft.report.left_out.push_back(words);
      continue;
    }
    measured.emplace(found.case_id);
    if (has_samples(found.status))
      ++draft.report.cases;
    else if (found.status == Status::excluded || found.status == Status::unsupported)
      ++draft.report.not_run;
    else
      draft.report.not_ok.push_back(words);
    for (const ResultRow* row : found.rows)
      if (row->status != Status::interrupted) draft.rows.push_back(reduced(*row));
  }
  return measured;
}

/// "accepted by Ada on 2026-11-20: the new driver".
std::string acceptance_text(const RunInfo& info) {
  const Acceptance known = info.acceptance.value_or(Acceptance{});
  std::string text = "accepted";
  if (!known.by.empty()) text += " by " + known.by;
  if (!known.at.empty()) text += " on " + known.at.substr(0, known.at.find('T'));
  return known.why.empty() ? text : text + ": " + known.why;
}

void merge_earlier(const Run& run, Unmeasured unmeasured,
                   const std::set<std::string, std::less<>>& measured, Draft& draft) {
  AcceptedSuite& report = draft.report;
  if (!fs::exists(report.path) && !fs::exists(json_path(report.path))) return;
  const Run earlier = read_run(report.path);
  if (earlier.info.environment.device_class != run.info.environment.device_class)
    throw Error(report.path + ": found a baseline of device class '" +
                earlier.info.environment.device_class + "', expected '" +
                run.info.environment.device_class +
                "' as of others in its folder; move what is of that class to the folder " +
                device_folders(earlier.info.environment).back() + " beside it");
  report.replaced = acceptance_text(earlier.info);
  for (const ResultRow& row : earlier.rows) {
    if (measured.contains(row.case_id)) continue;
    const bool keep = unmeasured == Unmeasured::keep;
    std::vector<std::string>& ids = keep ? report.kept : report.dropped;
    if (ids.empty() || ids.back() != row.case_id) ids.push_back(row.case_id);
    if (keep) draft.rows.push_back(row);
  }
  if (report.kept.empty()) return;
  if (earlier.info.measurement_revision != run.info.measurement_revision)
    throw Error(report.path +
                ": found cases that the run did not measure, of measurement revision " +
                std::to_string(earlier.info.measurement_revision) + ", expected " +
                std::to_string(run.info.measurement_revision) +
                " as in the run; accept a run of the whole suite");
  report.notes = differing_conditions(earlier.info.environment, run.info.environment);
}

/// Every traced row of a case tells its kernels; once is enough. Rows are sorted by case.
void keep_first_kernels(std::vector<ResultRow>& rows) {
  std::string_view known;  // the case whose kernels were kept
  for (ResultRow& row : rows) {
    if (row.kernels.empty()) continue;
    if (row.case_id == known)
      row.kernels.clear();
    else
      known = row.case_id;
  }
}

Draft draft_of(const Run& run, const std::vector<CaseRows>& cases, const std::string& suite,
               const std::string& baselines, const Acceptance& acceptance, Unmeasured unmeasured) {
  Draft draft;
  draft.report.suite = suite;
  draft.report.path = csv_path(baselines, run.info.environment, suite);
  draft.info = run.info;
  draft.info.acceptance = acceptance;
  std::erase_if(draft.info.suites, [&](const SuiteRef& ref) { return ref.name != suite; });
  for (SuiteRef& ref : draft.info.suites) ref.cases.clear();
  std::erase_if(draft.info.expected,
                [&](const ExpectedFailure& expected) { return expected.suite != suite; });
  merge_earlier(run, unmeasured, add_measured(cases, draft), draft);
  const std::string folder = fs::path(draft.report.path).parent_path().filename().string();
  if (const std::string usual = device_slug(run.info.environment); folder != usual)
    draft.report.notes.push_back(usual + " holds baselines of another device class; those of '" +
                                 run.info.environment.device_class + "' are in " + folder);
  std::ranges::stable_sort(draft.rows, {}, [](const ResultRow& row) {
    return std::tie(row.case_id, row.metric, row.round);
  });
  keep_first_kernels(draft.rows);
  return draft;
}

void write(const Draft& draft) {
  const std::string& path = draft.report.path;
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  if (problem) throw Error(path + ": cannot create its folder: " + problem.message());
  std::string text = header_line();
  for (const ResultRow& row : draft.rows) append_row(row, text);
  write_atomically(path, text);
  write_atomically(json_path(path), run_json_text({draft.info, std::nullopt}));
}

void refuse_unfit(const Run& run, const std::vector<CaseRows>& cases) {
  if (run.info.acceptance)
    throw Error(run.path + ": found a baseline, expected a run; it was accepted already");
  if (run.info.finished_at.empty())
    throw Error(run.path +
                ": found an unfinished run, expected a finished one; finish it with "
                "`plumbline run --resume` first");
  if (!run.warnings.empty())
    throw Error(run.warnings.front() + "; a changed run cannot become a baseline: measure again");
  for (const CaseRows& found : cases)
    if (const std::size_t bytes = file_name_of(found.suite).size(); bytes > kLongestSuiteName)
      throw Error(
          fmt::format("{}/results.csv: found a suite whose name takes {} bytes as a file's, "
                      "{}, expected at most {}: its baseline is a file of that name; give "
                      "it a shorter one",
                      run.path, bytes, shown(found.suite), kLongestSuiteName));
  if (std::ranges::none_of(cases, &CaseRows::measured))
    throw Error(run.path +
                ": found no case with samples, expected at least one; a run without "
                "results cannot be a baseline");
}

}  // namespace

std::vector<AcceptedSuite> accept(const Run& run, const std::string& baselines_directory,
                                  const Acceptance& acceptance, Unmeasured unmeasured) {
  const std::vector<CaseRows> cases = rows_by_case(run);
  refuse_unfit(run, cases);
  Acceptance sealed = acceptance;
  sealed.source_hash = hash_of_file(run.path + "/results.csv").text();
  std::set<std::string> suites;
  for (const CaseRows& found : cases) suites.emplace(found.suite);
  std::vector<Draft> drafts;
  for (const std::string& suite : suites)
    drafts.push_back(draft_of(run, cases, suite, baselines_directory, sealed, unmeasured));
  std::vector<AcceptedSuite> accepted;
  for (Draft& draft : drafts) {
    write(draft);
    accepted.push_back(std::move(draft.report));
  }
  return accepted;
}

std::string baseline_folder(const std::string& baselines_directory,
                            const Environment& environment) {
  std::optional<std::string> free;
  std::string unreadable;  // matters where no folder is known to be of this class
  const std::vector<std::string> names = device_folders(environment);
  for (const std::string& name : names) try {
      const Holding found =
          holding_of(fs::path(baselines_directory) / name, environment.device_class);
      if (found == Holding::this_class) return name;
      if (found == Holding::nothing && !free) free = name;
    } catch (const Error& error) {
      if (unreadable.empty()) unreadable = error.what();
    }
  if (!unreadable.empty())
    throw Error(unreadable +
                "; of which device class that folder's baselines are cannot be told: "
                "restore the file, or move it away");
  return free.value_or(names.back());
}

std::optional<std::string> find_baseline(const std::string& baselines_directory,
                                         const Environment& environment, const std::string& suite) {
  std::string path = csv_path(baselines_directory, environment, suite);
  std::error_code none;  // a name that is too long for a file
  if (fs::exists(path, none) || fs::exists(json_path(path), none)) return path;
  return std::nullopt;
}

}  // namespace plumbline
