#include "store/json/json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "core/utf8.h"
#include "core/value.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

constexpr std::size_t kIndent = 2;

std::string in_words(const ParsedJson& value) {
  switch (value.type()) {
    case ParsedJson::value_t::object:
      return "an object";
    case ParsedJson::value_t::array:
      return "an array";
    case ParsedJson::value_t::null:
      return "null";
    default:
      return value.is_string() ? shown(value.get<std::string>()) : value.dump();
  }
}

}  // namespace

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonView(*found, file_, path_ + "/" + std::string(key));
}

std::vector<JsonView> JsonView::items() const {
  if (!value_->is_array()) fail("an array");
  std::vector<JsonView> views;
  for (std::size_t i = 0; i < value_->size(); ++i)
    views.emplace_back((*value_)[i], file_, path_ + "/" + std::to_string(i));
  return views;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::pair<std::string, JsonView>> views;
  for (const auto& [key, value] : value_->items())
    views.emplace_back(key, JsonView(value, file_, path_ + "/" + key));
  return views;
}

std::string JsonView::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

bool JsonView::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

double JsonView::number() const {
  if (value_->is_number()) return value_->get<double>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (*value_ == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (*value_ == "inf") return kInfinity;
  if (*value_ == "-inf") return -kInfinity;
  fail("a number");
}

std::int64_t JsonView::integer() const {
  if (!value_->is_number_integer()) fail("an integer");
  const bool too_large =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t(INT64_MAX);
  if (too_large) fail("an integer below 2^63");
  return value_->get<std::int64_t>();
}

void JsonView::fail(std::string_view expected) const {
  throw Error(file_ + ": at " + (path_.empty() ? "/" : path_) + ": found " + in_words(*value_) +
              ", expected " + std::string(expected));
}

ParsedJson read_json(const std::string& path) { return parse_json(read_text(path), path); }

ParsedJson parse_json(std::string_view text, const std::string& place) {
  try {
    return ParsedJson::parse(text);
  } catch (const ParsedJson::exception& problem) {
    std::string reason = problem.what();  // "[json.exception.parse_error.101] parse error at …"
    if (const std::size_t end = reason.find("] "); end != std::string::npos)
      reason.erase(0, end + 2);
    reason = excerpt(reason, 0);  // it may quote a token of any length
    throw Error(place + ": not valid JSON: " + (text.empty() ? "the file is empty" : reason));
  }
}

std::string json_text(const Json& value) {
  return value.dump(int(kIndent), ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// Elements [begin, end) of an array that is a member of the whole, with a comma after each.
std::string elements_text(std::size_t begin, std::size_t end,
                          const std::function<Json(std::size_t)>& element) {
  const std::string margin = "\n" + std::string(2 * kIndent, ' ');
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    std::string one = json_text(element(i));
    one.back() = ',';  // in place of the end of line
    text += margin;
    std::size_t from = 0;
    for (std::size_t at; (at = one.find('\n', from)) != std::string::npos; from = at + 1)
      text.append(one, from, at - from).append(margin);
    text.append(one, from);
  }
  return text;
}

}  // namespace

std::vector<std::string> json_pieces(const Json& whole, std::string_view array, std::size_t count,
                                     const std::function<Json(std::size_t)>& element) {
  constexpr std::size_t kInPiece = 512;
  const std::string frame = json_text(whole);
  if (count == 0) return {frame};
  const std::size_t parts = (count + kInPiece - 1) / kInPiece;
  std::vector<std::string> pieces(parts + 2);
  for_each_index(parts, [&](std::size_t part) {
    const std::size_t begin = part * kInPiece;
    pieces[part + 1] = elements_text(begin, std::min(count, begin + kInPiece), element);
  });
  pieces[parts].back() = '\n';  // no comma after the last one
  // Texts in JSON have no line ends, so this is the member of the whole.
  const std::string opening = "\n" + std::string(kIndent, ' ') + '"' + std::string(array) + "\": [";
  const std::size_t at = frame.find(opening + "]") + opening.size();
  pieces.front() = frame.substr(0, at);
  pieces.back() = std::string(kIndent, ' ') + frame.substr(at);
  return pieces;
}

Json json_number(double number) {
  return std::isfinite(number) ? Json(number) : Json(shortest_text(number));
}

}  // namespace plumbline
