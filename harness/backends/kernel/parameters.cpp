#include "backends/kernel/parameters.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "backends/kernel/kernel_build.h"
#include "core/error.h"
#include "core/expression/expression.h"

namespace plumbline {
namespace {

using Kind = KernelParameter::Kind;

constexpr std::size_t kPointerBytes = 8;
constexpr std::array<std::string_view, 12> kIntegralTypes{
    "bool", "char",         "signed char", "unsigned char", "short",     "unsigned short",
    "int",  "unsigned int", "long",        "unsigned long", "long long", "unsigned long long"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Words of a parameter's declaration: `.param .align 4 .b8 name[12]`.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Kind and bits of `.u64`, `.f32`, `.b8`; nullopt for other directives.
std::optional<std::pair<char, std::size_t>> ptx_type(std::string_view word) {
  if (word.size() < 3 || word[0] != '.' || std::string_view("usbf").find(word[1]) == word.npos)
    return std::nullopt;
  const std::size_t bits = number_in(word.substr(2));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
  return std::pair{word[1], bits};
}

/// One parameter, placed after the first `end` bytes.
KernelParameter placed(std::string_view declaration, std::size_t end) {
  const std::vector<std::string_view> words = words_of(declaration);
  KernelParameter parameter;
  std::size_t align = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == ".ptr") break;  // the rest describes what it points to
    if (words[i] == ".align" && i + 1 < words.size()) align = number_in(words[i + 1]);
    if (const auto type = ptx_type(words[i])) {
      parameter.size = type->second / 8;
      parameter.kind = type->first == 'f'   ? Kind::floating
                       : type->first == 'b' ? Kind::unknown
                                            : Kind::integral;
    }
  }
  align = std::max(align, parameter.size);
  if (words.empty() || parameter.size == 0)
    throw Error("PTX declares a parameter in a way that is not known: '" +
                std::string(declaration) + "'");
  if (const auto bracket = words.back().find('['); bracket != std::string_view::npos)
    parameter.size *= number_in(words.back().substr(bracket + 1));
  parameter.offset = (end + align - 1) / align * align;
  return parameter;
}

/// Types of the parameters from the mangled name, such as `float const*`; empty if it has none.
std::vector<std::string> types_of(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr || !symbol.starts_with("_Z")) return {};
  const std::string_view name = text.get();
  if (!name.ends_with(')')) return {};
  std::vector<std::string> types(1);
  int depth = 0;
  for (std::size_t i = name.size() - 1; i-- > 0;) {
    const char c = name[i];
    if (depth == 0 && c == '(') break;
    depth += c == ')' || c == '>' || c == ']' ? 1 : c == '(' || c == '<' || c == '[' ? -1 : 0;
    if (depth == 0 && c == ',')
      types.emplace_back();
    else
      types.back().insert(types.back().begin(), c);
  }
  std::ranges::reverse(types);
  for (std::string& type : types) type.erase(0, type.find_first_not_of(' '));
  return types;
}

std::optional<DType> dtype_of_cpp(std::string_view type) {
  if (type == "long") return DType::int64;
  if (type == "char") return DType::int8;
  for (const DTypeInfo& row : kDTypes)
    if (cpp_type(row.dtype) == type) return row.dtype;
  return std::nullopt;
}

/// The element type of `float const* `, without qualifiers; nullopt if it is no pointer.
std::optional<std::string> pointee(std::string type) {
  const auto star = type.find('*');
  if (star == std::string::npos || type.find('*', star + 1) != std::string::npos)
    return std::nullopt;
  type.erase(star);
  for (const std::string_view qualifier : {" const", " volatile"})
    if (type.ends_with(qualifier)) type.erase(type.size() - qualifier.size());
  return type;
}

/// Describes a parameter with the most exact name that is known.
std::string described(const KernelParameter& parameter, const std::string& cpp) {
  if (!cpp.empty()) return cpp;
  const std::string bytes = std::to_string(parameter.size) + " bytes";
  if (parameter.kind == Kind::floating) return "a floating-point number of " + bytes;
  return parameter.kind == Kind::integral ? "an integer or a pointer of " + bytes : bytes;
}

std::string described(const Argument& argument, const std::optional<DType>& type) {
  if (argument.role == Argument::Role::scalar) return "of type " + argument.type;
  return type ? "a tensor of " + std::string(info(*type).name) : "a tensor";
}

bool is_integral(std::string_view cpp) {
  return std::ranges::find(kIntegralTypes, cpp) != kIntegralTypes.end();
}

/// A tensor's address fits a pointer; if the pointer's element type is known, it must be the
/// tensor's.
bool takes_tensor(const KernelParameter& parameter, const std::string& cpp,
                  const std::optional<DType>& type) {
  if (parameter.size != kPointerBytes || parameter.kind == Kind::floating) return false;
  const bool is_number = is_integral(cpp) || cpp == "double";
  const auto wanted = dtype_of_cpp(pointee(cpp).value_or(""));
  return !is_number && (!wanted || !type || wanted == type);
}

bool takes_scalar(const KernelParameter& parameter, const std::string& cpp,
                  const ScalarType& type) {
  const bool is_floating = type.kind == ScalarType::Kind::floating;
  if (parameter.size != std::size_t(type.bytes) || cpp.find('*') != std::string::npos) return false;
  // Only names tell floating types of the same size apart; PTX has bytes for them.
  if (const auto wanted = dtype_of_cpp(cpp); wanted && plumbline::is_floating(*wanted))
    return info(*wanted).name == type.name;
  if (parameter.kind != Kind::unknown) return is_floating == (parameter.kind == Kind::floating);
  return !is_floating || !is_integral(cpp);
}

std::string names_of(const std::vector<Argument>& arguments) {
  std::string names;
  for (const Argument& argument : arguments) names += (names.empty() ? "" : ", ") + argument.name;
  return names;
}

}  // namespace

std::vector<std::string> entries_in_ptx(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry ";
  std::vector<std::string> names;
  for (auto at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + 1)) {
    const auto begin = at + kEntry.size();
    names.emplace_back(ptx.substr(begin, ptx.find_first_of("( \t\r\n", begin) - begin));
  }
  return names;
}

std::optional<std::vector<KernelParameter>> parameters_in_ptx(std::string_view ptx,
                                                              std::string_view symbol) {
  const std::string head = ".entry " + std::string(symbol);
  auto at = ptx.find(head);
  while (at != ptx.npos && at + head.size() < ptx.size() &&
         std::string_view("( \t\r\n").find(ptx[at + head.size()]) == std::string_view::npos)
    at = ptx.find(head, at + 1);
  if (at == ptx.npos) return std::nullopt;
  std::string_view rest = ptx.substr(at + head.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  std::vector<KernelParameter> parameters;
  if (!rest.starts_with('(')) return parameters;
  rest = rest.substr(1, rest.find(')') - 1);
  std::size_t end = 0;
  while (words_of(rest).size() > 1) {
    const auto comma = std::min(rest.find(','), rest.size());
    parameters.push_back(placed(rest.substr(0, comma), end));
    end = parameters.back().offset + parameters.back().size;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return parameters;
}

std::string mismatch(const std::vector<Argument>& arguments,
                     const std::vector<std::optional<DType>>& types,
                     const std::vector<KernelParameter>& parameters, const std::string& symbol) {
  std::vector<std::string> cpp = types_of(symbol);
  if (arguments.size() != parameters.size())
    return "the kernel has " + std::to_string(parameters.size()) + " parameters" +
           (cpp.size() == parameters.size() ? " (" + symbol + ")" : "") + ", 'args' declares " +
           std::to_string(arguments.size()) + ": " + names_of(arguments);
  cpp.resize(parameters.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelParameter& parameter = parameters[i];
    const ScalarType* scalar = scalar_type_named(arguments[i].type);
    const bool is_scalar = arguments[i].role == Argument::Role::scalar && scalar != nullptr;
    const std::string which = "parameter " + std::to_string(i + 1) + " of the kernel ";
    if (is_scalar ? !takes_scalar(parameter, cpp[i], *scalar)
                  : !takes_tensor(parameter, cpp[i], types[i]))
      return which + "is " + described(parameter, cpp[i]) + ", args." + arguments[i].name + " is " +
             described(arguments[i], types[i]);
    const std::size_t offset = (end + parameter.size - 1) / parameter.size * parameter.size;
    if (offset != parameter.offset)
      return which + "lies at byte " + std::to_string(parameter.offset) + ", args." +
             arguments[i].name + " at " + std::to_string(offset);
    end = offset + parameter.size;
  }
  return "";
}

}  // namespace plumbline
