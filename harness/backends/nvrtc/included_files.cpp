#include "backends/nvrtc/included_files.h"

#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

#include "backends/files.h"

namespace plumbline::nvrtc {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

std::string_view without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// The next line, joined with those that follow a '\\' at the end, as the compiler joins them
/// before it looks for directives. Some compilers ignore blanks after the '\\'. Joining too much
/// only makes a line unclear (read_line).
bool next_line(std::istream& text, std::string& line) {
  if (!std::getline(text, line)) return false;
  for (std::string more;;) {
    const auto last = line.find_last_not_of(kBlanks);
    if (last == std::string::npos || line[last] != '\\') return true;
    line.erase(last);
    if (!std::getline(text, more)) return true;
    line += more;
  }
}

/// Length of '#' at `at` in any of its three spellings; 0 if there is none.
std::size_t hash_length(std::string_view line, std::size_t at) {
  for (const std::string_view spelling : {"#", "%:", "?\?="})
    if (line.substr(at).starts_with(spelling)) return spelling.size();
  return 0;
}

enum class Found { nothing, name, unclear };

/// What the directive after `#` includes: nothing, a name in quotes or brackets (`name`, with the
/// opening one), or something that this reader does not follow.
Found read_directive(std::string_view behind, std::string_view& name) {
  behind = without_blanks(behind);
  if (behind.starts_with('/')) return Found::unclear;  // a comment before the word
  std::size_t end = 0;
  while (end < behind.size() &&
         (std::isalnum(static_cast<unsigned char>(behind[end])) != 0 || behind[end] == '_'))
    ++end;
  const std::string_view word = behind.substr(0, end);
  if (word == "import" || word == "embed") return Found::unclear;
  if (word != "include" && word != "include_next")
    return behind.find("__has_") == std::string_view::npos ? Found::nothing : Found::unclear;
  name = without_blanks(behind.substr(end));
  return name.starts_with('"') || name.starts_with('<') ? Found::name : Found::unclear;
}

/// Because comments may begin on other lines, a line may look like a directive and not be one, or
/// the other way round: such a line is unclear.
Found read_line(std::string_view line, std::string_view& name) {
  const bool ends_comment = line.find("*/") != std::string_view::npos;
  if (without_blanks(line).starts_with("//") && !ends_comment) return Found::nothing;
  Found found = Found::nothing;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t length = hash_length(line, at);
    if (length == 0) continue;
    const std::string_view before = without_blanks(line.substr(0, at));
    std::string_view other;
    if (before.empty()) {
      found = read_directive(line.substr(at + length), name);
      // Everybody writes '#'; the other spellings are not worth following.
      if (found == Found::name && length > 1) return Found::unclear;
    } else if (before.find("*/") != std::string_view::npos &&
               read_directive(line.substr(at + length), other) != Found::nothing) {
      return Found::unclear;
    }
  }
  return found;
}

class Search {
 public:
  explicit Search(const std::vector<std::string>& folders) : folders_(folders) {}

  /// Returns false if an include is unclear.
  bool read(const std::string& folder, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; next_line(lines, line);) {
      std::string_view what;
      const Found found = read_line(line, what);
      if (found == Found::nothing) continue;
      const char end = what.starts_with('"') ? '"' : '>';
      const auto close = what.find(end, 1);
      if (found == Found::unclear || close == std::string_view::npos) return false;
      if (!follow_all(folder, std::string(what.substr(1, close - 1)), end == '"')) return false;
    }
    return true;
  }

  std::vector<std::string> found() const { return {found_.begin(), found_.end()}; }

 private:
  /// Follows all files of that name in all folders where it may be found.
  bool follow_all(const std::string& folder, const std::string& name, bool is_quoted) {
    if (name.starts_with('/')) return follow(name);
    if (is_quoted && !follow(folder + "/" + name)) return false;
    for (const std::string& in : folders_)
      if (!follow(in + "/" + name)) return false;
    return true;
  }

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
