#include "workflow/setup/worker_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/cache_key.h"
#include "core/error.h"
#include "core/words.h"
#include "schedule/plan.h"
#include "store/file.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/known_contexts.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_suite.h"
#include "workflow/setup/sandbox_view.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kAnswerTimeout_s = 300;   // loads LibTorch from a cold disk
constexpr double kCompileTimeout_s = 120;  // of one kernel
constexpr const char* kWorkerName = "plumbline-worker";
constexpr const char* kWorkerLibraries[] = {  // relative to the worker: wheel, build, installation
    "libplumbline-worker.so", "../lib/libplumbline-worker.so",
    "../lib/plumbline/libplumbline-worker.so"};
constexpr const char* kPythonVariable = "PLUMBLINE_PYTHON";

bool is_in_python(const Case& c) { return c.declaration && c.declaration->python; }

std::string environment_variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

[[noreturn]] void fail(const std::vector<std::string>& argv, const ProgramOutput& output,
                       const std::string& what) {
  const std::string tail =
      output.err.substr(output.err.size() - std::min<std::size_t>(output.err.size(), 1000));
  throw Error(shell_command(argv) + " " + what + (tail.empty() ? "" : "; it printed: " + tail));
}

/// Runs the worker to its end. Throws Error if it fails.
ProgramOutput ran(const std::vector<std::string>& argv, double timeout_s,
                  const EnvironmentVariables& variables, const std::optional<Sandbox>& sandbox) {
  const ProgramOutput output = sandbox ? run_sandboxed(*sandbox, argv, timeout_s, variables)
                                       : run_program(argv, timeout_s, variables);
  if (output.timed_out) fail(argv, output, fmt::format("did not answer within {} s", timeout_s));
  if (output.end.signal != 0 || output.end.exit_code != 0) fail(argv, output, output.end.words());
  return output;
}

/// Standard output of the worker as JSON.
Json asked(const WorkerProgram& program, const std::vector<std::string>& arguments,
           const std::optional<Sandbox>& sandbox) {
  std::vector<std::string> argv{program.path()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const ProgramOutput output = ran(argv, kAnswerTimeout_s, program.variables(), sandbox);
  try {
    return Json::parse(output.out);
  } catch (const Json::exception&) {
    constexpr std::size_t kQuoted = 100;
    fail(argv, output,
         "answered '" + output.out.substr(0, std::min(kQuoted, output.out.find('\n'))) +
             "', which is not JSON: is it a plumbline-worker?");
  }
}

/// Makes workers keep compiled code in this program's cache.
void share_cache() { setenv("PLUMBLINE_CACHE", cache_folder().c_str(), /*overwrite=*/1); }

/// Tells workers with a Python where plumbline_gpu is. Most suites do not need it.
void share_package() {
  try {
    setenv("PLUMBLINE_PACKAGE", package_folder().c_str(), /*overwrite=*/1);
  } catch (const Error&) {
    unsetenv("PLUMBLINE_PACKAGE");
  }
}

/// Without binding, a worker's OpenMP threads may stay on one core: a small attention then takes
/// 350 instead of 255 us in one process of three. LibTorch reads the variable when it loads.
void bind_threads(const WorkerDevice& device) {
  if (device.name == "cpu") setenv("OMP_PROC_BIND", "true", /*overwrite=*/0);
}

std::string names_of(const std::vector<WorkerDevice>& devices) {
  std::string text;
  for (const WorkerDevice& device : devices)
    text += fmt::format("{}{} ({}, {})", text.empty() ? "" : ", ", device.name,
                        device.environment.device_class, device.environment.device_uuid());
  return text;
}

/// Indexes of the devices that one word of --device means.
std::vector<std::size_t> meant_by(const std::vector<WorkerDevice>& devices,
                                  const std::string& word) {
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const WorkerDevice& device = devices[i];
    const bool is_gpu = device.name.starts_with("cuda");
    if (word == "cuda:all" && is_gpu) meant.push_back(i);
    const bool is_meant = word == "auto" || word == device.name ||
                          word == device.environment.device_uuid() || (word == "cuda" && is_gpu);
    if (is_meant) return {i};
  }
  return meant;
}

/// The worker in a folder that was named instead of a file: of a build, or of a tree that has one.
std::string worker_in(const fs::path& folder) {
  for (const char* place : {"", "bin", "build/bin"})
    if (const fs::path path = folder / place / kWorkerName; fs::is_regular_file(path))
      return path.lexically_normal().string();
  return "";
}

/// `source`: what named it.
void check_is_program(const std::string& path, const char* source) {
  const char* wrong = nullptr;
  if (!fs::exists(path))
    wrong = "does not exist";
  else if (fs::is_directory(path))
    wrong = "is a folder";
  else if (!fs::is_regular_file(path))
    wrong = "is no file";
  else if (access(path.c_str(), X_OK) != 0)
    wrong = "may not be executed";
  if (!wrong) return;
  const std::string near = worker_in(path);
  throw Error(fmt::format("worker '{}' (from {}) {}; {}", path, source, wrong,
                          near.empty() ? "name the program, build/bin/plumbline-worker of a tree "
                                         "with a build (scripts/build makes it)"
                                       : "did you mean '" + near + "'?"));
}

/// The bytes of a worker and of its library, which has most of its code.
std::string bytes_of(const std::string& path) {
  std::string bytes = read_text(path);
  const fs::path folder = fs::weakly_canonical(path).parent_path();
  for (const char* place : kWorkerLibraries)
    if (fs::is_regular_file(folder / place)) bytes += read_text((folder / place).string());
  return bytes;
}

/// Identifies the worker: another file or other variables may have other devices.
std::string key_of(const WorkerProgram& worker) {
  std::error_code ignored;
  const auto written = fs::last_write_time(worker.path(), ignored).time_since_epoch().count();
  std::string key =
      fmt::format("{}\n{}\n{}", worker.path(), written, fs::file_size(worker.path(), ignored));
  for (const auto& [name, value] : worker.variables()) key += "\n" + name + '=' + value;
  return key;
}

std::vector<WorkerDevice> devices_of(const WorkerProgram& worker,
                                     const std::optional<Sandbox>& sandbox) {
  std::vector<WorkerDevice> devices;
  const std::string list = asked(worker, {"--devices"}, sandbox).dump();
  try {
    for (DeviceEntry& entry : parse_devices(list)) {
      WorkerDevice& device = devices.emplace_back();
      device.name = std::move(entry.device);
      device.environment = std::move(entry.environment);
      device.awaits_turn = entry.awaits_turn;
      device.fastest_chain = fastest_chain_of(device.environment);
    }
  } catch (const Error& error) {
    throw Error("'" + worker.path() + " --devices': " + error.what());
  }
  if (devices.empty()) throw Error("worker '" + worker.path() + "' offers no device");
  return devices;
}

}  // namespace

std::string WorkerProgram::hash() const { return cache_key(bytes_of(path_)); }

std::vector<WorkerDevice> WorkerProgram::devices() const {
  // A worker takes seconds to load, and one command may ask for devices several times.
  // In a sandbox it sees another machine: a CPU has another UUID there.
  static std::map<std::string, std::vector<WorkerDevice>> known;
  const std::string key = key_of(*this) + (sandbox_ ? "\nin a sandbox" : "");
  const auto place = known.find(key);
  return place != known.end() ? place->second : known[key] = devices_of(*this, sandbox_);
}

OperatorSchemas WorkerProgram::schemas(std::vector<std::string>& notes) const {
  // The operators depend on the files of the worker and its extensions.
  std::string key = fs::weakly_canonical(path_).string() + hash();
  for (const std::string& extension : extensions_)
    key += "\n" + fs::weakly_canonical(extension).string() + cache_key(read_text(extension));
  for (const auto& [name, value] : variables_) key += "\n" + name + '=' + value;
  const std::string cached = cache_folder() + "/schemas-" + cache_key(key);
  Json list;
  if (fs::exists(cached)) list = Json::parse(read_text(cached), nullptr, false);
  if (!list.is_array()) {
    std::vector<std::string> arguments{"--schemas"};
    arguments.insert(arguments.end(), extensions_.begin(), extensions_.end());
    list = asked(*this, arguments, sandbox_);
    try {
      fs::create_directories(cache_folder());
      write_atomically(cached, list.dump());
    } catch (const std::exception& error) {
      notes.push_back(std::string("the list of operators is not kept: ") + error.what());
    }
  }
  OperatorSchemas schemas;
  for (const Json& schema : list)
    if (schema.is_string()) add_schema(schema.get<std::string>(), schemas);
  return schemas;
}

std::string WorkerProgram::calibration(const WorkerDevice& device) const {
  bind_threads(device);
  std::vector<std::string> arguments{"--calibrate", "--device", device.name};
  for (const std::string& extension : extensions_)
    arguments.insert(arguments.end(), {"--extension", extension});
  return asked(*this, arguments, sandbox_).dump();
}

void WorkerProgram::compile(const std::string& architecture, const std::string& requests,
                            const std::string& answers, std::size_t count) const {
  share_cache();
  ran({path_, "--compile", architecture, "--requests", requests, "--answers", answers},
      kAnswerTimeout_s + kCompileTimeout_s * double(count), variables_, sandbox_);
}

HostPython WorkerProgram::python() const {
  const auto named = variables_.find(kPythonVariable);
  return find_python(
      named != variables_.end() ? named->second : environment_variable(kPythonVariable),
      program_folder());
}

std::optional<Sandbox> WorkerProgram::python_sandbox(const HostPython& python) const {
  if (!sandbox_) return std::nullopt;
  return with_program(*sandbox_, python.program);
}

void WorkerProgram::show(const std::vector<std::string>& suites) {
  if (sandbox_) show_trees_of(suites, *sandbox_);
}

std::shared_ptr<const FileLimits> WorkerProgram::file_limits() const {
  return sandbox_ ? limits_of(*sandbox_) : nullptr;
}

WorkerCommand WorkerProgram::command(const WorkerDevice& device, const std::string& log_path,
                                     std::span<const Case> cases) const {
  std::vector<std::string> words{"--device", device.name};
  for (const std::string& extension : extensions_)
    words.insert(words.end(), {"--extension", extension});
  WorkerCommand command;
  command.argv = {path_};
  command.sandbox = sandbox_;
  if (need_python(cases)) {
    const std::string script = path_ + ".py";
    if (!fs::is_regular_file(script))
      throw Error("`op: python` needs '" + script + "', and it is not there");
    const HostPython own = python();
    command.in_python = {own.program, script};
    command.sandbox = python_sandbox(own);
    share_package();
  }
  for (auto* const argv : {&command.argv, &command.in_python})
    if (!argv->empty()) argv->insert(argv->end(), words.begin(), words.end());
  command.variables = variables_;
  bind_threads(device);
  share_cache();
  command.log_path = log_path;
  command.fastest_chain = device.fastest_chain;
  command.kept_results =
      std::make_shared<const Descriptor>(make_memory_file("plumbline kept results"));
  return command;
}

bool need_python(std::span<const Case> cases) {
  return std::ranges::any_of(cases,
                             [](const Case& c) { return is_in_python(c) && is_runnable(c); });
}

void apply_python(const WorkerProgram& worker, std::span<Case> cases, Environment& environment) {
  if (!need_python(cases)) return;
  try {
    const HostPython python = worker.python();
    environment.python = python.version;
    environment.triton = python.triton;
  } catch (const Error& reason) {
    for (Case& c : cases)
      if (is_in_python(c) && is_runnable(c)) c.unsupported = reason.what();
  }
}

std::vector<MeasureAnswer> answers_in(const std::string& text) {
  std::vector<MeasureAnswer> answers;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    WorkerMessage message = parse_worker_message(text.substr(begin, end - begin));
    if (message.answer) answers.push_back(std::move(*message.answer));
    begin = end + 1;
  }
  return answers;
}

std::vector<std::string> absolute_paths(const std::vector<std::string>& extensions) {
  std::vector<std::string> paths;
  for (const std::string& extension : extensions) {
    if (!fs::is_regular_file(extension))
      throw Error("--extension " + extension + ": there is no such file");
    paths.push_back(fs::absolute(extension).lexically_normal().string());
  }
  return paths;
}

std::optional<WorkerProgram> find_worker(const WorkerRequest& flags,
                                         const std::string& project_worker) {
  const std::string beside = program_folder() + "/" + kWorkerName;
  const std::pair<std::string, const char*> named[] = {
      {flags.worker, "--worker"},
      {environment_variable("PLUMBLINE_WORKER"), "$PLUMBLINE_WORKER"},
      {project_worker, "plumbline.yaml"}};
  const std::vector<std::string> extensions = absolute_paths(flags.extensions);
  const auto made = [&](const std::string& path) {
    return WorkerProgram(path, extensions, flags.variables,
                         worker_sandbox(flags, path, extensions, flags.variables));
  };
  for (const auto& [path, source] : named) {
    if (path.empty()) continue;
    check_is_program(path, source);
    return made(fs::absolute(path).string());
  }
  if (fs::is_regular_file(beside)) return made(beside);
  if (const auto environment = environment_of_program(program_folder()))
    if (const auto worker = worker_of(*environment)) {
      // Of this process, so that every program that it starts finds the same torch.
      if (!worker->library_path.empty())
        setenv("LD_LIBRARY_PATH", worker->library_path.c_str(), /*overwrite=*/1);
      return made(worker->path);
    }
  return std::nullopt;
}

WorkerProgram need_worker(const WorkerRequest& flags, const std::string& project_worker) {
  if (auto found = find_worker(flags, project_worker)) return *found;
  throw Error("there is no plumbline-worker in " + program_folder() + "; " +
              how_to_get_worker(program_folder()));
}

std::vector<WorkerDevice> choose_devices(const std::vector<WorkerDevice>& devices,
                                         const std::string& wanted) {
  std::vector<bool> is_chosen(devices.size(), false);
  std::stringstream words(wanted + ',');
  for (std::string word; std::getline(words, word, ',');) {
    const std::vector<std::size_t> meant = meant_by(devices, word);
    if (meant.empty())
      throw Error("--device " + word + ": there is no such device; there are: " +
                  names_of(devices) + "; `plumbline doctor` says what is missing");
    for (const std::size_t i : meant) {
      if (is_chosen[i])
        throw Error("--device " + wanted + ": it names " + devices[i].name + " twice");
      is_chosen[i] = true;
    }
  }
  std::vector<WorkerDevice> chosen;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (is_chosen[i]) chosen.push_back(devices[i]);
  const auto is_other = [&](const WorkerDevice& device) {
    return device.environment.device_class != chosen.front().environment.device_class;
  };
  if (std::ranges::any_of(chosen, is_other))
    throw Error("--device " + wanted + ": found devices of more than one class, " +
                names_of(chosen) + "; a run is about one class: name devices of one");
  return chosen;
}

}  // namespace plumbline
