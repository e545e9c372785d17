#include "terminal/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>
#include <variant>

#include "core/error.h"
#include "core/sanitizer.h"
#include "core/value.h"
#include "schedule/process/sandbox.h"
#include "suite/yaml/reader.h"
#include "terminal/choice.h"

namespace plumbline {
namespace {

constexpr const char* kMeasuring = "How to measure (as in a suite's `measure:`)";
constexpr const char* kSelecting = "Which cases";
constexpr const char* kPlaces = "Where";

std::string flag_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string text_of(const Policy& policy, const PolicyField& field) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = policy.*member;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>,
                                     std::vector<std::string>>) {
          std::string text;
          for (const std::string& item : value) text += (text.empty() ? "" : ",") + item;
          return text;
        } else {
          return to_text(Value(value));
        }
      },
      field.member);
}

/// A number, or a percentage as a fraction.
std::optional<double> share_in(std::string_view digits) {
  const bool is_percent = digits.ends_with('%');
  if (is_percent) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  double number = 0;
  const auto end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return is_percent ? number / 100 : number;
}

}  // namespace

CLI::Option* add_list_flag(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& help) {
  return app.add_option(name, values, help)->allow_extra_args(false)->take_all();
}

void add_dry_run_flag(CLI::App& app, bool& dry_run) {
  app.add_flag("--dry-run", dry_run, "show what would be written, and write nothing");
}

void add_metrics_flag(CLI::App& app, std::vector<std::string>& metrics, const std::string& help) {
  add_list_flag(app, "--metrics", metrics, help)->delimiter(',')->type_name("METRICS");
}

void add_suite_flags(CLI::App& app, SuiteRequest& flags) {
  app.add_option("SUITE", flags.suites,
                 "suite files (YAML, or Python with @plumbline_gpu.case), folders of YAML, or "
                 "names of stock suites [`suites` of plumbline.yaml]");
  add_list_flag(
      app, "--set", flags.set,
      "replace an axis of the suites by a value, a list with commas, or a YAML list or range")
      ->type_name("AXIS=VALUE")
      ->group(kSelecting);
  add_list_flag(app, "--filter", flags.selection.filters,
                "part of a case id, or a pattern for the whole id with * and ?; '!…' excludes")
      ->type_name("TEXT")
      ->group(kSelecting);
  add_list_flag(app, "--tag", flags.selection.tags, "cases that have one of these tags")
      ->type_name("TAG")
      ->group(kSelecting);
  add_list_flag(app, "--case", flags.selection.cases, "the case with exactly this id")
      ->type_name("ID")
      ->group(kSelecting);
}

void add_policy_flags(CLI::App& app, SuiteRequest& flags) {
  for (const PolicyField& field : policy_fields())
    app.add_option_function<std::string>(
           flag_name(field.name),
           [&flags, name = std::string(field.name)](const std::string& text) {
             flags.policy[name] = text;
           },
           std::string(field.doc) + " [" + text_of({}, field) + "]")
        ->type_name("VALUE")
        ->group(kMeasuring);
}

void add_worker_flags(CLI::App& app, WorkerRequest& flags) {
  app.add_option("--device", flags.device,
                 "auto (the best one), cpu, cuda, cuda:N, a UUID, several with commas, or cuda:all "
                 "[`device` of plumbline.yaml, else auto]")
      ->type_name("DEVICE")
      ->group(kPlaces);
  app.add_option("--worker", flags.worker,
                 "the plumbline-worker that measures [$PLUMBLINE_WORKER, else `worker` of "
                 "plumbline.yaml, else the one beside this program, else pip's]")
      ->type_name("PATH")
      ->group(kPlaces);
  add_list_flag(app, "--extension", flags.extensions,
                "library of operators that the worker loads (TORCH_LIBRARY)")
      ->type_name("PATH")
      ->group(kPlaces);
}

namespace {

/// Less would not hold the libraries of a worker.
constexpr long long kLeastMemory_bytes = 256LL << 20;

long long memory_of(const std::string& text) {
  constexpr double kMost_bytes = 1e15;
  const std::optional<Value> value = number_with_unit(text);
  double bytes = 0;
  if (value)
    std::visit(
        [&](const auto& number) {
          if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(number)>>)
            bytes = double(number);
        },
        *value);
  if (!(bytes >= double(kLeastMemory_bytes) && bytes <= kMost_bytes))
    throw Error("--sandbox-memory " + text + ": expected a size of at least " +
                std::to_string(kLeastMemory_bytes >> 20) + " MiB, as in 8GiB");
  return static_cast<long long>(bytes);
}

int processes_of(const std::string& text) {
  constexpr int kLeast = 64, kMost = 1 << 22;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < kLeast || number > kMost)
    throw Error(fmt::format("--sandbox-processes {}: expected a number from {} to {}", text, kLeast,
                            kMost));
  return number;
}

constexpr const char* kSandbox = "Code of others";

}  // namespace

void add_sandbox_flags(CLI::App& app, WorkerRequest& flags) {
  app.add_flag("--sandbox", flags.is_sandboxed,
               "run the code of suites and sides without network, home, tokens and write access "
               "(bubblewrap); exit code 2 if this machine cannot")
      ->group(kSandbox);
  add_sandbox_limits(app, flags);
}

void add_sandbox_limits(CLI::App& app, WorkerRequest& flags) {
  add_list_flag(app, "--sandbox-read", flags.readable,
                "a file or folder that the sandbox shows too, as one of libraries in your home; "
                "suites may name files in it")
      ->type_name("PATH")
      ->group(kSandbox);
  app.add_option_function<std::string>(
         "--sandbox-memory",
         [&flags](const std::string& text) { flags.limits.memory_bytes = memory_of(text); },
         "memory that the code of one worker, or one build, may use with all its processes, as in "
         "8GiB [half of the machine's]")
      ->type_name("SIZE")
      ->group(kSandbox);
  app.add_option_function<std::string>(
         "--sandbox-processes",
         [&flags](const std::string& text) { flags.limits.processes = processes_of(text); },
         fmt::format("processes and threads that it may have at once [{}]", kSandboxProcesses))
      ->type_name("N")
      ->group(kSandbox);
}

void add_baselines_flag(CLI::App& app, PlaceRequest& flags) {
  app.add_option("--baselines", flags.baselines,
                 "folder of accepted runs [`baselines` of plumbline.yaml, else baselines/ beside "
                 "the suite]")
      ->type_name("DIR")
      ->group(kPlaces);
}

void add_runs_flag(CLI::App& app, PlaceRequest& flags) {
  app.add_option("--runs", flags.runs,
                 "folder of runs [`runs` of plumbline.yaml, else runs/ beside the suite]")
      ->type_name("DIR")
      ->group(kPlaces);
}

double fraction_of(std::string_view flag, const std::string& text) {
  const auto number = share_in(text);
  if (!number || !(*number > 0 && *number < 1))
    throw Error(std::string(flag) + " " + text +
                ": expected a share above 0 and below 100 %, as in 2% or 0.02");
  return *number;
}

double change_of(std::string_view flag, const std::string& text) {
  constexpr double kLargest = 10;
  const auto number = share_in(text.starts_with('+') ? text.substr(1) : text);
  if (!number || !(*number > -1 && *number <= kLargest && *number != 0))
    throw Error(std::string(flag) + " " + text +
                ": expected a change other than 0 from -100 % up to +1000 %, as in +8% or -0.03");
  if (*number >= 1 && !text.ends_with('%'))
    throw Error(fmt::format("{} {}: that is +{:.0f} %; say {:.0f}% if that is meant, or {}%", flag,
                            text, 100 * *number, 100 * *number, text));
  return *number;
}

void add_run_flags(CLI::App& app, RunRequest& flags) {
  add_suite_flags(app, flags.suite);
  add_policy_flags(app, flags.suite);
  add_worker_flags(app, flags.worker);
  add_sandbox_flags(app, flags.worker);
  add_runs_flag(app, flags.places);
  app.add_option("-o,--output", flags.output,
                 "the run's directory [<runs>/<time>-<commit>-<device>]")
      ->type_name("DIR")
      ->group(kPlaces);
  app.add_flag("--resume", flags.resume,
               "continue the unfinished run in -o; what it has is not measured again")
      ->group(kPlaces);
  app.add_flag("--any-device", flags.any_device,
               "with --resume: also on another device of the same class and driver, as where a "
               "scheduler moved the run. The verdict allows for what such devices differ by")
      ->group(kPlaces);
  app.add_option("--lock-clocks", flags.lock_clocks,
                 "lock the GPU's SM clock during the run: base, or MHz. It is restored however the "
                 "run ends; needs the permission to set clocks")
      ->type_name("CLOCK");
  app.add_option("--sanitizer", flags.sanitizer,
                 "instead of measuring, run each case once under compute-sanitizer: memcheck, "
                 "racecheck, initcheck or synccheck")
      ->type_name("CHECK")
      ->check(one_of({kSanitizerTools.begin(), kSanitizerTools.end()}));
  app.add_option("--shard", flags.shard,
                 "only part I of N of the cases; `plumbline merge` makes one run of all parts")
      ->type_name("I/N")
      ->group(kSelecting);
  app.add_option("--balance", flags.balance,
                 "an earlier run: parts take about as long as in it, and with several devices each "
                 "case goes back to its own. The same run for all parts")
      ->type_name("RUN")
      ->group(kSelecting);
}

}  // namespace plumbline
