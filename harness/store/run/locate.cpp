#include "store/run/locate.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/run/case.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Lower case; every run of other characters becomes one '-', with none at the ends.
std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_plain(c))
      out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

std::string slug_of_device(const std::string& text, const Environment& environment) {
  const std::string name = slug(text);
  if (name.empty())
    throw Error(
        "the device class is " +
        (environment.device_class.empty() ? "unknown" : "'" + environment.device_class + "'") +
        ", expected a name with letters or digits; baselines are kept by device class");
  const bool is_cpu =
      environment.device_kind == "cpu" && name != "cpu" && !name.starts_with("cpu-");
  return (is_cpu ? "cpu-" : "") + name;
}

std::string chosen(const std::string& flag, const std::string& setting, const std::string& base,
                   std::string_view name) {
  if (!flag.empty()) return flag;
  return (fs::path(base) / (setting.empty() ? name : setting)).lexically_normal().string();
}

}  // namespace

std::optional<std::string> find_upwards(const std::string& directory, std::string_view name) {
  const fs::path first = fs::weakly_canonical(fs::path(directory.empty() ? "." : directory));
  for (fs::path folder = first;; folder = folder.parent_path()) {
    std::error_code problem;
    const fs::path path = folder / name;
    const fs::file_status found = fs::status(path, problem);
    if (fs::is_regular_file(found)) return path.string();
    // Folders above may be closed to us; the file of this one is not to be missed.
    if (folder == first && found.type() == fs::file_type::none)
      throw Error(path.string() + ": cannot be reached: " + problem.message());
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

Locations locate(const Locations& flags, const Locations& settings, const std::string& base) {
  return {chosen(flags.baselines, settings.baselines, base, "baselines"),
          chosen(flags.runs, settings.runs, base, "runs")};
}

std::string new_run_directory(const std::string& runs_directory, std::string_view time,
                              std::string_view commit, std::string_view device) {
  constexpr std::size_t kCommitLength = 10;
  constexpr int kMostTries = 1000;
  std::string name(time);
  std::erase(name, ':');
  name += "-" + (commit.empty() ? "nocommit" : std::string(commit.substr(0, kCommitLength))) + "-" +
          std::string(device);
  const std::string path = (fs::path(runs_directory) / file_name_of(name)).string();
  make_folders(runs_directory, "the folder of runs");
  std::error_code problem;
  for (int i = 1; !problem && i <= kMostTries; ++i) {
    const std::string candidate = i == 1 ? path : path + "-" + std::to_string(i);
    if (fs::create_directory(candidate, problem)) return candidate;  // false: it already exists
  }
  throw Error(path + ": cannot create the run directory: " +
              (problem ? problem.message() : "too many of that name"));
}

std::string device_slug(const Environment& environment) {
  // GPUs by model, as people name them. CPUs by class, since a virtual machine's "AMD EPYC" can be
  // many models.
  const bool is_gpu = environment.device_kind == "cuda" && !environment.device_model.empty() &&
                      !environment.device_class.empty();
  return slug_of_device(is_gpu ? environment.device_model : environment.device_class, environment);
}

std::vector<std::string> device_folders(const Environment& environment) {
  constexpr std::size_t kMostOfClass = 100;  // characters; file names have at most 255
  const bool has_class = !slug(environment.device_class).empty();
  const std::string of_class =
      slug_of_device(has_class ? environment.device_class : environment.device_model, environment)
          .substr(0, kMostOfClass);
  return {device_slug(environment), of_class,
          of_class + "-" + stable_hash_text(environment.device_class)};
}

std::string file_name_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool keep = is_plain(c) || c == '_' || c == '-' || (c == '.' && !out.empty());
    if (keep) {
      out += c;
      continue;
    }
    out += '%';
    out += "0123456789ABCDEF"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789ABCDEF"[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

}  // namespace plumbline
