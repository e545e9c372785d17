/// The JSON of values in messages: one rule for each type, no code for single fields.
///
/// Unknown numbers are null. Optional values that are empty are left out.
#pragma once

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/file_ref.h"
#include "core/unknown.h"
#include "protocol/environment_json.h"
#include "protocol/message_fields.h"

namespace plumbline {

using Json = nlohmann::ordered_json;

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// Maps by name: NamedSeconds, Params, reasons.
template <class T>
concept IsMap = requires {
  typename T::mapped_type;
};

/// std::optional, std::shared_ptr: left out of messages if empty.
template <class T>
concept MayBeAbsent = requires(const T& value) {
  value.operator->();
  static_cast<bool>(value);
};

Json encoded(const Policy& policy);
void decode(const Json& json, Policy& policy);
Json encoded(const Argument& argument);
void decode(const Json& json, Argument& argument);
void decode(const Json& json, Status& status);

/// The JSON of a value.
template <class T>
Json encoded(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::isnan(value) ? Json(nullptr) : Json(value);
  } else if constexpr (IsDescribed<T>) {
    Json object = Json::object();
    visit_members<T>([&](const std::string& key, bool, std::string_view, auto member) {
      const auto& held = value.*member;
      if constexpr (MayBeAbsent<std::remove_cvref_t<decltype(held)>>) {
        if (held) object[key] = encoded(*held);
      } else {
        object[key] = encoded(held);
      }
    });
    return object;
  } else if constexpr (kIsVector<T>) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(encoded(item));
    return list;
  } else if constexpr (IsMap<T>) {
    Json object = Json::object();
    for (const auto& [key, held] : value) object[key] = encoded(held);
    return object;
  } else if constexpr (std::is_same_v<T, Value>) {
    return std::visit([](const auto& held) { return Json(held); }, value);
  } else if constexpr (std::is_same_v<T, std::pair<std::string, std::string>>) {
    return Json::array({value.first, value.second});
  } else if constexpr (std::is_same_v<T, FileRef>) {
    return Json::array({value.path, value.hash});
  } else if constexpr (std::is_same_v<T, SampleSet>) {
    Json blocks = Json::array();
    for (std::size_t i = 0; i < value.blocks(); ++i) blocks.push_back(value.block(i));
    return blocks;
  } else if constexpr (std::is_same_v<T, Status>) {
    return name_of(value);
  } else if constexpr (std::is_same_v<T, Environment>) {
    return environment_json(value);
  } else {
    return value;
  }
}

/// Programs in other languages may write 1.0 for 1. Throws Error for a number that is not whole,
/// and a JSON exception for what is no number.
template <class T>
T integer_of(const Json& json) {
  constexpr double kMostExact = 9007199254740992;  // 2^53: a double holds all integers up to it
  if (!json.is_number_float()) return json.get<T>();
  const double number = json.get<double>();
  if (!(std::abs(number) <= kMostExact) || number != std::trunc(number))
    throw Error("found " + json.dump() + ", expected an integer");
  return T(std::int64_t(number));
}

/// Sets a value from JSON; optional fields that are missing keep their value. Throws a JSON
/// exception or Error if the JSON is not such a value.
template <class T>
void decode(const Json& json, T& value) {
  if constexpr (IsDescribed<T>) {
    visit_members<T>([&](const std::string& key, bool is_required, std::string_view, auto member) {
      const auto found = json.find(key);
      if (found == json.end() || found->is_null()) {
        if (is_required) json.at(key);  // throws and names the key
        return;
      }
      decode(*found, value.*member);
    });
  } else if constexpr (kIsVector<T>) {
    value.clear();
    for (const Json& item : json.get_ref<const Json::array_t&>())
      decode(item, value.emplace_back());
  } else if constexpr (IsMap<T>) {
    for (const auto& [key, item] : json.get_ref<const Json::object_t&>()) decode(item, value[key]);
  } else if constexpr (std::is_same_v<T, double>) {
    value = json.is_null() ? kUnknown : json.get<double>();
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = integer_of<T>(json);
  } else if constexpr (std::is_same_v<T, Value>) {
    if (json.is_boolean())
      value = json.get<bool>();
    else if (json.is_number_integer())
      value = json.get<std::int64_t>();
    else if (json.is_number())
      value = json.get<double>();
    else
      value = json.get<std::string>();
  } else if constexpr (std::is_same_v<T, std::pair<std::string, std::string>>) {
    value = {json.at(0), json.at(1)};
  } else if constexpr (std::is_same_v<T, FileRef>) {
    value = {json.at(0), json.at(1)};
  } else if constexpr (std::is_same_v<T, SampleSet>) {
    for (const Json& block : json.get_ref<const Json::array_t&>())
      value.add_block(block.get<std::vector<double>>());
  } else if constexpr (std::is_same_v<T, Environment>) {
    value = environment_of(json);
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const Declaration>>) {
    auto declaration = std::make_shared<Declaration>();
    decode(json, *declaration);
    value = std::move(declaration);
  } else if constexpr (MayBeAbsent<T>) {
    decode(json, value.emplace());
  } else {
    json.get_to(value);
  }
}

}  // namespace plumbline
