#include "backends/nvrtc/source_text.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"

namespace plumbline::nvrtc {
namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";

}  // namespace

std::string source_text(const std::string& path, std::string bytes) {
  for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"})
    if (bytes.starts_with(mark))
      throw Error(path + ":1: found UTF-16; the file is no UTF-8 text: save it as UTF-8");
  if (bytes.starts_with(kMark)) bytes.erase(0, kMark.size());
  const auto wrong = bytes.find_first_of(std::string_view("\0\xff", 2));
  if (wrong == std::string::npos) return bytes;
  const auto line = 1 + std::count(bytes.begin(), bytes.begin() + std::ptrdiff_t(wrong), '\n');
  throw Error(path + ":" + std::to_string(line) + ": found the byte " +
              (bytes[wrong] == '\0' ? "0x00" : "0xff") + "; the file is no UTF-8 text");
}

}  // namespace plumbline::nvrtc
