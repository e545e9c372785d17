/// libFuzzer's entry: PLUMBLINE_FUZZ=TARGET fuzzer [libFuzzer's options] FOLDER…
///
/// Half of the changes are made by the target's grammar, the others by libFuzzer. With
/// PLUMBLINE_FUZZ_BYTES=1 all are libFuzzer's, to see what the grammar is worth.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "fuzz/mutation/mutation.h"
#include "fuzz/one_input.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

namespace {

using plumbline::simulation::Dice;

const plumbline::fuzz::Target& target() {
  static const plumbline::fuzz::Target chosen = [] {
    const char* name = std::getenv("PLUMBLINE_FUZZ");
    return plumbline::fuzz::target_named(name ? name : "");
  }();
  return chosen;
}

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Size of what was written; 0 if nothing was.
std::size_t change(std::string_view input, std::string_view other, Dice& dice, std::uint8_t* out,
                   std::size_t most) {
  const auto changed = plumbline::fuzz::changed_by_grammar(target(), input, other, dice);
  if (!changed || changed->size() > most) return 0;
  std::memcpy(out, changed->data(), changed->size());
  return changed->size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  plumbline::fuzz::is_read(target(), text_of(bytes, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  static const bool has_bytes_alone = std::getenv("PLUMBLINE_FUZZ_BYTES") != nullptr;
  Dice dice(seed);
  if (!has_bytes_alone && dice.chance(0.5)) {
    const std::string_view input = text_of(bytes, size);
    if (const std::size_t changed = change(input, input, dice, bytes, most); changed > 0)
      return changed;
  }
  return LLVMFuzzerMutate(bytes, size, most);
}

/// The second input gives parts to the first one.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
  if (std::getenv("PLUMBLINE_FUZZ_BYTES") != nullptr) return 0;
  Dice dice(seed);
  return change(text_of(first, first_size), text_of(second, second_size), dice, out, most);
}
