#include "store/run/run_copy.h"

#include <span>

#include "store/run/run_writer.h"

namespace plumbline {

void write_run_copy(const Run& run, const std::string& path) {
  RunWriter writer(path, run.info);
  for (std::size_t begin = 0; begin < run.rows.size();) {
    const auto parts = std::size_t(run.rows[begin].parts);
    writer.append_visit(std::span(run.rows).subspan(begin, parts));
    begin += parts;
  }
  if (!run.info.finished_at.empty()) writer.finish(run.info.finished_at);
}

}  // namespace plumbline
