#include "store/controls_json.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "store/describe_self_check.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "controls.json";

struct ControlsFile {
  int format = kFormatVersion;
  std::string device_class, started_at;
  int measurement_revision = 0;
  SelfCheck check;
};

template <class Io, Is<ControlsFile> C>
void describe(Io& io, C& file) {
  io("format", file.format);
  io("device_class", file.device_class);
  io("measurement_revision", file.measurement_revision);
  io("started_at", file.started_at);
  io("self_check", file.check);
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

void write_controls(const SelfCheck& check, const RunInfo& info, const std::string& folder) {
  ControlsFile file;
  file.device_class = info.environment.device_class;
  file.started_at = info.started_at;
  file.measurement_revision = info.measurement_revision;
  file.check = check;
  write_atomically(folder + "/" + kFileName, json_text(JsonWriter::encode(file)));
}

EarlierControls read_controls(const std::string& folder, const RunInfo& like,
                              const std::string& own) {
  EarlierControls earlier;
  for (const fs::path& path : files_in(folder, own)) try {
      const ParsedJson json = read_json(path.string());
      check_format(json, path.string(), "controls of a run", "self_check");
      ControlsFile file;
      JsonReader reader(JsonView(json, path.string()));
      describe(reader, file);
      if (file.device_class == like.environment.device_class &&
          file.measurement_revision == like.measurement_revision)
        earlier.checks.push_back(std::move(file.check));
    } catch (const Error& error) {
      earlier.notes.push_back(std::string(error.what()) + "; its controls are not counted");
    }
  return earlier;
}

}  // namespace plumbline
