#include "workflow/bisect/releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/last_line.h"
#include "core/words.h"
#include "schedule/process/child_process.h"

namespace plumbline {
namespace {

constexpr double kIndexTimeout_s = 120;
constexpr std::string_view kPin = "==";

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The one word in which two lists of requirements differ.
std::size_t position_of_difference(const std::vector<std::string>& good,
                                   const std::vector<std::string>& bad) {
  const Error mistake(
      "releases: expected the same packages as GOOD and BAD and another version of one of them, as "
      "in torch==2.11.0 and torch==2.15.0");
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < good.size() && good.size() == bad.size(); ++i) {
    if (good[i] == bad[i]) continue;
    const std::string name = good[i].substr(0, good[i].find(kPin) + kPin.size());
    if (found || !is_requirement(good[i]) || !bad[i].starts_with(name)) throw mistake;
    found = i;
  }
  if (!found) throw mistake;
  return *found;
}

std::string name_in(const std::string& requirement) {
  return requirement.substr(0, requirement.find(kPin));
}

std::string version_in(const std::string& requirement) {
  return requirement.substr(requirement.find(kPin) + kPin.size());
}

/// `named` may have extras, as in torch[opt], which the index of pip does not know.
std::vector<std::string> versions_of(const std::string& named, const std::string& python) {
  const std::string package = named.substr(0, named.find('['));
  const ProgramOutput asked = run_program(
      {python, "-I", "-m", "pip", "index", "versions", package, "--disable-pip-version-check"},
      kIndexTimeout_s);
  std::vector<std::string> versions = versions_listed_by_pip(asked.out);
  if (asked.end.exit_code == 0 && !versions.empty()) return versions;
  if (asked.err.find("No module named pip") != std::string::npos)
    throw Error("'" + python +
                "' has no pip, which knows the releases; name a Python that has it with --python");
  throw Error(
      fmt::format("'{} -m pip index versions {}' names no releases: {}", python, package,
                  asked.timed_out ? "it did not end within 2 minutes" : last_line(asked.err)));
}

std::size_t position_of(const std::string& version, const std::vector<std::string>& versions,
                        const std::string& package) {
  const auto found = std::ranges::find(versions, version);
  if (found != versions.end()) return std::size_t(found - versions.begin());
  constexpr std::size_t kShown = 20;
  std::string known;
  for (std::size_t i = versions.size() - std::min(kShown, versions.size()); i < versions.size();
       ++i)
    known += (known.empty() ? "" : ", ") + versions[i];
  throw Error(fmt::format("pip finds no release {} of {}; {} {}", version, package,
                          versions.size() > kShown ? "the newest are" : "it finds", known));
}

}  // namespace

std::vector<std::string> versions_listed_by_pip(std::string_view output) {
  constexpr std::string_view kStart = "Available versions:";
  const std::size_t start = output.find(kStart);
  if (start == output.npos) return {};
  output.remove_prefix(start + kStart.size());
  std::string line(output.substr(0, output.find('\n')));
  std::ranges::replace(line, ',', ' ');
  std::vector<std::string> versions = words_in(line);
  std::ranges::reverse(versions);
  return versions;
}

std::vector<Version> releases_between(const EnvironmentRequest& environments,
                                      const std::string& good, const std::string& bad, Talk& talk) {
  std::vector<std::string> words = words_in(good);
  const std::size_t at = position_of_difference(words, words_in(bad));
  const std::string package = name_in(words[at]);
  const auto listed = versions_of(package, python_that_makes(environments));
  const std::size_t first = position_of(version_in(words[at]), listed, package),
                    last = position_of(version_in(words_in(bad)[at]), listed, package);
  std::vector<Version> versions;
  for (std::size_t i = std::min(first, last); i <= std::max(first, last); ++i) {
    words[at] = package + std::string(kPin) + listed[i];
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
    versions.push_back({all, package + ' ' + listed[i]});
  }
  if (first > last) std::ranges::reverse(versions);
  talk.note(counted(versions.size(), "release") + " of " + package + " from " +
            versions.front().shown + " to " + versions.back().shown);
  return versions;
}

}  // namespace plumbline
