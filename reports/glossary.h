/// The meanings of the words on the pages: one text for each, in glossary.txt.
///
/// A word is marked by its name, with `_` for blanks, where readers may need its meaning:
///
///   <button class="term" popovertarget="term-time_added">time added</button>    a word in a text
///   <a href="…" aria-describedby="term-slower">                    what is a link or a header
///   anyway term('time added')                     in a script; C++ lists its word for
///   meanings_data()
///
/// Its page contains the text as a popover (terms.js also shows it under a resting pointer). When
/// printed, the texts are at the end. A mark without a text is an error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/template.h"

namespace plumbline {

/// The name that marks a word: `looks slower` is looks_slower.
std::string term_of(std::string_view word);

/// "" if there is none. For a metric that the glossary leaves out, Metric::doc.
std::string meaning_of(std::string_view term);

/// The names of all words of the glossary.
std::vector<std::string> glossary_terms();

/// The names that a page or a template marks, each once.
std::vector<std::string> marked_terms(std::string_view page);

/// For the template page: the terms marked in `body` and by its scripts, each once. Throws Error
/// for a mark without a text.
PageData meanings_data(std::string_view body, std::span<const std::string> of_scripts = {});

/// For parts/said.html: the text, with the first occurrence of each word marked.
PageData said_data(std::string_view text, std::span<const std::string_view> words);

}  // namespace plumbline
