#include "workflow/results/named_results.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "core/error.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNear = 5;
constexpr std::size_t kMostLooked = 1000;  // entries of a folder
constexpr std::size_t kBeginning = 256;    // bytes in which a comparison names its baseline

/// Looks only at the beginning, because files may have gigabytes.
bool looks_like_comparison(const fs::path& path) {
  if (path.extension() != ".json") return false;
  std::string beginning(kBeginning, '\0');
  std::ifstream(path).read(beginning.data(), std::streamsize(kBeginning));
  return beginning.find("\"baseline_path\"") != beginning.npos;
}

/// False also where nobody may look.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_run(const fs::path& path) { return is_there(path / "run.json"); }

bool is_baseline(fs::path path) {
  if (path.extension() != ".csv" && path.extension() != ".json") path += ".csv";
  if (!is_there(path.replace_extension(".csv"))) return false;
  const std::string json = path.replace_extension(".json").string();
  return is_there(json) || is_there(json + kNextJson);
}

using Found = std::vector<std::pair<fs::file_time_type, std::string>>;

/// Finds `folder` if it is a run, the comparisons and runs in it, and the comparisons in those.
void look_in(const fs::path& folder, Found& found) {
  std::error_code none;
  std::size_t looked = 0;
  const auto add = [&](const fs::path& path) {
    found.emplace_back(fs::last_write_time(path, none), path.lexically_normal().string());
  };
  if (is_run(folder)) add(folder);
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (++looked > kMostLooked) break;
    if (entry.is_directory(none)) {
      if (is_run(entry.path())) add(entry.path());
      if (is_there(entry.path() / "comparison.json")) add(entry.path() / "comparison.json");
    } else if (looks_like_comparison(entry.path())) {
      add(entry.path());
    }
  }
}

std::string found_in_words(const fs::path& path) {
  if (!fs::exists(path)) return "nothing there";
  if (fs::is_directory(path)) return "a folder without a run.json";
  return "a file that is none of them";
}

/// "" if plumbline.yaml cannot be read: the error is about the path that was named.
std::string runs_of_project() {
  try {
    return fs::proximate(find_project(".", PlaceRequest{}).places.runs).string();
  } catch (const std::exception&) {  // also a folder above that cannot be entered
    return "";
  }
}

}  // namespace

std::vector<std::string> results_near(const std::string& path) {
  Found found;
  const fs::path named(path);
  const fs::path folder = fs::is_directory(named) ? named : named.parent_path();
  look_in(folder.empty() ? "." : folder, found);
  if (const std::string runs = runs_of_project(); !runs.empty()) look_in(runs, found);
  std::ranges::sort(found, std::greater<>());
  std::vector<std::string> names;
  for (const auto& [time, name] : found)
    if (std::ranges::find(names, name) == names.end() && names.size() < kMostNear)
      names.push_back(name);
  return names;
}

void require_results(const std::string& path) {
  if (is_run(path) || is_baseline(path) || looks_like_comparison(path) || find_comparison(path))
    return;
  std::string text = path + ": found " + found_in_words(path) +
                     "; expected a comparison (comparison.json, which compare -o, check and ab "
                     "write), the folder of `ab`, a run directory, or a baseline";
  std::string near;
  for (const std::string& name : results_near(path)) near += (near.empty() ? "" : ", ") + name;
  throw Error(text + (near.empty() ? "" : "; near it: " + near));
}

}  // namespace plumbline
