#include "attach/record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ctime>

#include "core/attach_records.h"

namespace plumbline::attach {

Lines& Lines::field(std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text_ += '\t';
  text_.append(digits, end);
  return *this;
}

Lines& Lines::field(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  text_ += '\t';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= ' ' && c != '\\' && code != 0x7f) {
      text_ += c;
      continue;
    }
    text_ += '\\';
    text_ += kDigits[code >> 4];
    text_ += kDigits[code & 15];
  }
  return *this;
}

bool RecordFile::open(const char* folder) {
  // Process ids are used again, so the name has the time too.
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string path = std::string(folder) + "/" + std::to_string(getpid()) + "-" +
                           std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec) +
                           kExtension;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  return file_ >= 0;
}

std::int64_t RecordFile::number_of(std::string_view text, Lines& lines) {
  const auto [place, is_new] =
      names_.try_emplace(std::string(text), static_cast<std::int64_t>(names_.size()));
  if (is_new) lines.begin(kName).field(place->second).field(text).end();
  return place->second;
}

void RecordFile::write(Lines& lines) {
  const std::string& text = lines.text();
  for (std::size_t done = 0; file_ >= 0 && done < text.size();) {
    const ssize_t wrote = ::write(file_, text.data() + done, text.size() - done);
    if (wrote >= 0)
      done += static_cast<std::size_t>(wrote);
    else if (errno != EINTR)
      close();
  }
  lines.clear();
}

void RecordFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace plumbline::attach
