/// Hands the counts of injected faults to scripts/fault_table: rows of JSON in the file that the
/// variable PLUMBLINE_FAULT_ROWS names. fault_rows.py says what the fields mean.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plumbline {

struct FaultRow {
  std::string kind, moment, happened, bar;
  std::uint64_t injected = 0, survived = 0, visits_lost = 0, wrong_verdicts = 0;
};

/// Does nothing without the variable. Throws std::runtime_error if the file cannot be written.
inline void hand_over(const FaultRow& row) {
  const char* path = std::getenv("PLUMBLINE_FAULT_ROWS");
  if (path == nullptr || *path == '\0') return;
  const nlohmann::ordered_json json = {{"kind", row.kind},
                                       {"moment", row.moment},
                                       {"happened", row.happened},
                                       {"bar", row.bar},
                                       {"injected", row.injected},
                                       {"survived", row.survived},
                                       {"visits_lost", row.visits_lost},
                                       {"wrong_verdicts", row.wrong_verdicts}};
  std::ofstream rows(path, std::ios::app);
  rows << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  if (!rows.flush()) throw std::runtime_error(std::string(path) + ": cannot write it");
}

}  // namespace plumbline
