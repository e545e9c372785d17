/// The plumbline-worker that a command uses: where it is, what devices and operators it has.
///
/// Asks the program; measures nothing.
#pragma once

#include <limits>
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
#include "workflow/setup/python_environment.h"
#include "workflow/setup/request.h"

namespace plumbline {

struct WorkerDevice {
  std::string name;  // cpu, cuda:0
  Environment environment;
  bool awaits_turn = false;  // its workers wait at kStandbyDescriptor where they are told to
  /// What workers on it learned of its contexts (WorkerCommand), shared by all copies.
  std::shared_ptr<double> fastest_chain_s =
      std::make_shared<double>(std::numeric_limits<double>::infinity());
};

class WorkerProgram {
 public:
  /// `variables`: that it is started with, beside ours.
  WorkerProgram(std::string path, std::vector<std::string> extensions,
                EnvironmentVariables variables = {})
      : path_(std::move(path)),
        extensions_(std::move(extensions)),
        variables_(std::move(variables)) {}

  const std::string& path() const { return path_; }
  const std::vector<std::string>& extensions() const { return extensions_; }
  const EnvironmentVariables& variables() const { return variables_; }
  bool operator==(const WorkerProgram&) const = default;
  /// Of its bytes, those of its library included.
  std::string hash() const;
  /// Best first. Asked once as long as its file is the same. Throws Error with what the worker
  /// printed.
  std::vector<WorkerDevice> devices() const;
  /// Operators of its dispatcher, extensions included. From the cache where this program has said
  /// them before; a note says where they cannot be kept. Throws Error.
  OperatorSchemas schemas(std::vector<std::string>& notes) const;
  /// What the device reaches, as the worker measures it: {"values": {name: number}, "absent":
  /// {name: reason}, "spent_s": number}, JSON. Takes seconds. Throws Error.
  std::string calibration(const WorkerDevice& device) const;
  /// The Python of `op: python`: $PLUMBLINE_PYTHON of the worker's variables or ours, else the
  /// first with torch that is found (python_environment.h). Throws Error.
  HostPython python() const;
  /// Compiles and checks the kernels of `count` requests in a file, answers into another. Throws
  /// Error.
  void compile(const std::string& architecture, const std::string& requests,
               const std::string& answers, std::size_t count) const;
  /// How workers for these cases are started on a device, in a Python too where one of them is a
  /// function in Python. Throws Error where there is no Python that does.
  WorkerCommand command(const WorkerDevice& device, const std::string& log_path,
                        std::span<const Case> cases = {}) const;

 private:
  std::string path_;
  std::vector<std::string> extensions_;
  EnvironmentVariables variables_;
};

/// Whether workers in a Python are needed.
bool need_python(std::span<const Case> cases);
/// Writes down which Python functions of these cases run in. Where there is none, those cases are
/// unsupported.
void apply_python(const WorkerProgram& worker, std::span<Case> cases, Environment& environment);

/// The answers among the lines that a worker wrote, in their order.
std::vector<MeasureAnswer> answers_in(const std::string& text);

/// Extensions as the loader takes them: it looks for a name without '/' in its own folders alone.
/// Throws Error for one that is not there.
std::vector<std::string> absolute_paths(const std::vector<std::string>& extensions);

/// --worker, $PLUMBLINE_WORKER, the project's, the one beside this program; nothing where there is
/// none. Throws Error where one was named that is not there.
std::optional<WorkerProgram> find_worker(const WorkerRequest& flags,
                                         const std::string& project_worker);
/// The same, and an Error that says where a worker was looked for.
WorkerProgram need_worker(const WorkerRequest& flags, const std::string& project_worker);

/// The devices that --device means, in the order of the worker's list: one, several with commas
/// between them, or `cuda:all`. Throws Error naming those that there are, and for devices of more
/// than one class.
std::vector<WorkerDevice> choose_devices(const std::vector<WorkerDevice>& devices,
                                         const std::string& wanted);

/// $PLUMBLINE_CACHE, else ~/.cache/plumbline.
std::string cache_folder();

/// The whole path of a folder in it, which is made where it is not there. Throws Error where it
/// cannot be made or written to.
std::string made_cache_folder(const std::string& name);

}  // namespace plumbline
