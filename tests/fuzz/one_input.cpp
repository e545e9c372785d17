#include "fuzz/one_input.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "core/error.h"
#include "support/scratch_folder.h"

namespace plumbline::fuzz {

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
  static const ScratchFolder folder("fuzz");
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
