#include "schedule/sanitizer_log.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace plumbline {
namespace {

constexpr std::string_view kPrefix = "=========";

/// Headings that are findings even without a line below them.
constexpr std::array<std::string_view, 8> kFindings{
    "Invalid ",     "Uninitialized ", "Leaked ",   "Barrier error",
    "Program hit ", "Race reported ", "Host API ", "Unused "};
/// Headings that are no findings, although lines follow them: the end of the program or the tool.
constexpr std::array<std::string_view, 5> kNotes{"Error: process", "Target application",
                                                 "Error: Target", "Error: couldn't",
                                                 "Internal Sanitizer"};

template <std::size_t N>
bool begins_with_one_of(std::string_view text, const std::array<std::string_view, N>& heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return text.starts_with(head); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The number at the start of `text`, thousands separators skipped; 0 if there is none.
std::int64_t leading_number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9')
      digits += c;
    else if (c != ',')
      break;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

struct Place {
  std::string function, location;
};

/// Parses "scale(float *)+0x90 in scale.cu:9", "0x90 in scale(float*)" and "0x90 in
/// scale.cu:9:scale(int*)", from newer and older versions.
Place place_of(std::string_view text) {
  Place place;
  const auto in = text.rfind(" in ");
  if (text.starts_with("0x") && in != std::string_view::npos) {
    const std::string_view rest = text.substr(in + 4);
    for (auto colon = rest.find(':'); colon != std::string_view::npos;
         colon = rest.find(':', colon + 1)) {
      const auto end = rest.find(':', colon + 1);
      const std::string_view line = rest.substr(colon + 1, end - colon - 1);
      const bool is_number =
          !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
      if (is_number && end != std::string_view::npos)
        return {std::string(rest.substr(end + 1)), std::string(rest.substr(0, end))};
    }
    return {std::string(rest), ""};
  }
  std::string_view function = text.substr(0, in);
  if (in != std::string_view::npos) place.location = std::string(text.substr(in + 4));
  if (const auto offset = function.rfind("+0x"); offset != std::string_view::npos)
    function = function.substr(0, offset);
  place.function = std::string(function);
  return place;
}

/// Reads and removes "[508 hazards]" at the end of `text`.
std::int64_t take_hazards(std::string_view& text) {
  const auto open = text.rfind(" [");
  if (open == std::string_view::npos || !text.ends_with(']')) return 1;
  const std::int64_t count = leading_number(text.substr(open + 2));
  if (text.find("hazard", open) == std::string_view::npos || count == 0) return 1;
  text = text.substr(0, open);
  return count;
}

SanitizerFinding finding_of(std::string_view heading) {
  SanitizerFinding finding;
  const auto at = heading.find(" at ");
  finding.kind = std::string(heading.substr(0, at));
  if (at == std::string_view::npos) return finding;
  const std::string_view rest = heading.substr(at + 4);
  if (heading.find("Race reported") != std::string_view::npos) {
    const Place place = place_of(rest);
    finding.kernel = place.function;
    finding.location = place.location;
  } else {
    finding.address = std::string(trimmed(rest));
  }
  return finding;
}

/// Adds one line below a heading.
void add_detail(SanitizerFinding& finding, std::string_view line) {
  if (line.starts_with("and ") && line.find(" access at ") != std::string_view::npos) {
    finding.count = take_hazards(line);  // the other half of a race
    finding.kind += " " + std::string(line.substr(0, line.find(" at ")));
    finding.address = "with " + std::string(line.substr(4));
  } else if (line.starts_with("at ")) {
    const Place place = place_of(line.substr(3));
    finding.kernel = place.function;
    finding.location = place.location;
  } else if (line.starts_with("Device Frame:")) {
    // Frames go outwards: the last is the kernel, earlier ones are functions that it called.
    const Place place = place_of(trimmed(line.substr(13)));
    if (!place.function.empty()) finding.kernel = place.function;
  } else if (line.starts_with("by thread ") || line.starts_with("by threads ")) {
    const std::string_view rest = line.substr(std::min(line.find('('), line.size()));
    const auto in = rest.find(" in block ");
    finding.thread = std::string(rest.substr(0, in));
    if (in != std::string_view::npos) finding.block = std::string(rest.substr(in + 10));
  } else if (line.starts_with("Address ")) {
    finding.address = std::string(line.substr(8));
  } else if (line.starts_with("Access to ") || line.starts_with("Access at ")) {
    finding.address = std::string(line.substr(10));
  } else if (line.starts_with("and is ") && !finding.address.empty()) {
    finding.address += " " + std::string(line);
  } else if (finding.kernel.empty() && line.find(" Thread (") != std::string_view::npos) {
    if (const auto at = line.find(" at "); at != std::string_view::npos) {  // for a single hazard
      const Place place = place_of(line.substr(at + 4));
      finding.kernel = place.function;
      finding.location = place.location;
    }
  }
}

class Parser {
 public:
  SanitizerReport parse(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      take_line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    close();
    if (counted_errors_ >= 0)
      report_.errors = counted_errors_;
    else
      for (const SanitizerFinding& finding : report_.findings) report_.errors += finding.count;
    return std::move(report_);
  }

 private:
  void take_line(std::string_view line) {
    if (!line.starts_with(kPrefix)) {  // the program's own output, if no log file was requested
      if (!trimmed(line).empty()) report_.notes.emplace_back(trimmed(line));
      return;
    }
    const std::string_view body = line.substr(kPrefix.size());
    const std::string_view content = trimmed(body);
    const bool is_below = body.starts_with("  ") || body.starts_with(" \t");
    if (content.empty()) return close();
    if (is_below && !heading_.empty()) {
      details_.emplace_back(content);
      return;
    }
    close();
    if (content == "COMPUTE-SANITIZER" || take_summary(content)) return;
    heading_ = std::string(content);
  }

  /// "ERROR SUMMARY: 2 errors", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)".
  bool take_summary(std::string_view content) {
    const auto at = content.find(" SUMMARY: ");
    if (at == std::string_view::npos) return false;
    if (content.starts_with("LEAK")) return true;  // the next line counts them
    if (content.find("not printed") == std::string_view::npos) {
      report_.is_complete = true;
      counted_errors_ =
          std::max<std::int64_t>(counted_errors_, 0) + leading_number(content.substr(at + 10));
    }
    return true;
  }

  void close() {
    if (heading_.empty()) return;
    const bool is_finding = begins_with_one_of(heading_, kFindings) ||
                            (!details_.empty() && !begins_with_one_of(heading_, kNotes));
    if (is_finding) {
      add_finding();
    } else {
      report_.notes.push_back(heading_);
      report_.notes.insert(report_.notes.end(), details_.begin(), details_.end());
    }
    heading_.clear();
    details_.clear();
  }

  void add_finding() {
    SanitizerFinding finding = finding_of(heading_);
    finding.text = heading_;
    for (const std::string& detail : details_) {
      add_detail(finding, detail);
      finding.text += "\n    " + detail;
    }
    for (SanitizerFinding& known : report_.findings)
      if (known.kind == finding.kind && known.kernel == finding.kernel &&
          known.location == finding.location && !finding.kernel.empty()) {
        known.count += finding.count;
        return;
      }
    report_.findings.push_back(std::move(finding));
  }

  SanitizerReport report_;
  std::string heading_;
  std::vector<std::string> details_;
  std::int64_t counted_errors_ = -1;  // -1: no summary yet
};

}  // namespace

SanitizerReport parse_sanitizer_log(std::string_view text) { return Parser().parse(text); }

std::string in_words(std::string_view tool, const SanitizerReport& report) {
  std::string words(tool);
  words += ": ";
  if (report.findings.empty()) {
    if (report.is_clean()) return "";
    if (report.errors > 0) return words + std::to_string(report.errors) + " errors, none printed";
    words += report.is_complete ? "it could not check all" : "it did not come to its end";
    for (const std::string& note : report.notes) words += " / " + note;
    return words;
  }
  const SanitizerFinding& first = report.findings.front();
  words += first.kind;
  if (!first.kernel.empty()) words += " at " + first.kernel;
  if (!first.location.empty()) words += " in " + first.location;
  if (!first.thread.empty()) words += " by thread " + first.thread;
  if (!first.block.empty()) words += " in block " + first.block;
  if (!first.address.empty()) words += ", " + first.address;
  words += " (" + std::to_string(report.errors) + (report.errors == 1 ? " error" : " errors");
  const std::size_t more = report.findings.size() - 1;
  if (more > 0) words += "; " + std::to_string(more) + (more == 1 ? " more kind" : " more kinds");
  return words + ")";
}

}  // namespace plumbline
