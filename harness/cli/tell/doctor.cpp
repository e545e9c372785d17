/// plumbline doctor: what is installed, what is wrong, and what to do.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/words.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/table.h"
#include "workflow/machine/examination.h"

namespace plumbline {
namespace {

using State = Observation::State;

struct DoctorFlags {
  WorkerRequest worker;
  PlaceRequest places;
  bool json = false;
};

constexpr std::array<std::string_view, 3> kStateNames{"ok", "note", "wrong"};
constexpr std::array kStateColours{Colour::green, Colour::yellow, Colour::red};

std::string as_json(const std::vector<Observation>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Observation& finding : findings)
    list.push_back({{"state", kStateNames[static_cast<std::size_t>(finding.state)]},
                    {"what", finding.what},
                    {"found", finding.found},
                    {"advice", finding.advice}});
  return list.dump(1) + "\n";
}

int doctor(const DoctorFlags& flags) {
  const auto findings = examine_machine(flags.worker, flags.places);
  std::size_t wrong = 0;
  Table table({{""}, {"what"}, {"found", Fit::text}});
  for (const Observation& finding : findings) {
    const auto state = static_cast<std::size_t>(finding.state);
    wrong += finding.state == State::wrong;
    table.add(
        {{std::string(kStateNames[state]), kStateColours[state]}, {finding.what}, {finding.found}});
    if (!finding.advice.empty()) table.add({{}, {}, {"-> " + finding.advice}});
  }
  print_result(flags.json ? as_json(findings) : table.text());
  if (wrong > 0)
    say(fmt::format("{} wrong\n", counted(wrong, "thing")));
  else
    say("everything needed to measure is there\n");
  return wrong > 0 ? kExitInput : kExitOk;
}

}  // namespace

Command doctor_command() {
  return {"doctor", "Check the installation: what is there, what is wrong, what to do",
          [](CLI::App& app) {
            auto flags = std::make_shared<DoctorFlags>();
            add_worker_flags(app, flags->worker);
            add_baselines_flag(app, flags->places);
            add_runs_flag(app, flags->places);
            app.add_flag("--json", flags->json, "print a JSON list");
            app.footer(
                "Exit codes: 0 everything needed to measure on that device is there; 2 something "
                "is wrong.");
            return Action([flags](const auto&) { return doctor(*flags); });
          }};
}

}  // namespace plumbline
