#include "workflow/corpus/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/moment.h"
#include "core/run/run.h"
#include "core/words.h"
#include "store/bundle/archive.h"
#include "store/file.h"
#include "store/json/describe.h"
#include "store/run/run_copy.h"
#include "store/run/run_reader.h"
#include "workflow/corpus/planted.h"
#include "workflow/results/redacted_copy.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kNightFiles{"run.json", "results.csv"};
constexpr double kSampleStepsPerSecond = 1e12;
constexpr double kBlockStartsPerSecond = 1e3;

/// A run, without its samples.
struct RecordedNight {
  std::string path, results_hash;
  Moment start;
  RunInfo info;
  std::set<std::string> cases;  // those with samples
  std::size_t samples = 0;
};

void require_new_folder(const std::string& folder) {
  if (fs::exists(fs::symlink_status(folder)) && !(fs::is_directory(folder) && fs::is_empty(folder)))
    throw Error(folder + ": found something there, expected a new or empty folder");
}

RecordedNight read_night(const std::string& path, Talk& talk) {
  if (!fs::is_directory(path))
    throw Error(path + ": expected a run directory, with run.json and results.csv");
  Run run = read_run(path);
  talk.notes(run.warnings);
  if (run.info.finished_at.empty())
    throw Error(path + ": is not finished; go on with `plumbline run --resume -o " + path +
                "`, or leave it out");
  const auto start = moment_of(run.info.started_at);
  if (!start)
    throw Error(path + ": its start is not recorded, so its place among the nights is unknown; " +
                "leave it out");
  RecordedNight night{path, hash_of_file(path + "/results.csv").text(), *start, {}, {}, 0};
  for (const ResultRow& row : run.rows) {
    night.samples += row.samples.values().size();
    if (has_samples(row.status) && !row.samples.empty()) night.cases.insert(row.case_id);
  }
  if (night.samples == 0)
    throw Error(path + ": has no samples, so nothing can be judged in it; leave it out");
  night.info = std::move(run.info);
  return night;
}

std::string text_of_suites(const RunInfo& info) {
  std::string text;
  for (const SuiteRef& suite : info.suites)
    text += (text.empty() ? "" : ", ") + suite.name + " (" + suite.hash + ")";
  return text.empty() ? "none" : text;
}

/// What all nights must have in common.
struct SharedPart {
  std::string_view name;
  std::string (*text)(const RunInfo& info);
  std::string_view advice;
};

constexpr std::array kSharedParts{
    SharedPart{"measurement revision",
               [](const RunInfo& info) { return std::to_string(info.measurement_revision); },
               "their metrics mean different things; measure again with one version of Plumbline"},
    SharedPart{"suite", text_of_suites,
               "a corpus has one suite for all nights; make one of each, or leave the run out"},
    SharedPart{"policy", [](const RunInfo& info) { return JsonWriter::encode(info.policy).dump(); },
               "nights are measured with the same flags; leave the run out, or measure it again"},
};

void require_alike(const std::vector<RecordedNight>& nights) {
  const RecordedNight& first = nights.front();
  for (const RecordedNight& night : nights)
    for (const SharedPart& part : kSharedParts)
      if (const std::string is = part.text(night.info), was = part.text(first.info); is != was)
        throw Error(fmt::format("{}: its {} differs from that of {}: {} instead of {}; {}",
                                night.path, part.name, first.path, is, was, part.advice));
}

void require_single(const std::vector<RecordedNight>& nights) {
  std::map<std::string, const RecordedNight*> known;
  for (const RecordedNight& night : nights) {
    const auto [place, is_new] = known.try_emplace(night.results_hash, &night);
    if (!is_new)
      throw Error(night.path + ": has the same results as " + place->second->path +
                  ": a copy is no night of its own; leave it out");
  }
}

/// Whether the nights are of one code, which is what makes an alarm a false one.
void tell_of_code(const std::vector<RecordedNight>& nights, Talk& talk) {
  const Environment& first = nights.front().info.environment;
  for (const auto& [what, member] :
       {std::pair{"worker", &Environment::worker_hash}, std::pair{"torch", &Environment::libtorch},
        std::pair{"cuDNN", &Environment::cudnn}, std::pair{"driver", &Environment::driver}})
    for (const RecordedNight& night : nights)
      if (night.info.environment.*member != first.*member) {
        talk.note(fmt::format("{} has another {} than {}: what it changes counts as a false alarm",
                              night.path, what, nights.front().path));
        break;
      }
}

std::vector<RecordedNight> read_nights(const std::vector<std::string>& paths, Talk& talk) {
  if (paths.size() < 2)
    throw Error(
        fmt::format("found {}; a corpus needs at least two, and rules that learn from a history "
                    "need {} more of the same device class",
                    counted(paths.size(), "run"), kNightsBeforePlanted));
  std::vector<RecordedNight> nights;
  for (const std::string& path : paths) nights.push_back(read_night(path, talk));
  std::ranges::stable_sort(nights, {}, &RecordedNight::start);
  require_alike(nights);
  require_single(nights);
  tell_of_code(nights, talk);
  return nights;
}

double rounded(double value, double steps_per_unit) {
  return std::round(value * steps_per_unit) / steps_per_unit;
}

/// Seconds without the digits below what any timer reads: they are half of the archive.
void round_times(Run& run) {
  for (ResultRow& row : run.rows) {
    for (double& start : row.block_times_s) start = rounded(start, kBlockStartsPerSecond);
    if (row.unit != "s") continue;
    SampleSet samples;
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      std::vector<double> block(row.samples.block(i).begin(), row.samples.block(i).end());
      for (double& sample : block) sample = rounded(sample, kSampleStepsPerSecond);
      samples.add_block(block);
    }
    row.samples = std::move(samples);
  }
}

/// The files of the archive, redacted together: a card that two nights had has one name.
ArchiveFiles redacted_files(const std::vector<RecordedNight>& nights, Talk& talk) {
  const ScratchFolder scratch;
  RedactRequest request{{}, scratch.path() + "/copy"};
  for (const RecordedNight& night : nights) request.inputs.push_back(night.path);
  const RedactedCopy copy = redact(request, talk);
  ArchiveFiles files;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    const std::string name = fmt::format("night-{:02}", i + 1), made = scratch.path() + "/" + name;
    Run run = read_run(copy.outputs[i]);
    round_times(run);
    write_run_copy(run, made);
    for (const std::string_view file : kNightFiles)
      files[fmt::format("{}/{}", name, file)] = read_text(fmt::format("{}/{}", made, file));
  }
  return files;
}

}  // namespace

CorpusOutcome write_corpus(const CorpusRequest& request, Talk& talk) {
  require_new_folder(request.output);
  const std::vector<RecordedNight> nights = read_nights(request.runs, talk);
  std::vector<PlantableNight> plantable;
  CorpusOutcome outcome;
  std::set<std::string> cases;
  for (const RecordedNight& night : nights) {
    const std::string& device = night.info.environment.device_class;
    plantable.push_back({device, night.cases});
    ++outcome.nights[device];
    outcome.samples += night.samples;
    cases.insert(night.cases.begin(), night.cases.end());
  }
  const std::string planted =
      planted_csv(planted_slowdowns(plantable, request.planted, request.seed));
  const ArchiveFiles files = redacted_files(nights, talk);
  make_folders(request.output, "the corpus");
  const fs::path folder = request.output;
  const std::string archive = (folder / kCorpusNights).string();
  write_archive(archive, files);
  write_atomically((folder / kCorpusPlanted).string(), planted);
  outcome.cases = cases.size();
  outcome.planted = request.planted;
  outcome.bytes = fs::file_size(archive) + planted.size();
  return outcome;
}

std::vector<std::string> unpack_corpus(const std::string& folder, const std::string& output) {
  require_new_folder(output);
  const std::string archive = (fs::path(folder) / kCorpusNights).string();
  if (!fs::exists(archive))
    throw Error(folder + ": is no corpus: it has no " + kCorpusNights +
                "; `plumbline corpus RUN... -o DIR` makes one");
  std::set<std::string> nights;
  read_archive(archive, {}, [&](const std::string& name, const std::string& content) {
    const std::size_t slash = name.find('/');
    const bool is_known =
        slash != std::string::npos &&
        std::ranges::count(kNightFiles, std::string_view(name).substr(slash + 1)) > 0;
    if (!is_known)
      throw Error(archive + ": found the file '" + name + "', which a corpus does not have");
    unpack_file(output, name, content);
    nights.insert((fs::path(output) / name.substr(0, slash)).string());
  });
  return {nights.begin(), nights.end()};
}

}  // namespace plumbline
