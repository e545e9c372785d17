/// A file of records (core/attach_records.h): lines, of which every write holds whole ones.
///
/// Knows nothing of CUPTI. Throws nothing: it works inside a program of somebody else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumbline::attach {

/// Lines that are not written yet.
class Lines {
 public:
  Lines& begin(std::string_view kind) {
    text_ += kind;
    return *this;
  }
  Lines& field(std::int64_t number);
  /// Escaped.
  Lines& field(std::string_view text);
  void end() { text_ += '\n'; }

  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  std::string text_;
};

class RecordFile {
 public:
  /// Makes a new file for this process in `folder`; false if that fails.
  bool open(const char* folder);
  /// The number of a text; adds its line the first time.
  std::int64_t number_of(std::string_view text, Lines& lines);
  /// Writes all lines and clears them. After an error, as on a full disk, nothing is written any
  /// more: what is there stays a valid prefix.
  void write(Lines& lines);
  void close();

 private:
  int file_ = -1;
  std::unordered_map<std::string, std::int64_t> names_;
};

}  // namespace plumbline::attach
