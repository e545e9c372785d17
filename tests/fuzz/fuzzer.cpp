/// libFuzzer's entry: PLUMBLINE_FUZZ=TARGET fuzzer [libFuzzer's options] FOLDER…

#include <cstdint>
#include <cstdlib>

#include "fuzz/one_input.h"

namespace {

const plumbline::fuzz::Target& target() {
  static const plumbline::fuzz::Target chosen = [] {
    const char* name = std::getenv("PLUMBLINE_FUZZ");
    return plumbline::fuzz::target_named(name ? name : "");
  }();
  return chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  plumbline::fuzz::is_read(target(), {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
