#include "core/case.h"

#include <array>
#include <cstdio>

namespace plumbline {
namespace {

bool is_reserved(unsigned char c) {
  constexpr std::string_view kReserved = "/=,;|%\"";
  return c <= ' ' || c == 0x7f || kReserved.find(char(c)) != std::string_view::npos;
}

std::string escape(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (!is_reserved(c)) {
      out += char(c);
      continue;
    }
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "%%%02X", unsigned(c));
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

/// Parameters that say how a problem is run, not what it is: they do not touch the input data.
bool is_problem_param(std::string_view name) {
  return !name.starts_with("stream.") && !name.starts_with("library.") && name != "plan" &&
         name != "memory_format";
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

std::uint64_t problem_seed(const Case& c, std::uint64_t run_seed) {
  // From the id, which leaves out what is at its default: a new parameter changes no data.
  std::uint64_t hash = stable_hash(std::to_string(run_seed) + '\n' + c.name);
  for (const auto& [key, value] : case_id_parts(c.id))
    if (!key.empty() && is_problem_param(key)) hash = stable_hash('\n' + key + '=' + value, hash);
  return hash;
}

}  // namespace plumbline
