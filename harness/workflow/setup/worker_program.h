/// The plumbline-worker that a command uses: its location, its devices and operators.
///
/// Runs the program; measures nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/environment.h"
#include "protocol/messages.h"
#include "schedule/worker_process.h"
#include "suite/declared/operator_schemas.h"
#include "suite/yaml/file_limits.h"
#include "workflow/setup/python_environment.h"
#include "workflow/setup/request.h"

namespace plumbline {

struct WorkerDevice {
  std::string name;  // cpu, cuda:0
  Environment environment;
  bool awaits_turn = false;  // its workers wait at kStandbyDescriptor if told to
  /// What its workers learned about contexts (WorkerCommand), shared by all copies.
  std::shared_ptr<FastestChain> fastest_chain = std::make_shared<FastestChain>();
};

class WorkerProgram {
 public:
  /// `variables`: for its environment, in addition to ours. `sandbox`: in which it runs, if in one.
  WorkerProgram(std::string path, std::vector<std::string> extensions,
                EnvironmentVariables variables = {}, std::optional<Sandbox> sandbox = {})
      : path_(std::move(path)),
        extensions_(std::move(extensions)),
        variables_(std::move(variables)),
        sandbox_(std::move(sandbox)) {}

  const std::string& path() const { return path_; }
  const std::vector<std::string>& extensions() const { return extensions_; }
  const EnvironmentVariables& variables() const { return variables_; }
  /// The sandbox of its Python; nothing if it runs in none.
  std::optional<Sandbox> python_sandbox(const HostPython& python) const;
  /// Its sandbox, if it has one, shows these suites and the trees that they are in.
  void show(const std::vector<std::string>& suites);
  bool operator==(const WorkerProgram&) const = default;
  /// Which files suites may name: those that its sandbox shows. Null without one.
  std::shared_ptr<const FileLimits> file_limits() const;
  /// Hash of its bytes, including its library.
  std::string hash() const;
  /// Best first. Asked once while its file stays the same. Throws Error with the worker's output.
  std::vector<WorkerDevice> devices() const;
  /// Operators of its dispatcher, including extensions. From the cache if already known; a note
  /// says if they cannot be cached. Throws Error.
  OperatorSchemas schemas(std::vector<std::string>& notes) const;
  /// The rates that the device reaches, as the worker measures them. JSON: {"values": {name:
  /// number}, "absent": {name: reason}, "spent_s": number}. Takes seconds. Throws Error.
  std::string calibration(const WorkerDevice& device) const;
  /// The Python for `op: python`: $PLUMBLINE_PYTHON from the worker's variables or ours, else the
  /// first Python with torch (python_environment.h). Throws Error.
  HostPython python() const;
  /// Compiles and checks the kernels of `count` requests in a file, and writes the answers to
  /// another file. Throws Error.
  void compile(const std::string& architecture, const std::string& requests,
               const std::string& answers, std::size_t count) const;
  /// How to start workers for these cases on a device; also in a Python if a case is a Python
  /// function. Throws Error if there is no such Python.
  WorkerCommand command(const WorkerDevice& device, const std::string& log_path,
                        std::span<const Case> cases = {}) const;

 private:
  std::string path_;
  std::vector<std::string> extensions_;
  EnvironmentVariables variables_;
  std::optional<Sandbox> sandbox_;
};

/// True if workers in a Python are needed.
bool need_python(std::span<const Case> cases);
/// Records the Python in which functions of these cases run. If there is none, those cases become
/// unsupported.
void apply_python(const WorkerProgram& worker, std::span<Case> cases, Environment& environment);

/// The answers in the lines that a worker wrote, in their order.
std::vector<MeasureAnswer> answers_in(const std::string& text);

/// Paths of extensions for the loader, which searches only its own folders for names without '/'.
/// Throws Error for a missing extension.
std::vector<std::string> absolute_paths(const std::vector<std::string>& extensions);

/// The worker from --worker, $PLUMBLINE_WORKER, the project, or beside this program; nothing if
/// there is none. Throws Error if a named worker does not exist.
std::optional<WorkerProgram> find_worker(const WorkerRequest& flags,
                                         const std::string& project_worker);
/// The same; throws Error that says where a worker was searched for.
WorkerProgram need_worker(const WorkerRequest& flags, const std::string& project_worker);

/// The devices that --device means, in the order of the worker's list: one device, several with
/// commas between them, or `cuda:all`. Throws Error that names the known devices, and for devices
/// of several classes.
std::vector<WorkerDevice> choose_devices(const std::vector<WorkerDevice>& devices,
                                         const std::string& wanted);

}  // namespace plumbline
