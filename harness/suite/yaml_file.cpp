#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "suite/yaml.h"

namespace plumbline {
namespace {

/// Length of the UTF-8 sequence at the start of `text`, 0 if it is none (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool is_overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool is_beyond = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
  return is_overlong || is_beyond ? 0 : length;
}

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
