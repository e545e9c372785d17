#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "import/table.h"

namespace plumbline {
namespace {

/// A pattern with one name in it: what stands before and after the name.
struct Affixes {
  std::string before, after;

  /// What stands in place of the name; nothing if the column does not fit.
  std::optional<std::string> name_in(std::string_view column) const {
    if (column.size() <= before.size() + after.size() || !column.starts_with(before) ||
        !column.ends_with(after))
      return std::nullopt;
    return std::string(column.substr(before.size(), column.size() - before.size() - after.size()));
  }
  std::size_t size() const { return before.size() + after.size(); }
};

Affixes affixes_of(const MappedText& pattern) {
  Affixes affixes;
  const std::string mark(1, '\0');
  const std::string text = filled(pattern.pattern, [&](const std::string&) { return mark; });
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), text.substr(at + 1)};
}

class MeltedTable : public ForeignTable {
 public:
  MeltedTable(std::unique_ptr<ForeignTable> wide, const std::string& path,
              const ImportMapping& mapping)
      : wide_(std::move(wide)) {
    std::vector<Affixes> patterns;
    for (const auto& [value, pattern] : mapping.melt) patterns.push_back(affixes_of(pattern));
    for (std::size_t i = 0; i < wide_->header().size(); ++i) sort_in(i, patterns);
    for (std::size_t v = 0; v < patterns.size(); ++v) require_fit(v, path, mapping);
    header_.push_back(names_in_pattern(mapping.melt.front().second.pattern).front());
    for (const auto& [value, pattern] : mapping.melt) header_.push_back(value);
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (std::ranges::find(header_.begin(), header_.begin() + std::ptrdiff_t(i), header_[i]) !=
          header_.begin() + std::ptrdiff_t(i))
        throw Error(fmt::format("{}: '{}' is a column of {} already; 'melt' needs another name",
                                mapping.melt.front().second.at, header_[i], path));
  }

  const std::vector<std::string>& header() const override { return header_; }
  bool next() override {
    ++name_;
    if (name_ < names_.size()) return true;
    name_ = 0;
    return wide_->next();
  }
  std::string_view field(std::size_t column) const override {
    if (column == kept_.size()) return names_[name_].text;
    const std::size_t from = source(column);
    return from == kNone ? "" : wide_->field(from);
  }
  std::string_view separator(std::size_t column) const override {
    const std::size_t from = source(column);
    return from == kNone ? "" : wide_->separator(from);
  }
  std::string place() const override { return wide_->place() + ", " + names_[name_].text; }
  std::string place(std::size_t column) const override {
    const std::size_t from = column < header_.size() ? source(column) : kNone;
    return from == kNone ? place() : wide_->place(from);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Name {
    std::string text;
    std::vector<std::size_t> columns;  // of the wide table, for each value
  };

  /// Gives a column of the wide table to the pattern that fits it with the longest text.
  void sort_in(std::size_t column, const std::vector<Affixes>& patterns) {
    std::size_t best = kNone;
    for (std::size_t v = 0; v < patterns.size(); ++v)
      if (patterns[v].name_in(wide_->header()[column]) &&
          (best == kNone || patterns[v].size() > patterns[best].size()))
        best = v;
    if (best == kNone) {
      kept_.push_back(column);
      header_.push_back(wide_->header()[column]);
      return;
    }
    const std::string text = *patterns[best].name_in(wide_->header()[column]);
    auto known = std::ranges::find(names_, text, &Name::text);
    if (known == names_.end())
      known = names_.insert(known, {text, std::vector<std::size_t>(patterns.size(), kNone)});
    known->columns[best] = column;
  }

  void require_fit(std::size_t value, const std::string& path, const ImportMapping& mapping) const {
    if (std::ranges::any_of(names_, [&](const Name& name) { return name.columns[value] != kNone; }))
      return;
    std::string all;
    for (const std::string& one : wide_->header()) all += (all.empty() ? "" : ", ") + one;
    throw Error(fmt::format("{}: no column of {} fits '{}'; it has: {}",
                            mapping.melt[value].second.at, path, mapping.melt[value].second.pattern,
                            all));
  }

  std::size_t source(std::size_t column) const {
    if (column < kept_.size()) return kept_[column];
    return column == kept_.size() ? kNone : names_[name_].columns[column - kept_.size() - 1];
  }

  std::unique_ptr<ForeignTable> wide_;
  std::vector<std::string> header_;
  std::vector<std::size_t> kept_;
  std::vector<Name> names_;
  std::size_t name_ = kNone - 1;  // the first next() reads a row
};

}  // namespace

std::unique_ptr<ForeignTable> melted_table(std::unique_ptr<ForeignTable> wide,
                                           const std::string& path, const ImportMapping& mapping) {
  if (mapping.melt.empty()) return wide;
  return std::make_unique<MeltedTable>(std::move(wide), path, mapping);
}

}  // namespace plumbline
