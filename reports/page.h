/// The frame of all pages: page.html.
#pragma once

#include <span>
#include <string>

#include "reports/assets.h"
#include "reports/template.h"

namespace plumbline {

/// A page that contains its styles and scripts. `body`: HTML of <main>. `data`: a list of name and
/// json; scripts read it from elements `data-<name>`. `terms`: words that its scripts mark
/// (glossary.h).
std::string self_contained_page(const std::string& title, const Assets& assets, std::string body,
                                PageData data = PageData::array(),
                                std::span<const std::string> terms = {});

}  // namespace plumbline
