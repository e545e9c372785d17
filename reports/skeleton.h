/// A page from its skeleton (page.html) and what is put into it.
///
/// Knows no page.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace plumbline {

/// Replaces each {{name}} of the skeleton; what is put in is not looked at again.
std::string fill(std::string_view skeleton, const std::map<std::string_view, std::string>& places);

}  // namespace plumbline
