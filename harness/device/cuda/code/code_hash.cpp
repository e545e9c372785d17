#include "device/cuda/code/code_hash.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "core/run/case.h"

namespace plumbline::cuda {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint64_t kModuleBank = 3, kAddressBank = 4;
// Where an instruction's first 8 bytes have its operand in a constant bank, seen in what nvdisasm
// 13 prints for sm_80 to sm_120: bits 9 to 11 of the opcode say that there is one.
constexpr unsigned kFormShift = 9, kBankShift = 54, kOffsetShift = 40;
constexpr std::uint64_t kFormMask = 7, kBankMask = 0x1f, kOffsetMask = 0x3fff;
constexpr std::uint64_t kThirdIsConstant = 3, kSecondIsConstant = 5;

bool reads_bank(std::uint64_t word, std::uint64_t bank) {
  const std::uint64_t form = word >> kFormShift & kFormMask;
  const bool has_constant = form == kThirdIsConstant || form == kSecondIsConstant;
  return has_constant && (word >> kBankShift & kBankMask) == bank;
}

std::uint64_t word_at(std::string_view code, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, code.data() + at, sizeof word);
  return word;
}

/// True if the function may read variables of its module.
bool uses_variables(const CubinFunction& function) {
  for (std::size_t at = 0; at + kInstructionBytes <= function.code.size();
       at += kInstructionBytes) {
    const std::uint64_t word = word_at(function.code, at);
    if (reads_bank(word, kAddressBank) || reads_bank(word, kModuleBank)) return true;
  }
  return !function.relocations.empty();
}

/// Appends what the function and those that it calls execute, each function once.
void append_code(const Cubin& cubin, const CubinFunction& function,
                 std::set<std::string_view>& seen, std::string& text) {
  if (!seen.insert(function.name).second) return;
  text += without_addresses(function.code);
  text += function.constants;
  for (const Relocation& relocation : function.relocations) {
    text += '\n' + std::to_string(relocation.offset) + ' ' + std::to_string(relocation.type) + ' ' +
            std::to_string(relocation.addend);
    if (const CubinFunction* const called = cubin.find(relocation.symbol))
      append_code(cubin, *called, seen, text);
  }
}

void append_instructions(const Cubin& cubin, const CubinFunction& function,
                         std::set<std::string_view>& seen, std::string& code) {
  if (!seen.insert(function.name).second) return;
  code += without_addresses(function.code);
  for (const Relocation& relocation : function.relocations)
    if (const CubinFunction* const called = cubin.find(relocation.symbol))
      append_instructions(cubin, *called, seen, code);
}

}  // namespace

std::string called_code(const Cubin& cubin, const CubinFunction& function) {
  std::set<std::string_view> seen;
  std::string code;
  append_instructions(cubin, function, seen, code);
  return code;
}

std::string without_addresses(std::string_view code) {
  std::string text(code);
  for (std::size_t at = 0; at + kInstructionBytes <= text.size(); at += kInstructionBytes) {
    std::uint64_t word = word_at(text, at);
    if (!reads_bank(word, kAddressBank)) continue;
    word &= ~(kOffsetMask << kOffsetShift);
    std::memcpy(text.data() + at, &word, sizeof word);
  }
  return text;
}

std::string code_hash(const Cubin& cubin, const CubinFunction& function) {
  std::set<std::string_view> seen;
  std::string text;
  append_code(cubin, function, seen, text);
  if (std::ranges::any_of(seen,
                          [&](std::string_view name) { return uses_variables(*cubin.find(name)); }))
    text += cubin.data;
  return stable_hash_text(text);
}

}  // namespace plumbline::cuda
