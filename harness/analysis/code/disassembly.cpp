#include "analysis/code/disassembly.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

namespace plumbline {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;
constexpr std::string_view kAddress = "/*", kAddressEnd = "*/";
/// Instructions whose last operand is the place of another instruction.
constexpr std::array<std::string_view, 8> kBranches{"BRA", "JMP",  "CALL", "BSSY",
                                                    "BRX", "BRXU", "SSY",  "PBK"};
constexpr std::string_view kCollective = "WARPSYNC.COLLECTIVE";

struct Instruction {
  std::uint64_t address = 0;
  std::string text;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Without what nvdisasm prints of scheduling for some architectures: "&req={1} ?trans5".
std::string_view without_scheduling(std::string_view text) {
  for (std::size_t at = 0; at + 2 < text.size(); ++at)
    if (text[at] == ' ' && (text[at + 1] == '&' || text[at + 1] == '?') && text[at + 2] >= 'a' &&
        text[at + 2] <= 'z')
      return trimmed(text.substr(0, at));
  return text;
}

std::optional<std::uint64_t> hexadecimal(std::string_view digits) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// From `        /*01d0*/    @P1 BRA 0x320 ;`; nothing for other lines.
std::optional<Instruction> instruction_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with(kAddress)) return std::nullopt;
  const auto end = line.find(kAddressEnd);
  if (end == line.npos) return std::nullopt;
  const auto address = hexadecimal(line.substr(kAddress.size(), end - kAddress.size()));
  if (!address) return std::nullopt;
  line.remove_prefix(end + kAddressEnd.size());
  const auto semicolon = line.find(';');
  if (semicolon == line.npos) return std::nullopt;
  const std::string_view text = without_scheduling(trimmed(line.substr(0, semicolon)));
  if (text.empty()) return std::nullopt;
  return Instruction{*address, std::string(text)};
}

std::vector<Instruction> instructions_of(std::string_view text) {
  std::vector<Instruction> found;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (auto instruction = instruction_in(text.substr(0, end)))
      found.push_back(std::move(*instruction));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!found.empty() && opcode_of(found.back().text) == "NOP") found.pop_back();
  return found;
}

/// The last operand, where that is a number: "0x320" of "BRA 0x320", "-0xc0" of "BRX R2 -0xc0".
std::string_view last_number(std::string_view text) {
  const std::string_view last = text.substr(text.find_last_of(' ') + 1);
  return last.starts_with("0x") || last.starts_with("-0x") ? last : std::string_view();
}

/// Finds the instructions to which others lead.
class Targets {
 public:
  explicit Targets(std::span<const Instruction> code) {
    for (const Instruction& one : code) {
      known_.insert(one.address);
      if (opcode_of(one.text) == "CALL") returns_.insert(one.address + kInstructionBytes);
    }
  }

  /// Nothing if the last operand is no place in the code.
  std::optional<std::uint64_t> of(const Instruction& one) const {
    std::string_view number = last_number(one.text);
    if (number.empty()) return std::nullopt;
    const bool is_negative = number.starts_with('-');
    const auto value = hexadecimal(number.substr(is_negative ? 3 : 2));
    if (!value) return std::nullopt;
    const std::string_view opcode = opcode_of(one.text);
    // Of a table of branches: counted from the next instruction.
    const bool is_relative = opcode == "BRX" || opcode == "BRXU";
    const std::uint64_t sum =
        (is_negative ? 0 - *value : *value) + (is_relative ? one.address + kInstructionBytes : 0);
    // A call returns to the place that a MOV before it has put into a register.
    const bool is_return = opcode == "MOV" && returns_.contains(sum);
    const bool is_branch = std::ranges::find(kBranches, opcode) != kBranches.end() ||
                           one.text.find(kCollective) != std::string::npos;
    if ((!is_branch && !is_return) || !known_.contains(sum)) return std::nullopt;
    return sum;
  }

 private:
  std::set<std::uint64_t> known_, returns_;
};

}  // namespace

std::string_view opcode_of(std::string_view instruction) {
  instruction = trimmed(instruction);
  if (instruction.starts_with('@')) {
    instruction.remove_prefix(std::min(instruction.find(' '), instruction.size()));
    instruction = trimmed(instruction);
  }
  return instruction.substr(0, instruction.find_first_of(". "));
}

std::vector<CodeLine> code_lines(std::string_view nvdisasm) {
  const std::vector<Instruction> code = instructions_of(nvdisasm);
  const Targets targets(code);
  std::map<std::uint64_t, int> labels;
  for (const Instruction& one : code)
    if (const auto target = targets.of(one)) labels.emplace(*target, 0);
  int number = 0;
  for (auto& [address, label] : labels) label = ++number;
  std::vector<CodeLine> lines;
  for (const Instruction& one : code) {
    if (const auto label = labels.find(one.address); label != labels.end())
      lines.push_back({"L" + std::to_string(label->second) + ":", "L:", label->second, true});
    CodeLine& line = lines.emplace_back();
    const auto target = targets.of(one);
    const std::string begin =
        "  " +
        (target ? one.text.substr(0, one.text.size() - last_number(one.text).size()) : one.text);
    line.label = target ? labels.at(*target) : 0;
    line.text = target ? begin + "L" + std::to_string(line.label) : begin;
    line.key = target ? begin + "L" : begin;
  }
  return lines;
}

std::size_t instructions_in(std::span<const CodeLine> lines) {
  return std::size_t(std::ranges::count(lines, false, &CodeLine::is_label));
}

std::vector<OpcodeCount> changed_mix(std::span<const CodeLine> before,
                                     std::span<const CodeLine> after) {
  std::map<std::string_view, OpcodeCount> counts;
  for (const CodeLine& line : before)
    if (!line.is_label) ++counts[opcode_of(line.text)].before;
  for (const CodeLine& line : after)
    if (!line.is_label) ++counts[opcode_of(line.text)].after;
  std::vector<OpcodeCount> changed;
  for (auto& [opcode, count] : counts) {
    if (count.before == count.after) continue;
    count.opcode = opcode;
    changed.push_back(std::move(count));
  }
  const auto size = [](const OpcodeCount& count) {
    return std::max(count.before, count.after) - std::min(count.before, count.after);
  };
  std::ranges::stable_sort(changed, std::greater<>(), size);
  return changed;
}

}  // namespace plumbline
