#include "suite/declared/op_params.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/op/library_settings.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

std::vector<std::string> dtype_names(const OpSpec* spec) {
  std::vector<std::string> names;
  if (spec)
    for (const DType dtype : spec->dtypes) names.emplace_back(info(dtype).name);
  else
    for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  return names;
}

bool is_variable(const std::string& name) {
  constexpr std::array<std::string_view, 4> kTaken{"backend", "op", "and", "or"};
  if (std::ranges::find(kTaken, name) != kTaken.end() || name.starts_with("device.")) return false;
  try {
    return parse_expression(name)->kind == Expression::Kind::name;
  } catch (const Error&) {
    return false;
  }
}

/// Library settings (core/op/library_settings.h). For ops without any, the prefix still identifies
/// the name as a setting.
constexpr std::string_view kLibrary = "library";

/// The spec of a declared op's own parameters: any value is allowed.
const ParamSpec kAnything{"", ParamKind::text, std::nullopt, std::nullopt, {}, ""};

/// An integer from 0 in canonical digits, so that each index has one id.
bool is_index(const std::string& text) {
  const bool has_digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return has_digits && text.size() <= 9 && (text == "0" || text[0] != '0');
}

bool is_allowed(const std::string& text, const ParamSpec& param) {
  return std::ranges::find(param.allowed, text) != param.allowed.end() ||
         (param.takes_index && is_index(text));
}

/// The values of a text parameter with a list of allowed texts.
std::string values_in_words(const ParamSpec& param) {
  return "one of " + joined(param.allowed) + (param.takes_index ? ", or an index from 0" : "");
}

/// Converts the value to the parameter's kind if nothing is lost: 1e3 to the integer 1000, -2 to a
/// text if "-2" is allowed.
Value converted(const Value& value, const ParamSpec& param) {
  const ParamKind kind = param.kind;
  if (kind == ParamKind::text && !std::holds_alternative<std::string>(value) &&
      is_allowed(to_text(value), param))
    return to_text(value);
  if (const auto* real = std::get_if<double>(&value); real && kind == ParamKind::integer)
    if (*real == std::trunc(*real) && std::abs(*real) < 9e15) return std::int64_t(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer && kind == ParamKind::number)
    return double(*integer);
  return value;
}

bool is_kind(const Value& value, ParamKind kind) {
  constexpr std::array<std::size_t, 4> kIndex{0, 1, 2, 3};  // index in Value, by ParamKind
  return value.index() == kIndex[static_cast<std::size_t>(kind)];
}

}  // namespace

OpParams::OpParams(std::string op, const OpSpec* spec, const std::vector<ParamSpec>& settings)
    : op_(std::move(op)), spec_(spec) {
  const auto add = [this](const std::vector<ParamSpec>& params) {
    for (const ParamSpec& param : params) params_.push_back(&param);
  };
  if (spec) add(spec->params);
  add(common_params());
  if (!spec) add(settings);
}

const ParamSpec* OpParams::find(std::string_view name) const {
  const auto found = std::ranges::find(params_, name, &ParamSpec::name);
  return found == params_.end() ? nullptr : *found;
}

bool OpParams::is_group(std::string_view name) const {
  return name == kLibrary || std::ranges::any_of(params_, [name](const ParamSpec* param) {
           return param->name.size() > name.size() && param->name.starts_with(name) &&
                  param->name[name.size()] == '.';
         });
}

std::vector<std::string> OpParams::names() const {
  std::vector<std::string> names;
  for (const ParamSpec* param : params_) names.push_back(param->name);
  return names;
}

void OpParams::check_name(const std::string& name, const YamlPlace& at) const {
  if (find(name)) return;
  const auto dot = name.find('.');
  const bool is_in_group = dot != std::string::npos && is_group(name.substr(0, dot));
  std::vector<std::string> known = names();
  if (is_in_group)
    std::erase_if(known, [group = name.substr(0, dot + 1)](const std::string& other) {
      return !other.starts_with(group);
    });
  if (std::ranges::count(library_params(), name, &ParamSpec::name) > 0)
    fail_at(at, "found '" + name + "', which changes nothing of " + op_ + "; " +
                    (known.empty() ? "no setting of the library does"
                                   : "settings that do: " + joined(known)));
  if (!takes_any() || is_in_group)
    fail_at(at, "unknown parameter '" + name + "' of " + op_ +
                    (known.empty() ? ", which has no settings of the library"
                                   : allowed_names(name, known)));
  if (!is_variable(name))
    fail_at(at,
            "found '" + name +
                "' as the name of a parameter; allowed: a letter, then letters, "
                "digits, '_', '.', and neither a word of the expression grammar nor backend, op, "
                "device.…");
}

Value OpParams::checked(const std::string& name, const YamlNode& node) const {
  const ParamSpec* param = find(name);
  const auto what = [&] { return "parameter '" + name + "' of " + op_; };
  const Value value = checked_value(param ? *param : kAnything, node, what);
  if (name == "dtype") check_dtype(std::get<std::string>(value), node.at);
  if (name == "direction" && node.text == "backward" && !(spec_ && spec_->has_backward))
    fail_at(node.at, op_ + " has no backward; allowed: direction forward");
  return value;
}

Value checked_value(const ParamSpec& param, const YamlNode& node,
                    const std::function<std::string()>& what) {
  const bool takes_any = &param == &kAnything;
  const auto fail = [&] {
    const bool is_none = node.kind == YamlNode::Kind::null && is_allowed("none", param);
    const std::string allowed = takes_any               ? "a scalar"
                                : param.allowed.empty() ? kind_in_words(param)
                                                        : values_in_words(param) + ": " + param.doc;
    fail_on_kind(node, what(), allowed + (is_none ? "; to set no value, write none" : ""));
  };
  if (node.kind != YamlNode::Kind::scalar) fail();
  if (const auto* real = std::get_if<double>(&node.value); real && !std::isfinite(*real))
    fail_on_kind(node, what(), "a finite number");
  if (takes_any) return node.value;
  const Value value = converted(node.value, param);
  if (!is_kind(value, param.kind)) fail();
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (!param.allowed.empty() && !is_allowed(*text, param))
      fail_at(node.at, "'" + *text + "' is not allowed for " + what() +
                           allowed_names(*text, param.allowed,
                                         param.takes_index ? ", or an index from 0" : ""));
    return value;
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const double number = integer ? double(*integer) : real ? *real : 0;
  if (param.minimum && (integer || real) && number < *param.minimum)
    fail_on_kind(node, what(), "at least " + shortest_text(*param.minimum));
  if (param.maximum && (integer || real) && number > *param.maximum)
    fail_on_kind(node, what(), "at most " + shortest_text(*param.maximum));
  return value;
}

void OpParams::check_dtype(const std::string& dtype, const YamlPlace& at) const {
  const std::vector<std::string> here = dtype_names(spec_);
  if (std::ranges::find(here, dtype) != here.end()) return;
  if (dtype_named(dtype))
    fail_at(at, op_ + " does not take the dtype '" + dtype + "'; allowed: " + joined(here));
  fail_at(at, "unknown dtype '" + dtype + "'" + allowed_names(dtype, here));
}

std::string kind_in_words(const ParamSpec& param) {
  constexpr std::array<std::string_view, 4> kKinds{"a boolean", "an integer", "a number", "a text"};
  std::string words(kKinds[static_cast<std::size_t>(param.kind)]);
  if (param.kind == ParamKind::boolean) words += " (true or false)";
  if (!param.allowed.empty())
    words += " (" + joined(param.allowed) + (param.takes_index ? ", or an index from 0)" : ")");
  if (param.minimum) words += " of at least " + shortest_text(*param.minimum);
  if (param.maximum) words += " and at most " + shortest_text(*param.maximum);
  return words;
}

}  // namespace plumbline
