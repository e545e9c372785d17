#include "core/run/case.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/op/op_spec.h"

namespace plumbline {
namespace {

constexpr std::array<bool, 256> kIsReserved = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c <= ' '; ++c) table[c] = true;
  for (const unsigned char c : std::string_view("/=,;|%\"\x7f")) table[c] = true;
  return table;
}();

bool is_reserved(char c) { return kIsReserved[static_cast<unsigned char>(c)]; }

std::string escape(std::string text) {
  if (std::ranges::none_of(text, is_reserved)) return text;
  std::string out;
  for (const char c : text) {
    if (!is_reserved(c)) {
      out += c;
      continue;
    }
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "%%%02X", unsigned(static_cast<unsigned char>(c)));
    out += code.data();
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                       hex_digit(text[i + 2]) >= 0;
    out += coded ? char(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return out;
}

}  // namespace

std::string case_id(const std::string& name, const std::string& backend, const Params& shown) {
  std::string id = escape(name) + '/' + escape(backend);
  for (const auto& [key, value] : shown) id += '/' + escape(key) + '=' + escape(to_text(value));
  return id;
}

std::vector<std::pair<std::string, std::string>> case_id_parts(const std::string& id) {
  std::vector<std::pair<std::string, std::string>> parts;
  std::string_view rest = id;
  while (true) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos)
      parts.emplace_back("", unescape(part));
    else
      parts.emplace_back(unescape(part.substr(0, equals)), unescape(part.substr(equals + 1)));
    if (slash == std::string_view::npos) return parts;
    rest.remove_prefix(slash + 1);
  }
}

std::uint64_t stable_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

std::string stable_hash_text(std::string_view text) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(stable_hash(text)));
  return digits.data();
}

std::string problem_text(const Case& c, std::uint64_t run_seed) {
  // Made from the id, which leaves out defaults: a new parameter changes no input data.
  std::string text = std::to_string(run_seed) + '\n' + c.name;
  for (const auto& [key, value] : case_id_parts(c.id))
    if (!key.empty() && is_problem_param(key)) text += '\n' + key + '=' + value;
  return text;
}

std::uint64_t problem_seed(const Case& c, std::uint64_t run_seed) {
  return stable_hash(problem_text(c, run_seed));
}

}  // namespace plumbline
