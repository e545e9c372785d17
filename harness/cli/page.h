/// The page about a run or a comparison, from files to a file.
///
/// Reads runs and git; how a page looks is reports/'s.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `inputs`: one comparison.json, or one run in one or more parts; "" as title names it by what it
/// shows; `history` is a folder of runs whose earlier ones each case is shown beside, "" for none.
/// Throws Error.
void write_page(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& title, const std::string& history);

}  // namespace plumbline
