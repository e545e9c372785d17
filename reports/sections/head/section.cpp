/// The first screen: identity, the verdict in one sentence, what it rests on, what differs.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/cells.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr std::size_t kReasonsShown = 3;

void join(std::string& line, const std::string& part, std::string_view between = " · ") {
  if (part.empty()) return;
  line += (line.empty() ? "" : std::string(between)) + part;
}

std::string cases_text(std::size_t count) {
  return number_text(double(count), 0) + (count == 1 ? " case" : " cases");
}

std::string bold(std::string_view text) { return "<b>" + escaped(text) + "</b>"; }

std::string commit_html(const ReportInput& input) {
  const Environment& environment = input.candidate->info.environment;
  std::string html;
  if (!environment.commit.empty())
    html = "commit <code title=\"" + escaped(environment.commit) + "\">" +
           escaped(environment.commit.substr(0, 10)) + "</code>";
  if (environment.dirty == true) html += " with changes not committed";
  if (!input.commit_subject.empty()) html += " <bdi>“" + escaped(input.commit_subject) + "”</bdi>";
  join(html, escaped(input.commit_author), ", ");
  join(html, escaped(input.commit_time), ", ");
  return html;
}

std::string identity_html(const ReportInput& input) {
  const RunInfo& info = input.candidate->info;
  std::set<std::string_view> devices;
  for (const ResultRow& row : input.candidate->rows)
    if (!row.device.empty()) devices.insert(row.device);
  std::string suites;
  for (const SuiteRef& suite : info.suites) join(suites, escaped(suite.name), ", ");
  std::string device = escaped(info.environment.device_model);
  if (devices.size() > 1) device = fmt::format("{} × {}", devices.size(), device);
  std::string line;
  join(line, input.project.empty() ? "" : bold(input.project));
  join(line, commit_html(input));
  join(line, device.empty() ? "" : "<b>" + device + "</b>");
  join(line, suites.empty() ? "" : "suite " + suites);
  join(line, escaped(info.started_at));
  const std::string took = duration_text(info.started_at, info.finished_at);
  join(line, took.empty() ? "" : "took " + took);
  return "<p class=\"identity\">" + line + "</p>\n";
}

std::string sentence_alone(const ReportModel& model) {
  std::map<std::string_view, std::pair<int, std::size_t>> words;  // word -> rank, cases
  std::set<std::pair<std::string_view, std::string_view>> seen, bad;
  for (const CaseView& view : model.cases) {
    if (!seen.insert({view.suite, view.id}).second) continue;
    auto& [rank, count] = words[view.label.word];
    rank = view.label.rank;
    ++count;
  }
  std::vector<std::pair<int, std::string>> parts;
  std::size_t measured = 0;
  for (const auto& [word, what] : words) {
    if (word == "measured" || word == "unverified") measured += what.second;
    if (word != "measured")
      parts.emplace_back(what.first, number_text(double(what.second), 0) + " " + std::string(word));
  }
  std::sort(parts.begin(), parts.end());
  std::string text = number_text(double(measured), 0) + " of " + cases_text(seen.size()) +
                     (measured == 1 ? " was measured" : " were measured");
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "; " : ", ") + parts[i].second;
  return text + ". There is no baseline to compare with.";
}

/// `8 because …; 3 because …`: cases without a verdict by reason, most first.
std::string not_judged_text(const Comparison& comparison) {
  std::map<std::string_view, std::size_t> reasons;
  std::size_t total = 0;
  for (const Finding* finding : worst_per_case(comparison)) {
    if (finding->verdict != Verdict::not_judged || finding->entry > 0) continue;
    ++reasons[finding->reason];
    ++total;
  }
  if (total == 0) return "Every case that both runs hold was judged.";
  std::vector<std::pair<std::size_t, std::string_view>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(count, reason);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return a.first > b.first; });
  std::string text = cases_text(total) + (total == 1 ? " was" : " were") + " not judged";
  std::size_t listed = 0;
  for (std::size_t i = 0; i < std::min(kReasonsShown, sorted.size()); ++i) {
    text += (i == 0 ? ": " : "; ") + number_text(double(sorted[i].first), 0) + " because " +
            (sorted[i].second.empty() ? "no reason was recorded" : std::string(sorted[i].second));
    listed += sorted[i].first;
  }
  if (listed < total) text += "; " + number_text(double(total - listed), 0) + " for other reasons";
  return text + ".";
}

std::string shift_text(const Comparison& comparison) {
  if (!comparison.has_shifted()) return "No movement common to all cases was found.";
  std::string text;
  const auto add = [&](const RunShift& shift) {
    text += (text.empty() ? "The " : ", the ") + std::string(name_of(shift.part)) +
            (shift.part == RunPart::whole ? " run moved by " : " part of the run moved by ") +
            change_text(shift.change, shift.change_low, shift.change_high).whole() + ", seen in " +
            cases_text(shift.cases);
  };
  if (comparison.shift) add(*comparison.shift);
  for (const RunShift& shift : comparison.part_shifts) add(shift);
  return text + "; the changes below are what remains.";
}

std::string detectable_text(const Comparison& comparison) {
  std::vector<double> known;
  for (const Finding& finding : comparison.findings)
    if (finding.detectable) known.push_back(*finding.detectable);
  if (known.empty()) return "";
  std::sort(known.begin(), known.end());
  return "Smallest slowdown that would be seen: " + share_text(known[known.size() / 2]) +
         " in half of the cases, " + share_text(known.back()) + " in the least certain one.";
}

/// Keeps a percent sign on the line of its number.
std::string unbroken(std::string text) {
  for (std::size_t at = 0; (at = text.find(" %", at)) != std::string::npos;)
    text.replace(at, 1, "\u00A0");
  return text;
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : "<p class=\"quiet\">" + escaped(text) + "</p>\n";
}

std::string list_html(const std::vector<std::string>& lines, std::string_view classes) {
  if (lines.empty()) return "";
  std::string html = fmt::format("<ul class=\"{}\">", classes);
  for (const std::string& line : lines) html += "<li>" + escaped(line) + "</li>";
  return html + "</ul>\n";
}

std::string differences_html(const Comparison& comparison) {
  std::string html = "<h2>What differs from the baseline’s environment</h2>\n";
  if (comparison.environment_changes.empty())
    return html + "<p class=\"quiet\">Nothing that was recorded.</p>\n";
  html +=
      "<div class=\"wide\"><table class=\"rows\"><thead><tr><th>what</th><th>baseline</th>"
      "<th>candidate</th><th>part of</th></tr></thead><tbody>\n";
  const auto cell = [](const std::string& text) {
    return "<td class=\"mono\">" + (text.empty() ? "–" : escaped(text)) + "</td>";
  };
  for (const EnvironmentChange& change : comparison.environment_changes)
    html += "<tr><td>" + escaped(change.label) + "</td>" + cell(change.baseline) +
            cell(change.candidate) + "<td>" + escaped(change.kind) + "</td></tr>\n";
  return html + "</tbody></table></div>\n";
}

/// Counts as links that filter the table.
std::string counts_html(const ReportModel& model) {
  std::map<int, std::pair<Label, std::size_t>> counts;
  std::set<std::pair<std::string_view, std::string_view>> seen;  // a case shows its worst metric
  const auto add = [&](const Label& label) {
    ++counts.try_emplace(label.rank, label, 0).first->second.second;
  };
  if (model.input.comparison)
    for (const Finding* finding : worst_per_case(*model.input.comparison)) {
      const auto excuse = excuse_of(*model.input.comparison, *finding);
      add(excuse ? label_of(*excuse) : label_of(finding->verdict));
    }
  else
    for (const CaseView& view : model.cases)
      if (seen.insert({view.suite, view.id}).second) add(view.label);
  std::string html;
  for (const auto& [rank, entry] : counts) {
    const auto& [label, count] = entry;
    std::string word(label.word);
    std::replace(word.begin(), word.end(), ' ', '-');
    html += fmt::format(
        "<a class=\"label {}\" href=\"{}\"><span aria-hidden=\"true\">{}</span> {} {}</a>\n",
        label.tone, escaped(query_link("verdict:" + word)), label.symbol,
        number_text(double(count), 0), label.word);
  }
  return "<nav class=\"counts\" aria-label=\"Cases by verdict\">" + html + "</nav>\n";
}

std::string html(const ReportModel& model) {
  const ReportInput& input = model.input;
  const Comparison* comparison = input.comparison;
  std::string page = "<header>\n" + identity_html(input) + "<h1>" +
                     escaped(unbroken(comparison ? sentence(*comparison) : sentence_alone(model))) +
                     "</h1>\n";
  page += counts_html(model);
  if (comparison) {
    page += paragraph(not_judged_text(*comparison) + " " + shift_text(*comparison) + " " +
                      detectable_text(*comparison));
    if (comparison->self_check) page += paragraph(self_check_text(*comparison->self_check));
    if (comparison->null_check) page += paragraph(null_check_text(*comparison->null_check));
    page += list_html(distribution_lines(comparison->distribution_changes), "quiet");
    page += list_html(comparison->notes, "quiet");
  }
  if (input.candidate->info.finished_at.empty())
    page +=
        "<p class=\"warning\">This run has not finished; what is below is what it has so "
        "far.</p>\n";
  page += list_html(input.candidate->warnings, "warning");
  std::vector<std::string> of_baseline;
  if (input.baseline)
    for (const std::string& warning : input.baseline->warnings)
      of_baseline.push_back("Baseline: " + warning);
  page += list_html(of_baseline, "warning");
  page += "</header>\n";
  if (comparison)
    page += "<section id=\"differences\">\n" + differences_html(*comparison) + "</section>\n";
  return page;
}

}  // namespace

Section head_section() { return {"head", 10, html, nullptr}; }

}  // namespace plumbline
