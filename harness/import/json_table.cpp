#include <fmt/format.h>

#include <map>
#include <set>

#include "core/error.h"
#include "core/value.h"
#include "import/table.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

constexpr std::string_view kListSeparator = ";";
constexpr std::size_t kMostColumns = 10'000;
constexpr std::size_t kDeepest = 64;

struct Document {
  ParsedJson root;
  std::string file;  // "FILE", or "FILE: line 3"
};

/// A value that becomes a row, and where it is.
struct JsonRow {
  const Document* document;
  const ParsedJson* value;
  std::string path;                // "/results/3"
  std::vector<std::string> named;  // texts of the steps of `rows` that have names
};

/// A value of a row, by its column's name.
struct JsonField {
  std::string text, path;
  bool is_list = false;
};
using JsonFields = std::map<std::string, JsonField>;

std::string scalar_text(const ParsedJson& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return shortest_text(value.get<double>());
  return value.dump();  // integers, true, false
}

bool is_list_of_scalars(const ParsedJson& value) {
  if (!value.is_array()) return false;
  for (const ParsedJson& item : value)
    if (item.is_structured()) return false;
  return true;
}

/// Adds the scalars and lists of scalars below `value`, named by their paths.
void flatten(const ParsedJson& value, const std::string& name, const std::string& path,
             const std::string& file, JsonFields& fields, std::size_t depth = 0) {
  if (depth > kDeepest)
    throw Error(fmt::format("{}: at {}: found values nested deeper than {}; expected results", file,
                            shown(path), kDeepest));
  if (value.is_structured() && !is_list_of_scalars(value)) {
    const std::string stem = name.empty() ? "" : name + ".";
    std::size_t number = 0;
    for (const auto& [key, item] : value.items()) {
      const std::string step = value.is_array() ? std::to_string(number++) : key;
      flatten(item, stem + step, path + "/" + step, file, fields, depth + 1);
    }
    return;
  }
  JsonField field{"", path, value.is_array()};
  if (value.is_array())
    for (const ParsedJson& item : value)
      field.text +=
          (&item == &value.front() ? "" : std::string(kListSeparator)) + scalar_text(item);
  else
    field.text = scalar_text(value);
  if (const auto [known, is_new] = fields.try_emplace(name.empty() ? "value" : name, field);
      !is_new)
    throw Error(
        fmt::format("{}: at {}: found a second value named '{}', after {}; expected each "
                    "name once",
                    file, path, name, known->second.path));
}

class JsonTable : public ForeignTable {
 public:
  JsonTable(const std::string& path, JsonForm form, const ImportMapping& mapping)
      : mapping_(mapping) {
    read_documents(path, form);
    for (const Document& document : documents_) {
      JsonRow row{&document, &document.root, "", {}};
      if (!mapping.rows.steps.empty())
        walk(row, 0);
      else if (document.root.is_array())
        each_item(row, [&](const JsonRow& item, const std::string&) { rows_.push_back(item); });
      else
        rows_.push_back(row);
    }
    std::set<std::string> known;
    for (const JsonRow& row : rows_)
      for (const auto& [name, field] : fields_of(row))
        if (known.insert(name).second) header_.push_back(name);
    if (header_.size() > kMostColumns)
      throw Error(
          fmt::format("{}: found {} different paths in its rows; allowed: {}; 'rows' in the "
                      "mapping says where the rows are",
                      path, header_.size(), kMostColumns));
  }

  const std::vector<std::string>& header() const override { return header_; }
  bool next() override {
    if (next_ == rows_.size()) return false;
    current_ = fields_of(rows_[next_]);
    ++next_;
    return true;
  }
  std::string_view field(std::size_t column) const override {
    const auto found = current_.find(header_[column]);
    return found == current_.end() ? "" : std::string_view(found->second.text);
  }
  std::string_view separator(std::size_t column) const override {
    const auto found = current_.find(header_[column]);
    return found != current_.end() && found->second.is_list ? kListSeparator : "";
  }
  std::string place() const override {
    const JsonRow& row = rows_[next_ - 1];
    return fmt::format("{}: at {}", row.document->file, row.path.empty() ? "/" : row.path);
  }
  std::string place(std::size_t column) const override {
    const auto found = column < header_.size() ? current_.find(header_[column]) : current_.end();
    if (found != current_.end())
      return fmt::format("{}: at {}", rows_[next_ - 1].document->file, found->second.path);
    return column < header_.size() ? place() + ", " + header_[column] : place();
  }

 private:
  void read_documents(const std::string& path, JsonForm form) {
    if (form == JsonForm::document) {
      documents_.push_back({read_json(path), path});
      return;
    }
    const std::string text = read_text(path);
    std::size_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view one = std::string_view(text).substr(begin, end - begin);
      const std::string file = fmt::format("{}: line {}", path, ++line);
      if (one.find_first_not_of(" \t\r") != std::string_view::npos)
        documents_.push_back({parse_json(one, file), file});
      begin = end + 1;
    }
  }

  template <class Take>
  void each_item(const JsonRow& row, Take take) const {
    std::size_t number = 0;
    for (const auto& [key, item] : row.value->items()) {
      const std::string step = row.value->is_array() ? std::to_string(number++) : key;
      take(JsonRow{row.document, &item, row.path + "/" + step, row.named}, step);
    }
  }

  /// Follows the steps of `rows`, from the given one.
  void walk(const JsonRow& row, std::size_t depth) {
    if (depth == mapping_.rows.steps.size()) {
      rows_.push_back(row);
      return;
    }
    const RowStep& step = mapping_.rows.steps[depth];
    const JsonView view(*row.value, row.document->file, row.path);
    if (step.kind == RowStep::Kind::member) {
      const auto found = row.value->is_object() ? row.value->find(step.name) : row.value->end();
      if (found == row.value->end())
        view.fail(
            fmt::format("an object with '{}', as 'rows' at {} says", step.name, mapping_.rows.at));
      walk({row.document, &*found, row.path + "/" + step.name, row.named}, depth + 1);
      return;
    }
    if (!row.value->is_structured())
      view.fail(fmt::format("a list or an object, as 'rows' at {} says", mapping_.rows.at));
    each_item(row, [&](JsonRow item, const std::string& text) {
      if (step.kind == RowStep::Kind::named) item.named.push_back(text);
      walk(item, depth + 1);
    });
  }

  JsonFields fields_of(const JsonRow& row) const {
    JsonFields fields;
    std::size_t named = 0;
    const ParsedJson* above = &row.document->root;  // null below the first step to several values
    std::string name = ".", path;
    for (const RowStep& step : mapping_.rows.steps) {
      if (step.kind == RowStep::Kind::named)
        fields[step.name] = {row.named[named++], row.path, false};
      if (step.kind != RowStep::Kind::member) above = nullptr;
      if (!above) continue;
      // The values beside the one that leads to the rows, named from the root.
      for (const auto& [key, item] : above->items())
        if (key != step.name)
          flatten(item, name + key, path + "/" + key, row.document->file, fields);
      above = &above->at(step.name);
      name += step.name + ".";
      path += "/" + step.name;
    }
    flatten(*row.value, "", row.path, row.document->file, fields);
    return fields;
  }

  const ImportMapping& mapping_;
  std::vector<Document> documents_;
  std::vector<JsonRow> rows_;
  std::vector<std::string> header_;
  std::size_t next_ = 0;
  JsonFields current_;
};

}  // namespace

std::unique_ptr<ForeignTable> json_table(const std::string& path, JsonForm form,
                                         const ImportMapping& mapping) {
  return std::make_unique<JsonTable>(path, form, mapping);
}

}  // namespace plumbline
