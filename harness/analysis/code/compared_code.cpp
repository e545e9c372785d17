#include "analysis/code/compared_code.h"

#include <map>
#include <utility>

#include "analysis/code/disassembly.h"
#include "analysis/code/line_diff.h"

namespace plumbline {
namespace {

using Lines = std::vector<CodeLine>;

std::vector<std::string_view> texts_of(const Lines& lines, std::string CodeLine::*member) {
  std::vector<std::string_view> texts;
  for (const CodeLine& line : lines) texts.emplace_back(line.*member);
  return texts;
}

/// Takes branches out of the pairs that lead to labels which are not paired with each other.
void part_branches(const Lines& before, const Lines& after, CommonLines& common) {
  std::map<int, int> partners;
  for (const auto& [i, j] : common.pairs)
    if (before[i].is_label) partners[before[i].label] = after[j].label;
  std::erase_if(common.pairs, [&](const auto& pair) {
    const CodeLine &was = before[pair.first], &is = after[pair.second];
    if (was.is_label || was.label == 0) return false;
    const auto partner = partners.find(was.label);
    return partner == partners.end() || partner->second != is.label;
  });
}

}  // namespace

void compare_code_texts(std::string_view before, std::string_view after, CodeChange& change) {
  const Lines a = code_lines(before), b = code_lines(after);
  change.before.instructions = instructions_in(a);
  change.after.instructions = instructions_in(b);
  change.mix = changed_mix(a, b);
  CommonLines common = common_lines(texts_of(a, &CodeLine::key), texts_of(b, &CodeLine::key));
  change.is_partial = common.before < a.size() || common.after < b.size();
  if (!change.is_partial) part_branches(a, b, common);
  UnifiedDiff diff = unified_diff(texts_of(a, &CodeLine::text), texts_of(b, &CodeLine::text),
                                  common, kMostDiffLines);
  change.diff = std::move(diff.lines);
  change.left_out = diff.left_out;
}

}  // namespace plumbline
