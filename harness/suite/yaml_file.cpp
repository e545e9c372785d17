#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/utf8.h"
#include "suite/yaml.h"

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

}  // namespace

YamlFile read_yaml_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(path + ": found a folder; allowed: a file, for example one of " + path + "/*.yaml");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": cannot be opened: " + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw Error(path + ": cannot be read: " + std::strerror(errno));
  YamlFile file{path, std::move(text).str(), true};
  if (file.text.empty()) throw Error(path + ": the file is empty");
  if (file.text.starts_with("\xef\xbb\xbf")) file.text.erase(0, 3);  // byte order mark
  check_text(file);
  return file;
}

}  // namespace plumbline
