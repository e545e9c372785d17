#include "workflow/setup/cache_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.h"

namespace plumbline {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

}  // namespace

std::string cache_folder() {
  if (const std::string set = variable("PLUMBLINE_CACHE"); !set.empty()) return set;
  const std::string home = variable("HOME");
  return (home.empty() ? "/tmp" : home) + "/.cache/plumbline";
}

std::string made_cache_folder(const std::string& name) {
  const std::string folder = fs::absolute(cache_folder()).string() + "/" + name;
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || access(folder.c_str(), W_OK) != 0)
    throw Error("cannot write to " + folder + (problem ? ": " + problem.message() : "") +
                "; make it writable, or set PLUMBLINE_CACHE to a folder that is");
  return folder;
}

}  // namespace plumbline
