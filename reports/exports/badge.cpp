// The verdict of a comparison as a badge (exports.h).
#include <fmt/format.h>

#include "analysis/compare/comparison.h"
#include "core/words.h"
#include "reports/answer.h"
#include "reports/exports/exports.h"

namespace plumbline {
namespace {

struct Badge {
  std::string message;
  const char* colour;
};

Badge badge_of(const Comparison& comparison) {
  const Census census = census_of(comparison);
  const std::size_t broken = census.of(Verdict::broken), slower = census.of(Verdict::slower),
                    missing = census.of(Verdict::missing);
  switch (answer_of(comparison).kind) {
    case AnswerKind::broken:
    case AnswerKind::slower: {
      std::string message;
      const auto add = [&](std::size_t count, const char* word) {
        if (count > 0) message += fmt::format("{}{} {}", message.empty() ? "" : ", ", count, word);
      };
      add(broken, "broken");
      add(slower, "slower");
      if (message.empty()) add(missing, "missing");
      return {message.empty() ? "slower" : message, "red"};
    }
    case AnswerKind::not_comparable:
      return {"not comparable", "lightgrey"};
    case AnswerKind::cannot_tell:
      return {"cannot tell", "yellow"};
    case AnswerKind::clean:
      break;
  }
  return {counted(census.cases(), "case") + ", none slower", "brightgreen"};
}

}  // namespace

std::string badge_json(std::string_view message, std::string_view colour) {
  return fmt::format(
      R"({{"schemaVersion": 1, "label": "plumbline", "message": "{}", "color": "{}"}})"
      "\n",
      message, colour);
}

std::string badge_json(const Comparison& comparison) {
  const Badge badge = badge_of(comparison);
  return badge_json(badge.message, badge.colour);
}

}  // namespace plumbline
