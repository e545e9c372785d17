#include "store/csv/csv_reader.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/visible.h"

namespace plumbline {
namespace {

constexpr std::size_t kChunkBytes = 1 << 18;
constexpr std::size_t kMostColumns = 10'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

int is_never_trimmed(unsigned char) { return 0; }

}  // namespace

CsvReader::CsvReader(const std::string& path, LastLineEnd last, char delimiter)
    : path_(path), last_(last), file_(path), chunk_(kChunkBytes) {
  if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0)
    throw Error(path_ + ": libcsv cannot be started");
  csv_set_blk_size(&parser_, 4096);
  csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  try {
    if (refill() && rest_.starts_with(kByteOrderMark)) {
      rest_.remove_prefix(kByteOrderMark.size());
      fed_bytes_ = kByteOrderMark.size();
    }
    if (!read_row()) return;
    if (fields() > kMostColumns)
      throw Error(path_ + ": header: found " + std::to_string(fields()) +
                  " columns; allowed: " + std::to_string(kMostColumns));
    for (std::size_t i = 0; i < fields(); ++i) {
      if (std::ranges::find(header_, field(i)) != header_.end())
        throw Error(path_ + ": header: the column " + shown(field(i)) + " appears twice");
      header_.emplace_back(field(i));
    }
  } catch (...) {
    csv_free(&parser_);
    throw;
  }
}

CsvReader::~CsvReader() { csv_free(&parser_); }

bool CsvReader::next() {
  if (header_.empty() || torn_) return false;
  ++row_;
  if (!read_row()) return false;
  if (fields() == header_.size()) return true;
  const std::string found = std::to_string(fields()) + " fields";
  const std::string expected = std::to_string(header_.size()) + " as in the header";
  fail(std::min(fields(), header_.size() - 1), found, expected);
}

std::string_view CsvReader::field(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

bool CsvReader::read_row() {
  text_.clear();
  ends_.clear();
  row_ended_ = false;
  at_row_start_ = true;
  row_line_ = line_;
  while (!rest_.empty() || refill()) {
    const auto* newline = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
    const std::size_t size = newline ? std::size_t(newline - rest_.data()) + 1 : rest_.size();
    const std::string_view bytes = rest_.substr(0, size);
    feed(bytes);
    rest_.remove_prefix(size);
    fed_bytes_ += size;
    if (newline) ++line_;
    // A row is returned only after its whole line end was read. So CRLF is never split, and the
    // next row can be appended at end_bytes().
    if (newline && row_ended_) return true;
    if (at_row_start_) row_line_ = line_;
  }
  return reach_end();
}

bool CsvReader::refill() {
  const std::size_t got = file_.read(chunk_.data(), chunk_.size());
  rest_ = std::string_view(chunk_.data(), got);
  hash_.add(rest_);
  return got > 0;
}

void CsvReader::feed(std::string_view bytes) {
  // Line by line, because libcsv does not report at which byte a row ended.
  if (at_row_start_) at_row_start_ = bytes == "\n" || bytes == "\r\n";  // blank lines are skipped
  // libcsv asks a function for each byte whether to trim it. Lines without blanks do not need that
  // function: reading a run takes 13 % less time without it.
  const bool has_blanks =
      bytes.find(' ') != std::string_view::npos || bytes.find('\t') != std::string_view::npos;
  csv_set_space_func(&parser_, has_blanks ? is_never_trimmed : nullptr);
  const std::size_t parsed =
      csv_parse(&parser_, bytes.data(), bytes.size(), take_field, take_row, this);
  if (parsed != bytes.size()) {
    if (csv_error(&parser_) == CSV_ENOMEM) throw std::bad_alloc();
    fail(ends_.size(),
         "a quote inside a field (near " + shown(bytes.substr(parsed ? parsed - 1 : 0, 20)) + ")",
         "a field in quotes as a whole, quotes in it doubled");
  }
  if (bare_return_)
    fail(0, "a carriage return alone", "lines that end in LF or CRLF, or the field in quotes");
}

void CsvReader::take_field(void* text, std::size_t size, void* self) {
  auto& reader = *static_cast<CsvReader*>(self);
  if (reader.row_ended_) reader.bare_return_ = true;
  reader.text_.append(static_cast<const char*>(text), size);
  reader.ends_.push_back(reader.text_.size());
}

void CsvReader::take_row(int, void* self) { static_cast<CsvReader*>(self)->row_ended_ = true; }

bool CsvReader::reach_end() {
  if (at_row_start_) return false;
  const std::size_t column = ends_.size();
  const bool quoted = csv_fini(&parser_, take_field, take_row, this) != 0;
  if (!quoted && last_ == LastLineEnd::optional) return true;
  torn_ = place(column) + ": found the end of the file " +
          (quoted ? "inside quotes" : "inside the row") +
          (last_ == LastLineEnd::optional ? ", expected a closing quote"
                                          : ", expected a complete row that ends in a newline");
  return false;
}

std::string CsvReader::place(std::size_t column) const {
  const std::string line = "(line " + std::to_string(row_line_) + ")";
  if (header_.empty()) return path_ + ": header " + line + ", column " + std::to_string(column + 1);
  std::string text = path_ + ": row " + std::to_string(row_) + " " + line;
  if (column < header_.size()) text += ", column " + header_[column];
  return text;
}

void CsvReader::fail(std::size_t column, std::string_view found, std::string_view expected) const {
  throw Error(place(column) + ": found " + std::string(found) + ", expected " +
              std::string(expected));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = std::min(text.size(), kLongest);
  while (end > 0 && end < text.size() && (text[end] & 0xc0) == 0x80) --end;  // whole characters
  std::string out = "'";
  for (const char c : visible(text.substr(0, end)))
    out += c == '\n' ? "⟨U+000A⟩" : c == '\t' ? "⟨U+0009⟩" : std::string(1, c);
  return out + (end < text.size() ? "…'" : "'");
}

}  // namespace plumbline
