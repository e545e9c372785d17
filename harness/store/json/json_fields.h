/// Structs to JSON and back through one list of fields each: `describe(io, struct)` names every
/// member once, and serves both writer and reader.
///
/// Knows no struct. Unknown keys are ignored, missing ones keep the member's default; a wrong type
/// throws Error with file and JSON path. Numbers that JSON cannot express are the strings "nan",
/// "inf", "-inf".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plumbline {

using Json = nlohmann::ordered_json;  // written: keys keep the order of describe(), for git diff
using ParsedJson = nlohmann::json;    // read: finds a member without scanning the others

/// A value in a JSON file, with its path for error messages.
class JsonView {
 public:
  JsonView(const ParsedJson& value, std::string file, std::string path = "")
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  /// The member with that name; nothing if it is missing or null. Throws Error if this is not an
  /// object.
  std::optional<JsonView> find(std::string_view key) const;
  std::vector<JsonView> items() const;                            // of an array
  std::vector<std::pair<std::string, JsonView>> members() const;  // of an object
  std::string text() const;
  bool boolean() const;
  double number() const;
  std::int64_t integer() const;

  /// Throws Error "FILE: at PATH: found …, expected …".
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const ParsedJson* value_;
  std::string file_, path_;
};

/// Parses the file as JSON. Throws Error with file, line and column.
ParsedJson read_json(const std::string& path);

/// Parses a text as JSON. Throws Error that begins with `place`.
ParsedJson parse_json(std::string_view text, const std::string& place);

/// Indented text that ends in a newline; invalid UTF-8 bytes become U+FFFD.
std::string json_text(const Json& value);

/// The text in pieces of a `whole` whose member `array` is an empty array in place of `count`
/// elements. `element` makes one; it is called on all processors. Needs little memory beside the
/// text.
std::vector<std::string> json_pieces(const Json& whole, std::string_view array, std::size_t count,
                                     const std::function<Json(std::size_t)>& element);

Json json_number(double number);

class JsonWriter {
 public:
  template <class T>
  void operator()(std::string_view key, const T& value) {
    // Appends to the vector behind the ordered object, because each key is written once. The
    // object's own insertion would compare the new key with all earlier ones.
    auto& members = object_.get_ref<Json::object_t&>();
    if (members.empty()) members.reserve(kUsualMembers);
    members.emplace_back(std::string(key), encode(value));
  }
  const Json& object() const { return object_; }

  template <class T>
  static Json encode(const T& value);

 private:
  static constexpr std::size_t kUsualMembers = 24;
  Json object_ = Json::object();
};

class JsonReader {
 public:
  explicit JsonReader(JsonView view) : view_(std::move(view)) {}

  template <class T>
  void operator()(std::string_view key, T& value) {
    if (const std::optional<JsonView> found = view_.find(key)) decode(*found, value);
  }

  const JsonView& view() const { return view_; }

  template <class T>
  static void decode(const JsonView& view, T& value);

 private:
  JsonView view_;
};

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
Json JsonWriter::encode(const T& value) {
  if constexpr (kIsOptional<T>) {
    return value ? encode(*value) : Json();
  } else if constexpr (kIsVector<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(encode(item));
    return array;
  } else if constexpr (kIsMap<T>) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key] = encode(item);
    return object;
  } else if constexpr (std::is_floating_point_v<T>) {
    return json_number(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string>) {
    return value;
  } else {
    JsonWriter writer;
    describe(writer, value);
    return writer.object();
  }
}

template <class T>
void JsonReader::decode(const JsonView& view, T& value) {
  if constexpr (kIsOptional<T>) {
    decode(view, value.emplace());
  } else if constexpr (kIsVector<T>) {
    value.clear();
    for (const JsonView& item : view.items()) decode(item, value.emplace_back());
  } else if constexpr (kIsMap<T>) {
    value.clear();
    for (const auto& [key, item] : view.members()) decode(item, value[key]);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = view.boolean();
  } else if constexpr (std::is_floating_point_v<T>) {
    value = view.number();
  } else if constexpr (std::is_integral_v<T>) {
    const std::int64_t integer = view.integer();
    value = static_cast<T>(integer);
    if (std::is_unsigned_v<T> ? integer < 0 : static_cast<std::int64_t>(value) != integer)
      view.fail("an integer that is in range");
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = view.text();
  } else {
    JsonReader reader(view);
    describe(reader, value);
  }
}

}  // namespace plumbline
