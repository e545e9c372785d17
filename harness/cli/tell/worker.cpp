/// plumbline worker: compiles a plumbline-worker for an environment's torch, or tests a worker.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/tell/worker_test.h"
#include "core/error.h"
#include "terminal/console.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_environment.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct WorkerFlags {
  std::string torch, source, architectures;
};

/// The worker's sources: as named, installed with this program, or the tree that built it.
fs::path source_of(const std::string& named) {
  const fs::path prefix = fs::path(program_folder()).parent_path();
  std::vector<fs::path> places{prefix / "share/plumbline/source", prefix.parent_path()};
  if (!named.empty()) places = {named};
  for (const fs::path& place : places)
    if (fs::exists(place / "scripts/wheel")) return fs::absolute(place);
  throw Error((named.empty() ? "the worker's sources are not beside this program"
                             : "'" + named + "' does not hold the worker's sources") +
              "; name a clone of Plumbline's repository with --source");
}

std::string torch_for(const WorkerFlags& flags) {
  if (!flags.torch.empty()) return flags.torch;
  if (const auto environment = environment_of_program(program_folder())) return environment->python;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const active = std::getenv(name)) return active;
  throw Error("no environment is active; name one that has torch with --torch");
}

/// Replaces this process by the script that builds the worker.
int build_worker(const WorkerFlags& flags) {
  const std::string script = source_of(flags.source) / "scripts/wheel";
  std::vector<std::string> words{script, "--worker", "--install", "--torch", torch_for(flags)};
  if (!flags.architectures.empty()) words.insert(words.end(), {"--arch", flags.architectures});
  setenv("PLUMBLINE_BUILD", made_cache_folder("worker-build").c_str(), /*overwrite=*/0);
  setenv("PLUMBLINE_DIST", made_cache_folder("wheels").c_str(), /*overwrite=*/0);
  say("compiles a worker once and installs it: 30 to 60 minutes on two cores, minutes on many; "
      "needs 6 GB of disk\n");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(script.c_str(), argv.data());
  throw Error("cannot start " + script + ": " + std::strerror(errno));
}

Action configure_build(CLI::App& app) {
  auto flags = std::make_shared<WorkerFlags>();
  app.add_option("--torch", flags->torch,
                 "the environment, or its Python [the one that this program is installed in, else "
                 "the active one]")
      ->type_name("PATH");
  app.add_option("--source", flags->source,
                 "a clone of Plumbline's repository [what this program came with]")
      ->type_name("DIR");
  app.add_option("--arch", flags->architectures,
                 "CUDA architectures of its kernels [80-real;90a-real;100]")
      ->type_name("LIST");
  app.footer(
      "A compiler, CMake and some libraries are installed where they are missing, which needs "
      "root; without it the command to run is printed. CUDA's compiler comes from PyPI where there "
      "is none.\nExit codes: 0; 2 it could not be built.");
  return [flags](const auto&) { return build_worker(*flags); };
}

}  // namespace

Command worker_command() {
  return {"worker", "Build a plumbline-worker for the torch of an environment, or test a worker",
          [](CLI::App& app) {
            app.require_subcommand(1);
            CLI::App* const build =
                app.add_subcommand("build", "Build a worker for the torch of an environment");
            CLI::App* const test =
                app.add_subcommand("test", "Check that a program speaks the worker protocol");
            for (CLI::App* const action : {build, test}) action->group("Commands");
            app.footer(
                "Exit codes: 0; 1 `worker test`: a check failed; 2 it could not be built, or there "
                "is no such program.");
            return Action([test, does_build = configure_build(*build),
                           does_test = configure_worker_test(*test)](const auto& command) {
              return test->parsed() ? does_test(command) : does_build(command);
            });
          }};
}

}  // namespace plumbline
