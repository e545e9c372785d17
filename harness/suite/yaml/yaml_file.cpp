#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "core/input_kind.h"
#include "core/trace.h"
#include "core/uninterrupted.h"
#include "core/utf8.h"
#include "suite/yaml/yaml.h"

namespace plumbline {
namespace {

void check_text(const YamlFile& file) {
  std::uint32_t line = 1, column = 1;
  for (std::size_t i = 0; i < file.text.size();) {
    const unsigned char c = static_cast<unsigned char>(file.text[i]);
    const std::size_t length = utf8_length(std::string_view(file.text).substr(i));
    const bool is_control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    if (length == 0 || is_control) {
      std::ostringstream code;
      code << "0x" << std::hex << (c < 16 ? "0" : "") << unsigned(c);
      fail_at({&file, line, column},
              "found the byte " + code.str() + "; allowed: a text file in UTF-8");
    }
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
    i += length;
  }
}

/// Throws Error for inputs without an end. Never waits for the writer of a pipe.
void require_input(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    throw Error(path + ": cannot be opened: " + std::strerror(errno));
  if (S_ISDIR(found.st_mode))
    throw Error(path + ": found a folder; allowed: a file, for example one of " + path + "/*.yaml");
  std::error_code unnamed;
  const bool has_name = !std::filesystem::canonical(path, unnamed).empty();
  const std::string mistake = input_mistake(found, has_name, false);
  if (!mistake.empty()) throw Error(path + ": " + mistake);
}

std::string text_of(const std::string& path) {
  require_input(path);
  std::ifstream in;
  uninterrupted([&] {
    in.open(path, std::ios::binary);
    return in ? 0 : -1;
  });
  if (!in) throw Error(path + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  std::vector<char> chunk(1 << 16);
  while (in.read(chunk.data(), std::streamsize(chunk.size())) || in.gcount() > 0) {
    text.append(chunk.data(), std::size_t(in.gcount()));
    if (text.size() > kMostPipedBytes) throw Error(path + ": " + endless_mistake());
  }
  if (in.bad()) throw Error(path + ": cannot be read: " + std::strerror(errno));
  return text;
}

}  // namespace

YamlFile read_yaml_file(const std::string& path) {
  YamlFile file{path, text_of(path), true, nullptr};
  trace([&] { return "read " + path; });
  if (file.text.empty()) throw Error(path + ": the file is empty");
  if (file.text.starts_with("\xef\xbb\xbf")) file.text.erase(0, 3);  // byte order mark
  check_text(file);
  return file;
}

}  // namespace plumbline
