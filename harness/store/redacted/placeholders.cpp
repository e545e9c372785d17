#include "store/redacted/placeholders.h"

#include <algorithm>
#include <cctype>

namespace plumbline {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }

/// Ends a path, an address or an identifier in a text.
bool is_delimiter(char c) {
  return static_cast<unsigned char>(c) <= ' ' ||
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

std::size_t token_length(std::string_view text) {
  return std::size_t(std::ranges::find_if(text, is_delimiter) - text.begin());
}

/// "/home/x", "~/x", "C:\x", "file:///x": a path that begins at a folder that is told.
bool is_path(std::string_view token) {
  const bool is_rooted = token.starts_with('/') && token.size() > 1 &&
                         (is_word(token[1]) || token[1] == '.') && token.find('/', 1) != token.npos;
  const bool is_of_windows = token.size() > 3 &&
                             std::isalpha(static_cast<unsigned char>(token[0])) &&
                             token[1] == ':' && token[2] == '\\';
  return is_rooted || is_of_windows || token.starts_with("~/") || token.starts_with("../") ||
         token.find("://") != token.npos;
}

bool is_mail(std::string_view token) {
  const std::size_t at = token.find('@');
  return at != token.npos && at > 0 && token.find('.', at) != token.npos &&
         is_word(token[at - 1]) && at + 1 < token.size() && is_word(token[at + 1]);
}

/// `begins_token`: the character before is a delimiter, or there is none.
Mention mention_at(std::string_view text, bool begins_token, bool begins_word) {
  if (begins_token) {
    const std::size_t length = token_length(text);
    if (is_path(text.substr(0, length))) return {length, Redaction::path};
    if (is_mail(text.substr(0, length))) return {length, Redaction::user};
  }
  if (!begins_word) return {};
  for (const std::string_view pattern :
       {"GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "MIG-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
        "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "xxxxxxxx:xx:xx.x", "xxxx:xx:xx.x"})
    if (const std::size_t length = matched(text, pattern)) return {length, Redaction::device};
  return {};
}

/// All occurrences that are words of their own.
void replace_words(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool is_whole = (at == 0 || !is_word(text[at - 1]) || !is_word(word.front())) &&
                          (end == text.size() || !is_word(text[end]) || !is_word(word.back()));
    if (is_whole) text.replace(at, word.size(), by);
    at += is_whole ? by.size() : 1;
  }
}

}  // namespace

void Placeholders::learn(const std::string& value, const std::string& placeholder) {
  constexpr std::size_t kTelling = 4;  // shorter ones are parts of words of everybody
  if (value.size() < kTelling) return;
  secrets_.emplace_back(value, placeholder);
  // The longest first: a path before the name of the user in it.
  std::ranges::stable_sort(secrets_, std::greater<>(),
                           [](const auto& secret) { return secret.first.size(); });
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
                       redaction == Redaction::boot || redaction == Redaction::path;
  if (is_name) learn(value, placeholder);
  if (redaction != Redaction::path) return placeholder;
  for (const std::string_view homes : {"/home/", "/Users/"})
    if (value.starts_with(homes)) {
      const std::string name =
          value.substr(homes.size(), value.find('/', homes.size()) - homes.size());
      learn(name, one("user", name));
    }
  // A suite stays a suite, a kernel a kernel.
  const std::size_t dot = value.rfind('.'), slash = value.rfind('/');
  const bool has_end = dot != std::string::npos &&
                       (slash == std::string::npos || dot > slash + 1) && value.size() - dot <= 5 &&
                       std::all_of(value.begin() + std::ptrdiff_t(dot) + 1, value.end(), is_word);
  return placeholder + (has_end ? value.substr(dot) : "");
}

std::string Placeholders::scrubbed(const std::string& text) {
  std::string clean = text;
  for (const auto& [value, placeholder] : secrets_) replace_words(clean, value, placeholder);
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    const bool begins_token = at == 0 || is_delimiter(clean[at - 1]) || clean[at - 1] == ':';
    const bool begins_word = at == 0 || !is_word(clean[at - 1]);
    const Mention found = mention_at(std::string_view(clean).substr(at), begins_token, begins_word);
    if (found.length == 0) {
      out += clean[at++];
      continue;
    }
    out += of(found.redaction, clean.substr(at, found.length));
    at += found.length;
  }
  return out;
}

}  // namespace plumbline
