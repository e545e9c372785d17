/// What the words of the pages mean: one text for each, in glossary.txt.
///
/// A word is marked by its name, with `_` for blanks, where readers may ask for it:
///
///   <button class="term" popovertarget="term-time_added">time added</button>    a word in a text
///   <a href="…" aria-describedby="term-slower">                    what is a link or a header
///   anyway term('time added')                     in a script; C++ lists its word for
///   meanings_data()
///
/// and its page holds the text as a popover (terms.js shows it under a resting pointer as well). On
/// paper they stand at the end. A mark without a text is an error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/template.h"

namespace plumbline {

/// The name by which a word is marked: `looks slower` is looks_slower.
std::string term_of(std::string_view word);

/// "" where there is none. Of a metric that the glossary leaves out: what Metric::doc says.
std::string meaning_of(std::string_view term);

/// The names of all words of the glossary.
std::vector<std::string> glossary_terms();

/// Those that are marked in a page or a template, each once.
std::vector<std::string> marked_terms(std::string_view page);

/// Of the template page, what is marked in `body` and what its scripts mark, each once. Throws
/// Error for a mark without a text.
PageData meanings_data(std::string_view body, std::span<const std::string> of_scripts = {});

/// Of parts/said.html: the text, in which the first of each of those words is marked.
PageData said_data(std::string_view text, std::span<const std::string_view> words);

}  // namespace plumbline
