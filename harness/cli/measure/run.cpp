/// plumbline run: measures the cases of suites on one device into a run directory.
#include <memory>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/measure/sanitizer.h"
#include "cli/run_output.h"

namespace plumbline {
namespace {

int run(const RunRequest& flags, const std::vector<std::string>& command) {
  if (!flags.sanitizer.empty()) return check_suites(flags, command);
  return exit_code_of(run_and_tell(flags, command));
}

}  // namespace

Command run_command() {
  return {"run", "Measure the cases of suites into a run directory", [](CLI::App& app) {
            auto flags = std::make_shared<RunRequest>();
            add_run_flags(app, *flags);
            app.footer(
                "Standard output: a table of the results, and as its last line the run's "
                "directory.\nCtrl-C ends the run cleanly and prints the command that goes on with "
                "it.\nExit codes: 0 measured; 1 measured, but a case is WRONG, CRASHED, TIMEOUT or "
                "OUT_OF_MEMORY;\n2 a mistake, a full disk, or nothing was measured; 130 "
                "interrupted.");
            return Action([flags](const auto& command) { return run(*flags, command); });
          }};
}

}  // namespace plumbline
