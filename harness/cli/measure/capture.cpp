/// plumbline capture: records a suite of the operators that a program calls.
#include "workflow/run/capture.h"

#include <memory>

#include "cli/command.h"
#include "cli/program_words.h"
#include "core/visible.h"
#include "terminal/console.h"

namespace plumbline {
namespace {

constexpr const char* kNothing =
    "no operator was recorded. The recorder sees Python programs that call torch in their main "
    "thread. It is not loaded under python -I or -E\n";

int capture_and_tell(const CaptureRequest& request) {
  const CaptureOutcome outcome = capture(request);
  const int code =
      outcome.end.signal != 0 ? kExitSignal + outcome.end.signal : outcome.end.exit_code;
  for (const std::string& line : outcome.head) print_talk(line + "\n");
  if (!outcome.is_written) {
    say_error(std::string("error: ") + kNothing);
    return code != 0 ? code : kExitInput;
  }
  if (!outcome.inputs.empty()) say("its inputs: " + visible(outcome.inputs) + "\n");
  say("measure it: plumbline run " + visible(request.output) + "\n");
  return code;
}

}  // namespace

Command capture_command() {
  return {
      "capture", "Run a program of yours and write a suite of the torch operators it calls",
      [](CLI::App& app) {
        auto request = std::make_shared<CaptureRequest>();
        app.add_option("-o,--output", request->output, "file of the suite [captured.yaml]")
            ->type_name("FILE");
        app.add_option("--steps", request->steps, "steps that are recorded [3]")
            ->type_name("N")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
        auto has_inputs = std::make_shared<bool>(false);
        auto limit_gib = std::make_shared<double>(1);
        auto* const inputs = app.add_flag(
            "--inputs", *has_inputs,
            "keep the program's inputs in a file beside the suite, x.safetensors, and replay them");
        app.add_option("--inputs-limit", *limit_gib, "most GiB of inputs that are kept [1]")
            ->type_name("GIB")
            ->needs(inputs)
            ->check(CLI::Range(0.001, 1024.0));
        app.footer(
            "Usage: plumbline capture [FLAGS] -- python train.py …\nA step ends where the first "
            "optimizer has stepped, or where the program calls plumbline_gpu.step(); `with "
            "plumbline_gpu.phase(\"decode\"):` is one of its own. The first step warms up, the "
            "next N are recorded, 10 of those after them are timed. The program runs to its "
            "end.\nExit codes: the program's; 2 a mistake, or nothing was recorded.");
        return Action([request, has_inputs, limit_gib](const auto& command) {
          constexpr double kGiB = 1 << 30;
          if (*has_inputs) request->inputs_bytes = std::int64_t(*limit_gib * kGiB);
          request->program = program_of(command, "plumbline capture -- python train.py");
          return capture_and_tell(*request);
        });
      },
      /*runs_program=*/true};
}

}  // namespace plumbline
