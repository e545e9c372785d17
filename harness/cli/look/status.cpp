/// plumbline status: a run in progress, over all its shards.
#include "workflow/shards/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "core/moment.h"
#include "core/words.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/table.h"

namespace plumbline {
namespace {

using enum PartState;

constexpr PartState kStates[]{done, running, slow, stopped, unreadable, not_started};
constexpr std::size_t kMostLines = 40;

std::string end_text(const RunStatus& status, double now_s) {
  if (!status.remaining_s) return "";
  return utc_text({std::int64_t(now_s + *status.remaining_s), 0});
}

std::int64_t sum(const RunStatus& status, std::int64_t PartStatus::*member) {
  std::int64_t all = 0;
  for (const PartStatus& part : status.parts) all += part.*member;
  return all;
}

std::string as_json(const RunStatus& status, double now_s) {
  Json json{{"parts", status.parts.size()}};
  for (const PartState state : kStates) {
    std::string key(name_of(state));
    std::ranges::replace(key, ' ', '_');
    json[key] = status.count(state);
  }
  json["visits"] = sum(status, &PartStatus::visits);
  json["failed_cases"] = sum(status, &PartStatus::failed_cases);
  json["remaining_s"] = status.remaining_s ? Json(*status.remaining_s) : Json();
  json["ends_at"] = status.remaining_s ? Json(end_text(status, now_s)) : Json();
  json["shards"] = Json::array();
  for (const PartStatus& part : status.parts)
    json["shards"].push_back({{"name", part.name},
                              {"state", name_of(part.state)},
                              {"path", part.path},
                              {"host", part.host},
                              {"visits", part.visits},
                              {"planned_visits", part.planned > 0 ? Json(part.planned) : Json()},
                              {"failed_cases", part.failed_cases},
                              {"quiet_s", part.quiet_s ? Json(*part.quiet_s) : Json()},
                              {"remaining_s", part.remaining_s ? Json(*part.remaining_s) : Json()},
                              {"reason", part.reason}});
  json["notes"] = status.notes;
  return json_text(json);
}

Colour colour_of(PartState state) {
  if (state == stopped || state == unreadable) return Colour::red;
  if (state == slow) return Colour::yellow;
  return state == done ? Colour::green : Colour::none;
}

std::string visits_text(const PartStatus& part) {
  if (part.planned == 0) return std::to_string(part.visits);
  return fmt::format("{}/{}", part.visits, part.planned);
}

std::string duration_text(const std::optional<double>& seconds) {
  return seconds ? duration_in_words(*seconds) : "";
}

/// Parts that have begun and are not done, what needs attention first; then failures of done ones.
std::string table_of(const RunStatus& status) {
  std::vector<const PartStatus*> shown;
  for (const PartStatus& part : status.parts)
    if ((part.state != done && part.state != not_started) || part.failed_cases > 0)
      shown.push_back(&part);
  std::ranges::stable_sort(shown, {}, [](const PartStatus* part) { return part->state; });
  if (shown.empty()) return "";
  Table table({{"shard"},
               {"state"},
               {"visits", Fit::number},
               {"failed", Fit::number},
               {"quiet for", Fit::number},
               {"left", Fit::number},
               {"host"},
               {"", Fit::text}});
  for (std::size_t i = 0; i < std::min(shown.size(), kMostLines); ++i) {
    const PartStatus& part = *shown[i];
    const std::string reason = part.state == stopped ? "go on with: " + part.reason : part.reason;
    table.add({{part.name},
               {std::string(name_of(part.state)), colour_of(part.state)},
               {visits_text(part)},
               {part.failed_cases > 0 ? std::to_string(part.failed_cases) : "", Colour::red},
               {duration_text(part.quiet_s)},
               {duration_text(part.remaining_s)},
               {part.host},
               {reason}});
  }
  std::string text = table.text();
  if (shown.size() > kMostLines)
    text += fmt::format("and {} more; --json has all\n", shown.size() - kMostLines);
  return text;
}

std::string summary_of(const RunStatus& status, double now_s) {
  std::string text;
  for (const PartState state : kStates)
    if (const std::size_t count = status.count(state); count > 0 || state == done)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
  text = fmt::format("{}: {}; {}", counted(status.parts.size(), "shard"), text,
                     counted(std::size_t(sum(status, &PartStatus::visits)), "visit"));
  if (const auto failed = sum(status, &PartStatus::failed_cases); failed > 0)
    text += fmt::format(", {}", counted(std::size_t(failed), "failed case"));
  if (status.count(done) == status.parts.size()) return text + "\n";
  if (!status.remaining_s) return text + "; when it ends is not known\n";
  return text + fmt::format("; about {} left, until {}\n", duration_in_words(*status.remaining_s),
                            end_text(status, now_s));
}

int show(const std::vector<std::string>& paths, bool json) {
  const StatusMoment moment = this_moment();
  const RunStatus status = status_of(paths, moment);
  if (json) {
    print_result(as_json(status, moment.now_s));
  } else {
    print_text(table_of(status));
    print_text(fitted(summary_of(status, moment.now_s)));
    for (const std::string& note : status.notes) print_note(note);
  }
  return status.count(done) == status.parts.size() ? kExitOk : kExitNotJudged;
}

}  // namespace

Command status_command() {
  return {
      "status", "Show how far the shards of a run have come", [](CLI::App& app) {
        auto paths = std::make_shared<std::vector<std::string>>();
        auto json = std::make_shared<bool>(false);
        app.add_option("DIR", *paths, "run directories of shards, or folders that hold them")
            ->required();
        app.add_flag("--json", *json, "print every shard as JSON");
        app.footer(
            "States: done; running; slow (no visit for a minute and ten times as long as others "
            "take for one, or twice as long as the others in all); stopped (not finished, and no "
            "process writes it; the command that goes on with it is shown); unreadable; not "
            "started. The table leaves out shards that are done without failures and those that "
            "have not started. The end is estimated from the visits that are left and the pace so "
            "far.\nExit codes: 0 all shards are done; 2 a mistake, or there is no run; 3 some are "
            "not done.");
        return Action([paths, json](const auto&) { return show(*paths, *json); });
      }};
}

}  // namespace plumbline
