#include "store/csv/columns.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace plumbline {
namespace {

void print_part(const ResultRow& row, std::string& out) {
  out += std::to_string(row.part) + "/" + std::to_string(row.parts);
}

std::string_view parse_part(std::string_view field, ResultRow& row) {
  const std::size_t slash = field.find('/');
  const bool fine =
      slash != std::string_view::npos && parse_integer(field.substr(0, slash), row.part) &&
      parse_integer(field.substr(slash + 1), row.parts) && row.part >= 1 && row.part <= row.parts;
  return fine ? "" : "I/N with I from 1 to N, such as 1/2";
}

void print_samples(const ResultRow& row, std::string& out) {
  for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
    if (i > 0) out += '|';
    append_numbers(out, row.samples.block(i));
  }
}

std::string_view parse_samples(std::string_view field, ResultRow& row) {
  constexpr std::string_view kExpected = "numbers with ';' between samples and '|' between blocks";
  SampleSet samples;
  std::vector<double> block;
  while (!field.empty()) {
    const std::size_t end = field.find('|');
    const bool fine = end > 0 && end + 1 != field.size();
    if (!fine || !parse_numbers(field.substr(0, end), block)) return kExpected;
    samples.add_block(block);
    field.remove_prefix(end == std::string_view::npos ? field.size() : end + 1);
  }
  row.samples = samples;  // a copy, because it holds no more memory than it needs
  return "";
}

void print_spent(const ResultRow& row, std::string& out) { append_seconds(out, row.spent_s); }

/// No verdict and no page needs it, and it would be a fifth of the memory of a run.
std::string_view check_spent(std::string_view field, ResultRow&) {
  NamedSeconds spent;
  return parse_seconds(field, spent) ? "" : kSecondsForm;
}

using R = ResultRow;

constexpr CsvColumn<R> kColumns[] = {
    text_column<R, &R::suite>("suite", kRequired, "name of the suite"),
    text_column<R, &R::case_id>("case", kRequired,
                                "case id, `op/backend/key=value/…`: with the revision, the "
                                "identity across commits"),
    text_column<R, &R::op>("op", kRequired, "what is computed"),
    text_column<R, &R::backend>("backend", kRequired, "who computes it"),
    text_column<R, &R::revision>("revision", kRequired, "of the problem (inputs, reference, cost)"),
    text_column<R, &R::device>("device", kOptional, "UUID of the device"),
    status_column<R>("how the measuring ended: OK, WRONG, UNVERIFIED, UNSUPPORTED, EXCLUDED, "
                     "CRASHED, TIMEOUT, OUT_OF_MEMORY, THROTTLED, INTERRUPTED; OK and UNVERIFIED "
                     "have samples"),
    text_column<R, &R::reason>("reason", kOptional, "why it is not OK, in words"),
    text_column<R, &R::metric>("metric", kRequired,
                               "what the samples measure (`gpu_time_cold`, …); empty for a case "
                               "without samples. UNSUPPORTED with a metric: this metric was asked "
                               "for and could not be measured in this visit, `reason` says why"),
    text_column<R, &R::unit>("unit", kRequired, "of the samples: an SI base unit, such as `s`"),
    count_column<R, &R::round, 0>("round", kRequired, "pass over all cases, from 0"),
    count_column<R, &R::order, 0>("order", kOptional,
                                  "position of the visit within its round, from 0"),
    text_column<R, &R::worker>("worker", kRequired, "process that measured: profile and id"),
    {"part",
     "`1/2`: row 1 of the 2 rows of its visit; a visit is the rows of one suite, case, round and "
     "worker, written at once",
     kRequired, print_part, parse_part},
    count_column<R, &R::batch, 1>("batch", kOptional, "launches per sample"),
    number_column<R, &R::floor_s>("floor", kOptional, "seconds taken off every raw reading"),
    {"samples",
     "in `unit`, in the order in which they were taken: `;` between samples, `|` between blocks",
     kRequired, print_samples, parse_samples},
    numbers_column<R, &R::block_times_s>("block_times", kOptional,
                                         "start of each block in seconds since the visit began, "
                                         "`;` between them"),
    numbers_column<R, &R::block_clocks_hz>("block_clocks", kOptional,
                                           "clock of the device in each block in Hz, `;` between "
                                           "them"),
    integers_column<R, &R::block_placements>("block_placements", kOptional,
                                             "where each block's tensors lay, `;` between them: "
                                             "equal numbers are the same place in memory"),
    texts_column<R, &R::block_causes>("block_causes", kOptional,
                                      "why each block is set aside (`thermal`, …), `;` between "
                                      "them, nothing for a block that counts; its samples are kept "
                                      "and enter no estimate"),
    number_column<R, &R::age_s>("age", kOptional,
                                "seconds since the worker allocated its memory, when the visit "
                                "began"),
    seconds_column<R, &R::timers_s>("timers", kOptional,
                                    "medians of what other timers read of the same launches, "
                                    "`name=seconds` with `;` between"),
    number_column<R, &R::temperature_c>("temperature", kOptional, "of the device, in °C"),
    text_column<R, &R::throttle>("throttle", kOptional,
                                 "throttle reasons that were active, `+` between them"),
    number_column<R, &R::power_w>("power", kOptional, "of the device, in W"),
    text_column<R, &R::kernels>("kernels", kOptional,
                                "kernels, copies and memsets of one launch, JSON (below)"),
    text_column<R, &R::plan>("plan", kOptional,
                             "execution plans of the library that computed it, JSON (below)"),
    names_column<R, &R::flags>("flags", kOptional,
                               "doubts about this measurement, each a fixed name, `;` between "
                               "them"),
    number_column<R, &R::flops>("flops", kOptional, "floating-point operations of one launch"),
    number_column<R, &R::bytes>("bytes", kOptional, "bytes that one launch must move"),
    number_column<R, &R::error_rel_l2>("error_rel_l2", kOptional,
                                       "relative L2 error against the float64 reference"),
    number_column<R, &R::error_max_abs>("error_max_abs", kOptional, "largest absolute error"),
    number_column<R, &R::error_max_ulp>(
        "error_max_ulp", kOptional,
        "largest error of an element in units in the last place (the spacing of the result's "
        "type at the expected value): many where terms cancel"),
    number_column<R, &R::tolerance>("tolerance", kOptional, "relative L2 error allowed"),
    text_column<R, &R::repeats>(
        "repeats", kOptional,
        "`bitwise` where four launches on the same inputs at the same place gave the same bits, "
        "`varies` where they did not; tried once per run, in the first visit of a case"),
    {"spent",
     "wall time of the whole visit by phase, `phase=seconds` with `;` between; `launch` is the "
     "part "
     "of `measure` in which launches, evictions and holds ran; for people and other programs: "
     "readers check it and do not keep it",
     kOptional, print_spent, check_spent},
    text_column<R, &R::code>(
        "code", kOptional,
        "hash of the suite's code that ran: the files (source, what it "
        "includes, library, what it links, extensions) and what the suite "
        "says of them (launch, options, …); empty where the suite brings none"),
};

std::string count_of(std::size_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// Names by which results are found again.
RowMistake names_mistake(const ResultRow& row) {
  struct Name {
    std::string_view column;
    const std::string& text;
    bool is_needed;
    const char* expected;
  };
  const bool has_samples = !row.samples.empty();
  for (const Name& name :
       {Name{"suite", row.suite, true, "the name of a suite"},
        Name{"case", row.case_id, true, "the id of a case, op/backend/key=value/…"},
        Name{"metric", row.metric, has_samples, "the name of what the samples measure"},
        Name{"unit", row.unit, has_samples, "the unit of the samples, such as s"}})
    if (name.is_needed && name.text.find_first_not_of(" \t") == std::string::npos)
      return {name.column, shown(name.text), name.expected};
  return {};
}

RowMistake samples_mistake(const ResultRow& row) {
  if (has_samples(row.status) && row.samples.empty())
    return {"samples", "none",
            "samples, because the status is " + std::string(name_of(row.status))};
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (row.samples.block(i).empty()) return {"samples", "an empty block", "samples in each"};
  for (const double sample : row.samples.values())
    if (!(std::abs(sample) <= kLargestSample)) {
      std::string found;
      append_number(found, sample);
      return {"samples", found,
              std::isfinite(sample) ? std::string(kSampleSizes) : "finite numbers"};
    }
  return {};
}

RowMistake lists_mistake(const ResultRow& row) {
  const std::size_t blocks = row.samples.blocks();
  struct List {
    std::string_view column;
    std::size_t size;
    std::string_view thing;
  };
  for (const List& list : {List{"block_times", row.block_times_s.size(), "number"},
                           List{"block_clocks", row.block_clocks_hz.size(), "number"},
                           List{"block_placements", row.block_placements.size(), "number"},
                           List{"block_causes", row.block_causes.size(), "text"}})
    if (list.size != 0 && list.size != blocks)
      return {list.column, count_of(list.size, list.thing),
              "one for each block of the samples, " + std::to_string(blocks)};
  for (const std::string& cause : row.block_causes)
    if (cause.find(';') != std::string::npos)
      return {"block_causes", shown(cause), "texts without ';'"};
  return {};
}

}  // namespace

std::span<const CsvColumn<ResultRow>> result_columns() { return kColumns; }

std::string header_line() { return header_of(result_columns()); }

void append_row(const ResultRow& row, std::string& out) {
  if (const RowMistake mistake = row_mistake(row); !mistake.column.empty())
    throw Error("result of " + shown(row.case_id) + ", column " + std::string(mistake.column) +
                ": found " + mistake.found + ", expected " + mistake.expected);
  append_fields(result_columns(), row, out);
}

RowMistake row_mistake(const ResultRow& row) {
  if (RowMistake mistake = names_mistake(row); !mistake.column.empty()) return mistake;
  if (RowMistake mistake = samples_mistake(row); !mistake.column.empty()) return mistake;
  if (RowMistake mistake = lists_mistake(row); !mistake.column.empty()) return mistake;
  for (const auto& [column, seconds] :
       {std::pair{"timers", &row.timers_s}, std::pair{"spent", &row.spent_s}})
    for (const auto& [name, value] : *seconds)
      if (name.empty() || name.find_first_of(";=") != std::string::npos)
        return {column, shown(name), "names without ';' and '='"};
  for (const std::string& flag : row.flags)
    if (flag.empty() || flag.find(';') != std::string::npos)
      return {"flags", shown(flag), "names without ';'"};
  return {};
}

std::string columns_markdown() {
  std::string table = "| column | required | what it holds |\n|---|---|---|\n";
  for (const CsvColumn<ResultRow>& column : kColumns) {
    std::string doc(column.doc);
    for (std::size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2)
      doc.insert(at, "\\");
    table += "| `" + std::string(column.name) + "` | " + (column.required ? "yes" : "no") + " | " +
             doc + " |\n";
  }
  return table;
}

}  // namespace plumbline
