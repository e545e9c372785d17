#include "core/code_hash.h"

#include <algorithm>
#include <vector>

namespace plumbline {

std::string code_hash(const Case& c, std::span<const FileRef> files) {
  if (files.empty()) return "";
  std::vector<std::string> lines;
  for (const FileRef& file : files)
    lines.push_back(file.path.substr(file.path.rfind('/') + 1) + '=' + file.hash);
  std::ranges::sort(lines);  // by name: folders differ from side to side
  std::string text = c.declaration ? implementation_text(*c.declaration) : "";
  for (const std::string& line : lines) text += '\n' + line;
  return stable_hash_text(text);
}

}  // namespace plumbline
