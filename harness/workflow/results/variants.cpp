#include "workflow/results/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/op/library_settings.h"
#include "core/op/techniques.h"
#include "core/run/case.h"
#include "core/words.h"
#include "store/csv/column.h"
#include "suite/declared/op_params.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

constexpr std::size_t kUndeclared = std::numeric_limits<std::size_t>::max();

/// An id without the axis, and the case's value of it by name; "" if the id has none.
struct SplitId {
  std::string rest, value;
};

/// The axis of all techniques together, and its name for a case that uses none.
constexpr std::string_view kTechnique = "technique", kNone = "none";

bool is_of_axis(const std::string& key, const std::string& axis) {
  if (axis == kTechnique) return is_technique(key);
  return key == axis || (key.starts_with(axis) && key[axis.size()] == '.');
}

SplitId split_id(std::string_view id, const std::string& axis) {
  SplitId split;
  for (std::size_t i = 0;; ++i) {
    const std::size_t slash = id.find('/');
    const std::string part(id.substr(0, slash));
    const auto [key, text] = case_id_parts(part).front();
    const bool is_backend = i == 1 && key.empty();
    if (axis == "backend" ? is_backend : is_of_axis(key, axis))
      split.value += (split.value.empty() ? "" : ", ") + (is_backend ? text : key + "=" + text);
    else
      split.rest += (i == 0 ? "" : "/") + part;
    if (slash == id.npos) return split;
    id.remove_prefix(slash + 1);
  }
}

/// The value of the axis for a case that does not name it; "" if its op has no such parameter.
std::string default_of(const std::string& axis, std::string_view op, const Catalogue& catalogue) {
  const CatalogueEntry* const entry = find_op(catalogue, op);
  if (axis == kTechnique) return entry ? "" : std::string(kNone);
  static const std::vector<ParamSpec> kSettings = [] {
    std::vector<ParamSpec> settings = technique_params();  // the op may be a network
    settings.insert(settings.end(), library_params().begin(), library_params().end());
    return settings;
  }();
  const OpParams params(std::string(op), entry ? &entry->spec : nullptr, kSettings);
  if (const ParamSpec* const param = params.find(axis))
    return param->fallback ? axis + "=" + to_text(*param->fallback) : "";
  return params.is_group(axis) ? axis + "={}" : "";
}

/// A case that has the axis.
struct Member {
  CaseRows rows;
  SplitId id;
  bool is_default = false;
  std::size_t place = kUndeclared;  // among the declared values
};

/// The place of a value in its axis if no suite declares it: backends in the order of their list,
/// numbers by value, texts after all numbers.
double rank_of(std::string_view value) {
  const auto* const backend = std::ranges::find(kBackends, value);
  if (backend != std::end(kBackends)) return double(backend - std::begin(kBackends));
  double number = 0;
  const bool is_number = parse_number(value.substr(value.rfind('=') + 1), number);
  return is_number && std::isfinite(number) ? number : std::numeric_limits<double>::infinity();
}

/// The order of values: declared ones as in the suite, then defaults, then by rank.
using ValueOrder = std::tuple<std::size_t, bool, double, std::string_view>;

ValueOrder order_of(const Member& member) {
  const std::string& value = member.id.value;
  return {member.place, !member.is_default, rank_of(value), value};
}

/// The parts of a value: "optimizer=adamw, update=fused".
std::vector<std::string> parts_of(const std::string& value) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find(", ", begin), value.size());
    parts.push_back(value.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

/// Techniques that all cases of a group have belong to what they compute: they move from the value
/// into the id. So `optimizer: adamw` of one network is not set beside another without it.
void move_shared_techniques(std::vector<SplitId*>& group) {
  std::vector<std::string> shared = parts_of(group.front()->value);
  for (const SplitId* const split : group) {
    const std::vector<std::string> own = parts_of(split->value);
    std::erase_if(
        shared, [&](const std::string& part) { return std::ranges::find(own, part) == own.end(); });
  }
  for (SplitId* const split : group) {
    std::string left;
    for (const std::string& part : parts_of(split->value))
      if (std::ranges::find(shared, part) == shared.end())
        left += (left.empty() ? "" : ", ") + part;
    split->value = left;
    for (const std::string& part : shared) split->rest += "/" + part;
  }
}

std::vector<SplitId> split_ids(const std::vector<CaseRows>& cases, const std::string& axis) {
  std::vector<SplitId> splits;
  for (const CaseRows& rows : cases) splits.push_back(split_id(rows.case_id, axis));
  if (axis != kTechnique) return splits;
  std::map<std::pair<std::string_view, std::string>, std::vector<SplitId*>> groups;
  for (std::size_t i = 0; i < cases.size(); ++i)
    groups[{cases[i].suite, splits[i].rest}].push_back(&splits[i]);
  for (auto& [key, group] : groups) move_shared_techniques(group);
  return splits;
}

std::vector<Member> members_of(std::vector<CaseRows> cases, const VariantsAsked& asked,
                               const Catalogue& catalogue) {
  std::vector<SplitId> splits = split_ids(cases, asked.axis);
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const CaseKey& key : asked.declared)
    places.try_emplace({key.suite, key.case_id}, places.size());
  std::vector<Member> members;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseRows& rows = cases[i];
    Member member;
    member.id = std::move(splits[i]);
    member.is_default = member.id.value.empty();
    if (member.is_default) member.id.value = default_of(asked.axis, rows.op, catalogue);
    if (member.id.value.empty()) continue;
    if (const auto place = places.find({rows.suite, rows.case_id}); place != places.end())
      member.place = place->second;
    member.rows = std::move(rows);
    members.push_back(std::move(member));
  }
  std::ranges::sort(members, {}, [](const Member& member) {
    return std::tuple(order_of(member), member.rows.suite, std::string_view(member.id.rest));
  });
  return members;
}

/// Throws Error that names the known axes.
[[noreturn]] void fail_without_axis(const Run& run, const std::string& axis) {
  std::set<std::string> known{"backend"};
  for (const ResultRow& row : run.rows)
    for (const auto& [key, value] : case_id_parts(row.case_id)) {
      if (!key.empty()) known.insert(key);
      if (is_technique(key)) known.insert(std::string(kTechnique));
      if (const std::size_t dot = key.find('.'); dot != key.npos) known.insert(key.substr(0, dot));
    }
  throw Error(fmt::format("--variants {}: no case of {} has an axis '{}'{}", axis, run.path, axis,
                          allowed_names(axis, {known.begin(), known.end()})));
}

std::vector<std::string> values_of(const std::vector<Member>& members) {
  std::vector<std::string> values;
  for (const Member& member : members)
    if (std::ranges::find(values, member.id.value) == values.end())
      values.push_back(member.id.value);
  return values;
}

/// The requested reference, or the first one that was measured.
std::string reference_among(const std::vector<Member>& members, const VariantsAsked& asked) {
  if (asked.reference.empty()) {
    const auto first =
        std::ranges::find_if(members, [](const Member& member) { return member.rows.measured(); });
    return (first == members.end() ? members.begin() : first)->id.value;
  }
  const std::vector<std::string> values = values_of(members);
  for (const std::string& name : {asked.reference, asked.axis + "=" + asked.reference})
    if (std::ranges::find(values, name) != values.end()) return name;
  throw Error(fmt::format("--reference {}: no case has that value of '{}'{}", asked.reference,
                          asked.axis, allowed_names(asked.reference, values)));
}

/// Cases that are equal except for the axis, by its value.
using Group = std::map<std::string_view, const Member*>;

/// In the order of the members.
std::vector<Group> groups_of(const std::vector<Member>& members) {
  std::vector<Group> groups;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const Member& member : members) {
    const auto [place, is_new] =
        places.try_emplace({member.rows.suite, member.id.rest}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].emplace(member.id.value, &member);
  }
  return groups;
}

/// True if two cases cost the same, as far as known. A dtype changes the bytes to move, but not
/// what is computed.
bool is_same_work(const CaseRows& a, const CaseRows& b, const std::string& axis) {
  const ResultRow &one = *a.rows.front(), &other = *b.rows.front();
  const auto differ = [](double x, double y) { return std::abs(x - y) > 1e-9 * std::abs(x); };
  return !differ(one.flops, other.flops) && (axis == "dtype" || !differ(one.bytes, other.bytes));
}

/// True for a technique that leaves out a part of a network: its FLOPs are what it wins by.
bool leaves_out_work(std::string_view value, const std::string& axis) {
  return axis == "prune" || value.starts_with("prune=") || value.find(", prune=") != value.npos;
}

/// True if both have a value of some metric.
bool are_comparable(const CaseRows& a, const CaseRows& b) {
  if (is_failure(a.status) || is_failure(b.status) || a.revision != b.revision) return false;
  return std::ranges::any_of(a.metrics, [&](const MetricRows& rows) {
    return is_judged(rows.metric) &&
           std::ranges::find(b.metrics, rows.metric, &MetricRows::metric) != b.metrics.end();
  });
}

/// The cases that can be compared with the reference, and the numbers of others.
struct Selected {
  std::map<std::string_view, std::vector<const Member*>> members;  // by value
  std::set<std::string_view> comparable;                           // values with a ratio
  std::size_t without_axis = 0, lone = 0, without_reference = 0, other_work = 0;  // cases
};

/// Adds the cases of a group that contains the reference.
void add_group(const Group& group, const Member& reference, const std::string& axis,
               Selected& selected) {
  std::vector<const Member*> same;
  for (const auto& [value, member] : group)
    if (leaves_out_work(value, axis) || leaves_out_work(reference.id.value, axis) ||
        is_same_work(reference.rows, member->rows, axis))
      same.push_back(member);
  selected.other_work += group.size() - same.size();
  if (same.size() < 2) return;
  for (const Member* const member : same) {
    selected.members[member->id.value].push_back(member);
    if (are_comparable(reference.rows, member->rows)) selected.comparable.insert(member->id.value);
  }
}

Selected selected_from(const std::vector<Group>& groups, const std::string& reference,
                       const std::string& axis) {
  Selected selected;
  for (const Group& group : groups) {
    const auto first = group.find(reference);
    if (group.size() > 1 && first != group.end())
      add_group(group, *first->second, axis, selected);
    else
      (group.size() == 1 ? selected.lone : selected.without_reference) += group.size();
  }
  return selected;
}

std::vector<std::string> notes_of(const Selected& selected, const std::string& reference,
                                  const std::string& axis) {
  std::vector<std::string> notes;
  const auto add = [&](std::size_t cases, const std::string& why) {
    if (cases > 0) notes.push_back(counted(cases, "case") + " left out: " + why);
  };
  add(selected.without_axis, "no '" + axis + "'");
  add(selected.lone, "no other case differs by '" + axis + "' alone");
  add(selected.without_reference, "none like them has " + reference);
  add(selected.other_work,
      "their FLOPs or bytes are not those of " + reference + ", so that it is not the same work");
  for (const auto& [value, members] : selected.members)
    if (!selected.comparable.contains(value)) {
      const CaseRows& one = members.front()->rows;
      notes.push_back(fmt::format("{} left out: none of its cases can be compared with {}; {} {}{}",
                                  value, reference, one.case_id, name_of(one.status),
                                  one.reason.empty() ? "" : ": " + one.reason));
    }
  return notes;
}

Run run_of(const Run& whole, const std::vector<const Member*>& members) {
  Run run;
  run.info = whole.info;
  run.path = whole.path;
  for (const Member* const member : members)
    for (const ResultRow* const row : member->rows.rows)
      run.rows.emplace_back(*row).case_id = member->id.rest;
  return run;
}

}  // namespace

Variants variants_in(const Run& run, const VariantsAsked& asked, const Catalogue& catalogue) {
  std::vector<CaseRows> cases = rows_by_case(run);
  const std::size_t count = cases.size();
  const std::vector<Member> members = members_of(std::move(cases), asked, catalogue);
  if (members.empty()) fail_without_axis(run, asked.axis);
  Variants variants;
  variants.reference = reference_among(members, asked);
  Selected selected = selected_from(groups_of(members), variants.reference, asked.axis);
  selected.without_axis = count - members.size();
  variants.notes = notes_of(selected, variants.reference, asked.axis);
  for (const std::string& value : values_of(members)) {
    if (!selected.comparable.contains(value)) continue;
    variants.names.push_back(value);
    variants.runs.push_back(run_of(run, selected.members.at(value)));
  }
  if (variants.runs.size() > 1) return variants;
  std::string why;
  for (const std::string& note : variants.notes) why += "; " + note;
  throw Error(fmt::format("--variants {}: no two measured cases of {} differ by '{}' alone{}",
                          asked.axis, run.path, asked.axis, why));
}

}  // namespace plumbline
