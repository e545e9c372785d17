#include "reports/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/error.h"
#include "core/run/metric.h"
#include "reports/assets.h"

namespace plumbline {
namespace {

struct Entry {
  std::string_view word, text;
};
using Entries = std::map<std::string, Entry, std::less<>>;

/// One entry on each line; skips empty lines and those that begin with #.
Entries read_glossary() {
  Entries entries;
  for (std::string_view rest = glossary_text(); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(": ");
    if (colon == line.npos)
      throw Error(fmt::format("reports/glossary.txt: no colon in “{}”", line));
    const std::string_view word = line.substr(0, colon);
    if (!entries.emplace(term_of(word), Entry{word, line.substr(colon + 2)}).second)
      throw Error(fmt::format("reports/glossary.txt: “{}” stands there twice", word));
  }
  return entries;
}

const Entries& glossary() {
  static const Entries kEntries = read_glossary();
  return kEntries;
}

bool is_of_a_term(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// The beginnings of marks; the term follows.
constexpr std::array<std::string_view, 2> kMarks{"popovertarget=\"term-",
                                                 "aria-describedby=\"term-"};

}  // namespace

std::string term_of(std::string_view word) {
  std::string term(word);
  std::ranges::replace(term, ' ', '_');
  return term;
}

std::string meaning_of(std::string_view term) {
  if (const auto found = glossary().find(term); found != glossary().end())
    return std::string(found->second.text);
  const Metric* metric = find_metric(term);
  if (metric == nullptr) return "";
  std::string text(metric->doc);
  if (text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text + '.';
}

std::vector<std::string> glossary_terms() {
  std::vector<std::string> terms;
  for (const auto& [term, entry] : glossary()) terms.push_back(term);
  return terms;
}

std::vector<std::string> marked_terms(std::string_view page) {
  std::set<std::string> terms;
  for (const std::string_view mark : kMarks)
    for (std::size_t at = 0; (at = page.find(mark, at)) != page.npos;) {
      const std::string_view rest = page.substr(at += mark.size());
      const std::string_view term =
          rest.substr(0, std::size_t(std::ranges::find_if_not(rest, is_of_a_term) - rest.begin()));
      if (!term.empty()) terms.emplace(term);
    }
  return {terms.begin(), terms.end()};
}

PageData meanings_data(std::string_view body, std::span<const std::string> of_scripts) {
  std::map<std::string, bool> terms;  // true: only scripts mark it; not printed
  for (const std::string& term : of_scripts) terms[term] = true;
  for (const std::string& term : marked_terms(body)) terms[term] = false;
  PageData data = PageData::array();
  for (const auto& [term, is_scripted] : terms) {
    std::string text = meaning_of(term);
    if (text.empty())
      throw Error(fmt::format("reports/glossary.txt does not say what {} is", term));
    const auto entry = glossary().find(term);
    const std::string word(entry == glossary().end() ? std::string_view(term) : entry->second.word);
    data.push_back(
        {{"term", term}, {"word", word}, {"text", std::move(text)}, {"is_scripted", is_scripted}});
  }
  return data;
}

PageData said_data(std::string_view text, std::span<const std::string_view> words) {
  struct Place {
    std::size_t at;
    std::string_view word;
  };
  std::vector<Place> places;
  for (const std::string_view word : words)
    if (const std::size_t at = text.find(word); at != text.npos) places.push_back({at, word});
  std::ranges::sort(places, {}, &Place::at);
  PageData parts = PageData::array();
  std::size_t done = 0;
  for (const auto& [at, word] : places) {
    if (at < done) continue;
    const std::size_t end = at + word.size() + (text.substr(at + word.size()).starts_with('s'));
    parts.push_back({{"term", ""}, {"text", text.substr(done, at - done)}});
    std::string term = term_of(word);
    if (term[0] >= 'A' && term[0] <= 'Z') term[0] += 'a' - 'A';  // the term begins a sentence
    parts.push_back({{"term", std::move(term)}, {"text", text.substr(at, end - at)}});
    done = end;
  }
  parts.push_back({{"term", ""}, {"text", text.substr(done)}});
  return parts;
}

}  // namespace plumbline
