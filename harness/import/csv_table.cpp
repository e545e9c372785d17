#include <fmt/format.h>

#include "core/error.h"
#include "import/table.h"
#include "store/csv/csv_reader.h"

namespace plumbline {
namespace {

class CsvTable : public ForeignTable {
 public:
  CsvTable(const std::string& path, const ImportMapping& mapping)
      : reader_(path, LastLineEnd::optional, mapping.delimiter), header_(reader_.header()) {
    if (header_.empty())
      throw Error(path + ": found no header, expected a line with the names of the columns");
    for (const NamedColumn& column : mapping.columns) {
      if (column.number > header_.size())
        throw Error(fmt::format("{}: column {} is not in {}, which has {}", column.at,
                                column.number, path, header_.size()));
      header_[column.number - 1] = column.name;
    }
    require_unique(path, mapping);
  }

  const std::vector<std::string>& header() const override { return header_; }
  bool next() override {
    if (reader_.next()) return true;
    if (reader_.torn()) throw Error(*reader_.torn());
    return false;
  }
  std::string_view field(std::size_t column) const override { return reader_.field(column); }
  std::string place() const override { return reader_.place(header_.size()); }
  std::string place(std::size_t column) const override { return reader_.place(column); }

 private:
  void require_unique(const std::string& path, const ImportMapping& mapping) const {
    for (const NamedColumn& column : mapping.columns)
      for (std::size_t i = 0; i < header_.size(); ++i)
        if (header_[i] == column.name && i + 1 != column.number)
          throw Error(fmt::format("{}: column {} of {} has the name '{}' already; give another",
                                  column.at, i + 1, path, column.name));
  }

  CsvReader reader_;
  std::vector<std::string> header_;
};

}  // namespace

void ForeignTable::fail(std::size_t column, std::string_view found,
                        std::string_view expected) const {
  throw Error(fmt::format("{}: found {}, expected {}", place(column), found, expected));
}

std::unique_ptr<ForeignTable> csv_table(const std::string& path, const ImportMapping& mapping) {
  return std::make_unique<CsvTable>(path, mapping);
}

}  // namespace plumbline
