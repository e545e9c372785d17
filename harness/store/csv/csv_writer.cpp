#include "store/csv/csv_writer.h"

#include <csv.h>

namespace plumbline {

void append_csv_field(std::string& out, std::string_view field, bool first) {
  if (!first) out += ',';
  if (field.find_first_of("\",\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  const std::size_t begin = out.size();
  out.resize(begin + 2 * field.size() + 2);  // room for a field of quotes, and two around it
  const std::size_t written =
      csv_write(out.data() + begin, out.size() - begin, field.data(), field.size());
  out.resize(begin + written);
}

}  // namespace plumbline
