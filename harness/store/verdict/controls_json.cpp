#include "store/verdict/controls_json.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "core/error.h"
#include "store/file.h"
#include "store/json/describe_self_check.h"
#include "store/run/counted_runs.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "controls.json";

struct ControlsFile {
  int format = kFormatVersion;
  std::string device_class, started_at, results_hash;
  int measurement_revision = 0;
  SelfCheck check;
};

template <class Io, Is<ControlsFile> C>
void describe(Io& io, C& file) {
  io("format", file.format);
  io("device_class", file.device_class);
  io("measurement_revision", file.measurement_revision);
  io("started_at", file.started_at);
  io("results_hash", file.results_hash);
  io("self_check", file.check);
}

ControlsFile read_file(const std::string& path) {
  const ParsedJson json = read_json(path);
  check_format(json, path, "controls of a run", "self_check");
  ControlsFile file;
  JsonReader reader(JsonView(json, path));
  describe(reader, file);
  return file;
}

std::vector<fs::path> files_in(const std::string& folder, const std::string& own) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  const fs::path excluded = own.empty() ? fs::path() : fs::weakly_canonical(own);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path() / kFileName;
    if (fs::weakly_canonical(entry.path()) != excluded && fs::is_regular_file(file))
      files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

void write_controls(const SelfCheck& check, const RunInfo& info, const std::string& results,
                    const std::string& folder) {
  ControlsFile file;
  file.device_class = info.environment.device_class;
  file.started_at = info.started_at;
  file.results_hash = results;
  file.measurement_revision = info.measurement_revision;
  file.check = check;
  write_atomically(folder + "/" + kFileName, json_text(JsonWriter::encode(file)));
}

EarlierControls read_controls(const std::string& folder, const RunInfo& like,
                              const std::string& own, const std::string& own_results) {
  EarlierControls earlier;
  // Two runs can start in one second; their results tell them apart.
  std::map<std::pair<std::string, std::string>, std::string> places;
  if (!own.empty()) places[{like.started_at, own_results}] = own;
  for (const fs::path& path : files_in(folder, own)) try {
      ControlsFile file = read_file(path.string());
      if (file.device_class != like.environment.device_class ||
          file.measurement_revision != like.measurement_revision)
        continue;
      const std::string place = path.parent_path().string();
      const auto [met, is_new] = places.try_emplace({file.started_at, file.results_hash}, place);
      if (is_new || file.results_hash.empty())
        earlier.checks.push_back(std::move(file.check));
      else
        earlier.notes.push_back(copy_note(place, met->second));
    } catch (const Error& error) {
      earlier.notes.push_back(std::string(error.what()) + "; its controls are not counted");
    }
  return earlier;
}

}  // namespace plumbline
