#include "workflow/run/attach.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "core/attach_records.h"
#include "core/moment.h"
#include "core/suite_name.h"
#include "import/attached/records.h"
#include "store/file.h"
#include "store/run/locate.h"
#include "workflow/run/attached_device.h"
#include "workflow/run/foreground.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/run_plan.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The program's file: as named, or found in PATH; "" if it is in neither.
fs::path file_of(const std::string& word) {
  if (word.find('/') != std::string::npos) return fs::exists(word) ? fs::path(word) : fs::path();
  const char* const folders = std::getenv("PATH");
  for (std::string_view rest = folders ? folders : ""; !rest.empty();) {
    const fs::path file = fs::path(rest.substr(0, rest.find(':'))) / word;
    if (fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0) return file;
    const std::size_t colon = rest.find(':');
    rest.remove_prefix(colon == rest.npos ? rest.size() : colon + 1);
  }
  return {};
}

fs::path recorder_library() {
  fs::path library = fs::path(program_folder()) / "../lib/plumbline/plumbline_attach.so";
  if (!fs::exists(library))
    throw Error("the recorder is missing: found no " + library.lexically_normal().string() +
                "; it is part of the wheel plumbline-gpu, and of a build that has a CUDA toolkit");
  return fs::canonical(library);
}

/// Two libraries cannot be injected.
void require_no_other(const fs::path& recorder) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (const char* const other = std::getenv(variable);
        other != nullptr && *other != '\0' && other != recorder)
      throw Error(
          fmt::format("{}={} of your environment injects another tool; CUDA takes one. "
                      "Unset it for this command",
                      variable, other));
}

/// CUPTI of the environments of Python that the program and we belong to: torch's wheels bring it.
/// What the user names comes first.
std::string cupti_places(const std::string& program) {
  const char* const said = std::getenv(attach::kCuptiVariable);
  std::string places = said != nullptr ? said : "";
  for (const fs::path& bin : {file_of(program).parent_path(), fs::path(program_folder())}) {
    std::error_code none;
    for (const auto& python : fs::directory_iterator(bin / "../lib", none))
      for (const char* part :
           {"nvidia/cu13/lib/libcupti.so.13", "nvidia/cuda_cupti/lib/libcupti.so.12"}) {
        const fs::path file = python.path() / "site-packages" / part;
        if (python.path().filename().string().starts_with("python3") && fs::exists(file))
          places += (places.empty() ? "" : ":") + fs::absolute(file).lexically_normal().string();
      }
  }
  return places;
}

/// While it lives, programs that are started record into `folder`. Workers and git are started
/// without it.
class Injected {
 public:
  Injected(const std::string& folder, const std::string& program) {
    const std::string recorder = recorder_library().string();
    set("CUDA_INJECTION64_PATH", recorder);
    set("NVTX_INJECTION64_PATH", recorder);
    set(attach::kFolderVariable, folder);
    set(attach::kCuptiVariable, cupti_places(program));
  }
  ~Injected() {
    for (const auto& [name, before] : before_)
      before ? setenv(name, before->c_str(), /*overwrite=*/1) : unsetenv(name);
  }
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

 private:
  void set(const char* name, const std::string& value) {
    const char* const before = std::getenv(name);
    before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
    setenv(name, value.c_str(), /*overwrite=*/1);
  }

  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

/// The files of the program's command line, which are what is measured.
std::vector<FileRef> files_of(const std::vector<std::string>& program) {
  std::vector<FileRef> files;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const fs::path path = i == 0 ? file_of(program[0]) : fs::path(program[i]);
    std::error_code none;
    if (fs::is_regular_file(path, none) && access(path.c_str(), R_OK) == 0)
      files.push_back({path.string(), hash_of_file(path.string()).text()});
  }
  return files;
}

RunInfo info_of_program(const AttachRequest& request, const std::string& name,
                        const Environment& environment, const std::string& folder) {
  RunInfo info = info_of({}, {{"", environment}}, {}, folder, request.command);
  info.policy.rounds = request.visits;
  SuiteRef& suite = info.suites.emplace_back();
  suite.name = name;
  suite.sources = recorded_files(files_of(request.program), tree_of(folder).root);
  info.environment.device_uuids = environment.device_uuids;
  return info;
}

/// `wall_s` gets the time from its start to its end.
ProcessEnd run_recorded(const std::vector<std::string>& program, const std::string& folder,
                        double& wall_s) {
  const Injected injected(folder, program[0]);
  const auto start = std::chrono::steady_clock::now();
  const ProcessEnd end = run_in_foreground(program, /*has_input=*/false);
  wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

bool is_failure_of(const ProcessEnd& end) { return end.signal != 0 || end.exit_code != 0; }

}  // namespace

std::string name_of_program(const std::vector<std::string>& program) {
  fs::path named = program[0];
  const std::string interpreter = named.filename().string();
  const bool is_interpreter =
      interpreter.starts_with("python") || interpreter == "bash" || interpreter == "sh";
  if (is_interpreter)
    for (std::size_t i = 1; i < program.size(); ++i)
      if (std::error_code none; fs::is_regular_file(program[i], none)) {
        named = program[i];
        break;
      }
  const std::string stem = named.stem().string();
  return file_name_of(stem.empty() ? "program" : stem).substr(0, kLongestSuiteName);
}

AttachedRun::AttachedRun(const AttachRequest& request, std::string output, Talk& talk)
    : request_(request),
      output_(std::move(output)),
      name_(request.name.empty() ? name_of_program(request.program) : request.name),
      talk_(talk) {
  require_no_other(recorder_library());
  if (!output_.empty() && fs::exists(output_) && !fs::is_empty(output_))
    throw Error(output_ + " is there and not empty; name another folder for the run");
}

void AttachedRun::begin(const std::vector<AttachedProcess>& processes) {
  const std::string here = fs::current_path().string();
  const Project project = find_project(here, request_.places);
  const Environment environment = environment_of(processes, request_.worker, project.worker, talk_);
  RunInfo info = info_of_program(request_, name_, environment, here);
  info.started_at = now_utc();
  if (output_.empty())
    output_ = new_run_directory(project.places.runs, info.started_at, info.environment.commit,
                                device_slug(info.environment));
  writer_.emplace(output_, std::move(info));
}

ProcessEnd AttachedRun::measure(std::int64_t round, const std::string& worker) {
  const ScratchFolder folder;
  AttachedVisit visit;
  visit.round = round;
  visit.worker = worker;
  const ProcessEnd end = run_recorded(request_.program, folder.path(), visit.wall_s);
  visit.processes = read_attached_folder(folder.path());
  if (is_failure_of(end)) visit.failure = end.words();
  visit.is_interrupted = end.signal == SIGINT || end.signal == SIGTERM;
  if (!writer_) {
    if (kernels_in(visit.processes) == 0)
      throw NothingRecorded(why_nothing_ran(visit.processes), end);
    begin(visit.processes);
  } else {
    writer_->record_devices(devices_in(visit.processes));
  }
  const std::vector<std::string>& devices = writer_->info().environment.device_uuids;
  for (std::vector<ResultRow>& rows : cases_of(visit, name_, facts_)) {
    if (devices.size() == 1)
      for (ResultRow& row : rows) row.device = devices.front();
    writer_->append_visit(rows);
  }
  return end;
}

void AttachedRun::finish() { writer_->finish(now_utc()); }

AttachOutcome attach_program(const AttachRequest& request, Talk& talk) {
  AttachedRun run(request, request.output, talk);
  AttachOutcome outcome;
  for (std::int64_t visit = 0; visit < request.visits && !is_failure_of(outcome.end); ++visit) {
    talk.say(fmt::format("run {} of {}", visit + 1, request.visits));
    outcome.end = run.measure(visit, fmt::format("attach-{}", visit));
  }
  run.finish();
  outcome.directory = run.directory();
  outcome.run = run.run();
  outcome.notes = notes_of(run.facts());
  return outcome;
}

}  // namespace plumbline
