#include "store/recorded/changed_code.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "store/recorded/kernels.h"

namespace plumbline {
namespace {

/// The column `kernels` of each case, from its last row that has any.
using Texts = std::map<CaseKey, std::string_view>;

Texts kernel_texts(const Run& run) {
  Texts texts;
  for (const ResultRow& row : run.rows)
    if (!row.kernels.empty()) texts[{row.suite, row.case_id}] = row.kernels;
  return texts;
}

/// Kernels without copies.
std::vector<KernelRecord> kernels_in(const Texts& texts, const CaseKey& key) {
  const auto found = texts.find(key);
  if (found == texts.end()) return {};
  std::vector<KernelRecord> kernels = kernels_of(found->second);
  std::erase_if(kernels, [](const KernelRecord& kernel) { return kernel.bytes > 0; });
  return kernels;
}

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CodeSide side_of(const KernelRecord& kernel) {
  return {kernel.code, 0, known(kernel.registers), known(kernel.local_bytes)};
}

/// Kernels by name, each code once, without those whose code the other side has, too.
std::map<std::string, std::vector<KernelRecord>> own_code(const std::vector<KernelRecord>& kernels,
                                                          const std::vector<KernelRecord>& others) {
  std::map<std::string, std::vector<KernelRecord>> own;
  for (const KernelRecord& kernel : kernels) {
    const auto is_same = [&](const KernelRecord& other) {
      return other.name == kernel.name && other.code == kernel.code;
    };
    std::vector<KernelRecord>& found = own[kernel.name];
    if (!kernel.code.empty() && std::ranges::none_of(others, is_same) &&
        std::ranges::none_of(found, is_same))
      found.push_back(kernel);
  }
  return own;
}

bool is_of_interest(const Finding& finding) {
  return finding.verdict == Verdict::slower || finding.verdict == Verdict::faster ||
         finding.cause != 0;
}

}  // namespace

std::vector<CodeChange> changed_code(const Comparison& comparison, const Run& a, const Run& b) {
  const Texts of_a = kernel_texts(a), of_b = kernel_texts(b);
  std::vector<CodeChange> changes;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by both hashes
  std::set<CaseKey> seen;
  for (const Finding& finding : comparison.findings) {
    const CaseKey key{finding.suite, finding.case_id};
    if (!is_of_interest(finding) || !seen.insert(key).second) continue;
    std::vector<KernelRecord> before = kernels_in(of_a, key);
    if (before.empty() && !finding.renamed_from.empty())
      before = kernels_in(of_a, {finding.suite, finding.renamed_from});
    const std::vector<KernelRecord> after = kernels_in(of_b, key);
    const auto was = own_code(before, after), is = own_code(after, before);
    for (const auto& [name, kernels] : is) {
      const auto partners = was.find(name);
      if (partners == was.end()) continue;
      for (std::size_t i = 0; i < std::min(kernels.size(), partners->second.size()); ++i) {
        const KernelRecord &old = partners->second[i], &now = kernels[i];
        const auto [place, is_new] = places.try_emplace({old.code, now.code}, changes.size());
        if (is_new) {
          CodeChange& change = changes.emplace_back();
          change.kernel = name;
          change.before = side_of(old);
          change.after = side_of(now);
        }
        changes[place->second].cases.push_back({finding.suite, finding.case_id});
      }
    }
  }
  return changes;
}

std::set<CaseKey> cases_of_equal_code(const Run& a, const Run& b) {
  const Texts of_a = kernel_texts(a), of_b = kernel_texts(b);
  std::set<CaseKey> equal;
  for (const auto& [key, text] : of_b) {
    const std::vector<KernelRecord> before = kernels_in(of_a, key), after = kernels_in(of_b, key);
    const auto is_same = [](const KernelRecord& was, const KernelRecord& is) {
      return was.name == is.name && !was.code.empty() && was.code == is.code &&
             was.grid == is.grid && was.block == is.block;
    };
    if (!after.empty() && std::ranges::equal(before, after, is_same)) equal.insert(key);
  }
  return equal;
}

}  // namespace plumbline
