#include "store/redacted/placeholders.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace plumbline {
namespace {

/// Names that tell nothing, and that texts of every machine hold.
constexpr std::string_view kOfEverybody[] = {"head", "localhost", "main",  "master",
                                             "root", "runner",    "trunk", "ubuntu"};

/// Common folders at the root of a file system. A text that begins with one is a path, even inside
/// a word.
constexpr std::string_view kRoots[] = {"/home/", "/Users/", "/root/",    "/srv/",     "/opt/",
                                       "/mnt/",  "/data/",  "/scratch/", "/private/", "/Volumes/",
                                       "/tmp/",  "/usr/",   "/var/"};

/// Ends that tell what kind of file it is.
constexpr std::string_view kEnds[] = {".c",  ".cc", ".cpp", ".cu",  ".cuh", ".h",    ".hpp", ".py",
                                      ".so", ".pt", ".csv", ".txt", ".yml", ".yaml", ".json"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
/// Bytes beyond ASCII are letters of some language, too.
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<signed char>(c) < 0;
}
bool is_word(char c) { return is_alnum(c) || c == '_'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = char(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

/// Ends an address or an identifier in a text.
bool is_delimiter(char c) {
  return (static_cast<unsigned char>(c) <= ' ') ||
         std::string_view("\"'`,;()[]{}<>|=").find(c) != std::string_view::npos;
}

/// The length of `pattern` at the beginning of `text`, 0 where it is something else. In the
/// pattern `x` is a hexadecimal digit, the rest itself.
std::size_t matched(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == 'x' ? !is_hex(text[i]) : text[i] != pattern[i]) return 0;
  return pattern.size();
}

/// What a text says at this place that nobody shall read.
struct Mention {
  std::size_t length = 0;
  Redaction redaction = Redaction::text;
};

/// "1.2.3.4", and nothing like it that is longer or shorter.
std::size_t ipv4_length(std::string_view text) {
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !text.substr(at).starts_with('.')) return 0;
    if (part > 0) ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == begin || at - begin > 3) return 0;
  }
  const bool goes_on = at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1]);
  return goes_on ? 0 : at;
}

/// "2001:db8::1"; not "a::b" of C++ or a time of day.
std::size_t ipv6_length(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return is_hex(c) || c == ':'; });
  const std::string_view all(text.begin(), end);
  const std::string_view first = all.substr(0, all.find(':'));
  const bool is_short =
      all.find("::") != all.npos && first.size() == 4 && std::ranges::any_of(first, is_digit);
  return is_short || std::ranges::count(all, ':') == 7 ? all.size() : 0;
}

/// A path begins here: "/home/x", "~/x", "../x", "C:\x", "file:///x", also behind "-L" or "@".
bool begins_path(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto before = [&](std::size_t back) { return at >= back ? text[at - back] : ' '; };
  const char last = before(1);
  if (rest[0] == '/') {
    const bool is_rooted = rest.size() > 1 && (is_word(rest[1]) || rest[1] == '.') &&
                           !is_word(last) &&
                           std::string_view("./)]>*").find(last) == std::string_view::npos;
    const bool is_of_flag = is_letter(last) && before(2) == '-' && is_delimiter(before(3));
    return is_rooted || is_of_flag ||
           std::ranges::any_of(kRoots, [&](auto root) { return rest.starts_with(root); });
  }
  if (is_word(last)) return false;
  if (rest[0] == '~') {
    const auto name = std::ranges::find_if_not(rest.substr(1), is_word);
    return name != rest.end() && *name == '/';
  }
  if (rest.starts_with("../")) return last != '.';
  if (rest.starts_with("\\\\")) return rest.size() > 2 && is_word(rest[2]);
  if (!is_letter(rest[0])) return false;
  const auto scheme = std::ranges::find_if_not(rest, is_alnum);
  const std::string_view behind(scheme, rest.end());
  return behind.starts_with("://") || (scheme - rest.begin() == 1 && behind.starts_with(":\\"));
}

/// A path may hold blanks, commas and brackets: nobody can tell where it ends but by a quotation
/// mark or by the end of the line.
std::size_t path_length(std::string_view text) {
  std::size_t at = 0;
  for (bool is_escaped = false; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"' && !is_escaped) break;
    is_escaped = text[at] == '\\' && !is_escaped;
  }
  return at;
}

bool is_mail(std::string_view token) {
  const std::size_t at = token.find('@');
  return at != token.npos && at > 0 && token.find('.', at) != token.npos &&
         is_word(token[at - 1]) && at + 1 < token.size() && is_word(token[at + 1]);
}

Mention mention_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (begins_path(text, at)) return {path_length(rest), Redaction::path};
  const char last = at == 0 ? ' ' : text[at - 1];
  if (is_delimiter(last) || last == ':') {
    const std::string_view token(rest.begin(), std::ranges::find_if(rest, is_delimiter));
    if (is_mail(token)) return {token.size(), Redaction::user};
  }
  if (is_alnum(last)) return {};
  for (const std::string_view pattern :
       {"GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "MIG-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
        "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "xxxxxxxx:xx:xx.x", "xxxx:xx:xx.x", "xx:xx.x"})
    if (const std::size_t length = matched(rest, pattern)) return {length, Redaction::device};
  if (const std::size_t length = matched(rest, "xx:xx:xx:xx:xx:xx"))
    return {length, Redaction::host};
  if (last == '.' || last == ':') return {};
  return {std::max(ipv4_length(rest), ipv6_length(rest)), Redaction::host};
}

/// The parts of a name that tell as much as the whole.
std::vector<std::string> parts_of(std::string_view name, std::string_view ends) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (ends.find(c) != ends.npos)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\""), end = text.find_last_not_of(" \t\"");
  return begin == text.npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

bool Placeholders::LongestFirst::operator()(const std::string& a, const std::string& b) const {
  return a.size() != b.size() ? a.size() > b.size() : a < b;
}

void Placeholders::learn(const std::string& value, const std::string& placeholder) {
  constexpr std::size_t kTelling = 2;  // a letter is a part of texts of everybody
  const std::string low = lowered(value);
  if (low.size() >= kTelling && std::ranges::find(kOfEverybody, low) == std::end(kOfEverybody))
    secrets_.emplace(low, placeholder);
}

void Placeholders::learn_parts(Redaction redaction, const std::string& value,
                               const std::string& placeholder) {
  constexpr std::size_t kTelling = 4;  // shorter parts are words of everybody: "von", "fix"
  const auto learn_long = [&](const std::string& part) {
    const bool is_number = std::ranges::all_of(part, is_digit);
    if (part.size() >= kTelling && !is_number) learn(part, placeholder);
  };
  if (redaction == Redaction::branch) {
    for (const std::string& part : parts_of(value, "/")) learn_long(part);
  } else if (redaction == Redaction::host) {
    const std::size_t dot = value.find('.');
    const std::string label = value.substr(0, dot);
    if (!std::ranges::all_of(label, is_digit)) learn(label, placeholder);
    if (dot != std::string::npos) learn_long(value.substr(dot + 1));
  } else if (redaction == Redaction::user) {
    for (const std::string& half : parts_of(value, "<>")) {
      const std::string name = trimmed(half);
      learn(name, placeholder);
      learn(name.substr(0, name.find('@')), placeholder);
      for (const std::string& part : parts_of(name, " @")) learn_long(part);
    }
  }
}

std::string Placeholders::one(const std::string& word, const std::string& value) {
  std::string& placeholder = known_[{word, value}];
  if (placeholder.empty()) placeholder = word + "-" + std::to_string(++counts_[word]) + "-" + tag_;
  return placeholder;
}

std::string Placeholders::of(Redaction redaction, const std::string& value) {
  if (value.empty()) return "";
  if (redaction == Redaction::device) {
    const std::size_t comma = value.find(',');
    const std::string first = value.substr(0, comma);
    const bool is_gpu = first.starts_with("GPU-") || first.starts_with("MIG-");
    const std::string placeholder = one(is_gpu ? "gpu" : "device", first);
    learn(first, placeholder);
    return comma == std::string::npos ? placeholder
                                      : placeholder + "," + of(redaction, value.substr(comma + 1));
  }
  const std::string placeholder = one(std::string(word_of(redaction)), value);
  const bool is_name = redaction == Redaction::host || redaction == Redaction::user ||
                       redaction == Redaction::boot || redaction == Redaction::path ||
                       redaction == Redaction::branch;
  if (is_name) learn(value, placeholder);
  learn_parts(redaction, value, placeholder);
  if (redaction != Redaction::path) return placeholder;
  for (const std::string_view homes : {"/home/", "/Users/"})
    if (value.starts_with(homes)) {
      const std::string name =
          value.substr(homes.size(), value.find('/', homes.size()) - homes.size());
      learn(name, one("user", name));
    }
  // A suite stays a suite, a kernel a kernel.
  const auto end = std::ranges::find_if(kEnds, [&](auto known) { return value.ends_with(known); });
  return placeholder + std::string(end == std::end(kEnds) ? "" : *end);
}

/// The longest hidden value that stands here as a word of its own: its length and placeholder.
std::pair<std::size_t, std::string> Placeholders::secret_at(const std::string& low,
                                                            std::size_t at) const {
  for (const auto& [value, placeholder] : secrets_) {
    if (low.compare(at, value.size(), value) != 0) continue;
    const std::size_t end = at + value.size();
    const bool is_whole = (at == 0 || !is_alnum(low[at - 1]) || !is_alnum(value.front())) &&
                          (end == low.size() || !is_alnum(low[end]) || !is_alnum(value.back()));
    if (is_whole) return {value.size(), placeholder};
  }
  return {};
}

std::string Placeholders::scrubbed(const std::string& text) {
  const std::string low = lowered(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Mention found = mention_at(text, at);
    const auto [length, placeholder] = secret_at(low, at);
    if (found.length == 0 && length == 0)
      out += text[at];
    else
      out +=
          found.length > length ? of(found.redaction, text.substr(at, found.length)) : placeholder;
    at += std::max({found.length, length, std::size_t(1)});
  }
  return out;
}

}  // namespace plumbline
