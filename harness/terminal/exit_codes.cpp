#include "terminal/exit_codes.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/system_failure.h"
#include "core/visible.h"
#include "schedule/worker.h"
#include "terminal/console.h"

namespace plumbline {
namespace {

void tell(std::string_view what, std::string_view text) {
  say_error(fmt::format("{} {}\n", coloured(what, Colour::red, STDERR_FILENO), text));
}

}  // namespace

int run_program(std::string_view name, const std::function<int()>& program) {
  reserve_standard_descriptors();
  try {
    return program();
  } catch (const WorkerReplaced& error) {
    tell("not judged:", visible(error.what()));
    return kExitNotJudged;
  } catch (const Error& error) {
    tell("error:", visible(error.what()));
  } catch (const std::exception& error) {
    if (const auto failure = system_failure(error))
      tell("error:", visible(*failure));
    else
      tell("internal error:", fmt::format("{}; this is a bug of {}", visible(error.what()), name));
  }
  return kExitInput;
}

}  // namespace plumbline
