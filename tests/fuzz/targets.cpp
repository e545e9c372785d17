#include "fuzz/targets.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plumbline::fuzz {

std::vector<Target> targets() {
  std::vector<Target> all;
  for (const std::span<const Target> some :
       {suite_targets(), suite_file_targets(), run_targets(), verdict_targets(), import_targets(),
        message_targets(), code_targets(), bundle_targets()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<std::string> parts(std::string_view input, std::size_t count,
                               std::string_view between) {
  std::vector<std::string> found;
  for (std::size_t at;
       (at = input.find(between)) != std::string_view::npos && found.size() + 1 < count;) {
    found.emplace_back(input.substr(0, at));
    input.remove_prefix(at + between.size());
  }
  found.emplace_back(input);
  found.resize(count);
  return found;
}

std::string written(const std::string& folder, const std::string& name, std::string_view text) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  demand(bool(file), "the folder of inputs can be written to");
  return path.string();
}

void demand(bool holds, std::string_view promise) {
  if (holds) return;
  std::fprintf(stderr, "A promise was not kept: %.*s\n", static_cast<int>(promise.size()),
               promise.data());
  std::abort();
}

}  // namespace plumbline::fuzz
