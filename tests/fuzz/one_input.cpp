#include "fuzz/one_input.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "core/error.h"

namespace plumbline::fuzz {
namespace {

/// A folder of this process, in memory where the system has such a place; removed at the end.
class Folder {
 public:
  Folder() {
    path_ = std::filesystem::is_directory("/dev/shm")
                ? "/dev/shm"
                : std::filesystem::temp_directory_path().string();
    path_ += "/plumbline-fuzz-XXXXXX";
    demand(mkdtemp(path_.data()) != nullptr, "a temporary folder can be made");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Target target_named(std::string_view name) {
  std::string known;
  for (const Target& target : targets()) {
    if (target.name == name) return target;
    known += ' ' + std::string(target.name);
  }
  std::fprintf(stderr, "There is no target '%.*s'; allowed:%s\n", static_cast<int>(name.size()),
               name.data(), known.c_str());
  std::exit(2);
}

bool is_read(const Target& target, std::string_view input) {
  static const Folder folder;
  try {
    target.read(input, folder.path());
    return true;
  } catch (const Error& error) {
    demand(*error.what() != '\0', "an error has words");
    if (std::getenv("PLUMBLINE_FUZZ_SAY"))
      std::fprintf(stderr, "  refused: %.300s\n", error.what());
  } catch (const std::exception& other) {
    demand(false, std::string("a mistake in a file is an Error; found ") + other.what());
  }
  return false;
}

}  // namespace plumbline::fuzz
