#include "backends/nvrtc/included_files.h"

#include <set>
#include <sstream>
#include <string_view>

#include "backends/files.h"

namespace plumbline::nvrtc {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// What stands behind `# include` (or `# include_next`), or nothing.
std::optional<std::string_view> operand(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  const auto begin = line.find_first_of(" \t\"<");
  return begin == std::string_view::npos ? std::string_view() : without_blanks(line.substr(begin));
}

class Search {
 public:
  explicit Search(const std::vector<std::string>& folders) : folders_(folders) {}

  /// False where an include cannot be told.
  bool read(const std::string& folder, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto what = operand(line);
      if (!what) continue;
      const char end = what->starts_with('"') ? '"' : '>';
      const auto close = what->find(end, 1);
      const bool is_plain = what->starts_with('"') || what->starts_with('<');
      if (!is_plain || close == std::string_view::npos) return false;
      const std::string name(what->substr(1, close - 1));
      if (end == '"' && !follow(folder + "/" + name)) return false;
      for (const std::string& in : folders_)
        if (!follow(in + "/" + name)) return false;
    }
    return true;
  }

  std::vector<std::string> found() const { return {found_.begin(), found_.end()}; }

 private:
  bool follow(const std::string& path) {
    if (!is_file(path)) return true;
    const std::string file = real_path(path);
    return !found_.insert(file).second || read(folder_of(path), read_file(file));
  }

  const std::vector<std::string>& folders_;
  std::set<std::string> found_;
};

}  // namespace

std::optional<std::vector<std::string>> included_files(const std::string& path,
                                                       const std::string& text,
                                                       const std::vector<std::string>& folders) {
  Search search(folders);
  if (!search.read(folder_of(path), text)) return std::nullopt;
  return search.found();
}

}  // namespace plumbline::nvrtc
