#include "suite/select.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/pattern.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

bool fits(const std::string& id, std::string_view filter) {
  const bool is_negative = filter.starts_with('!');
  if (is_negative) filter.remove_prefix(1);
  const bool found =
      is_pattern(filter) ? matches_pattern(id, filter) : id.find(filter) != std::string::npos;
  return found != is_negative;
}

void check_tags(const std::vector<Case>& cases, const std::vector<std::string>& wanted) {
  std::set<std::string> known;
  for (const Case& c : cases) known.insert(c.tags.begin(), c.tags.end());
  for (const std::string& tag : wanted)
    if (!known.contains(tag))
      throw Error("--tag " + tag + ": no case has this tag" +
                  allowed_names(tag, {known.begin(), known.end()}));
}

void check_ids(const std::vector<Case>& cases, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  std::set<std::string_view> known;
  for (const Case& c : cases) known.insert(c.id);
  for (const std::string& id : wanted) {
    if (known.contains(id)) continue;
    const std::string near = nearest_id(id, {known.begin(), known.end()});
    throw Error("--case " + id + ": there is no such case" +
                (near.empty() ? "; there are none" : "; the nearest is '" + near + "'"));
  }
}

}  // namespace

std::string nearest_id(const std::string& id, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const std::string& other : known) {
    const auto begin = std::ranges::mismatch(id, other).in1 - id.begin();
    const auto end =
        std::mismatch(id.rbegin(), id.rend(), other.rbegin(), other.rend()).first - id.rbegin();
    const auto gap = std::abs(std::ssize(other) - std::ssize(id));
    const auto shared = 2 * (begin + end) - gap;
    if (best && shared <= most) continue;
    best = &other;
    most = shared;
  }
  return best ? *best : "";
}

std::vector<Case> select(std::vector<Case> cases, const Selection& selection) {
  check_tags(cases, selection.tags);
  check_ids(cases, selection.cases);
  const std::set<std::string_view> ids(selection.cases.begin(), selection.cases.end());
  std::erase_if(cases, [&](const Case& c) {
    const auto has_tag = [&](const std::string& tag) {
      return std::ranges::find(c.tags, tag) != c.tags.end();
    };
    const auto filter_fits = [&](const std::string& filter) { return fits(c.id, filter); };
    return (!ids.empty() && !ids.contains(c.id)) ||
           (!selection.tags.empty() && std::ranges::none_of(selection.tags, has_tag)) ||
           !std::ranges::all_of(selection.filters, filter_fits);
  });
  return cases;
}

}  // namespace plumbline
