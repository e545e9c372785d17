/// The fields of a row of results.csv, each described once: its name, unit, member and meaning.
///
/// The columns of the file (store/csv/columns.h) and their documentation, in this order, and the
/// fields of a worker's answer (protocol/messages.cpp) come from this list.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/run/result.h"

namespace plumbline {

/// What the type of a member does not say about its field.
enum class FieldForm {
  usual,
  from_one,  // an integer from 1; others are from 0
  names,     // texts, none of them empty
  part,      // `part` and `parts` of a row
  checked,   // readers of the file check it and do not keep it
};

inline constexpr bool kRequired = true, kOptional = false;

template <auto Member, FieldForm form = FieldForm::usual>
struct ResultField {
  std::string_view name;  // of the column
  std::string_view unit;  // "" = the name says it
  bool is_required;       // a file without the column is refused
  std::string_view doc;
  std::string_view in_csv = "";  // how the file writes it, where the type does not say it

  static constexpr auto kMember = Member;
  static constexpr FieldForm kForm = form;
  /// Its key in messages: `floor_s`.
  std::string key() const { return std::string(name).append(unit.empty() ? "" : "_").append(unit); }
};

inline constexpr std::tuple kResultFields{
    ResultField<&ResultRow::suite>{"suite", "", kRequired, "name of the suite"},
    ResultField<&ResultRow::case_id>{
        "case", "", kRequired,
        "case id, `op/backend/key=value/…`: with the revision, the identity across commits"},
    ResultField<&ResultRow::op>{"op", "", kRequired, "what is computed"},
    ResultField<&ResultRow::backend>{"backend", "", kRequired, "who computes it"},
    ResultField<&ResultRow::revision>{"revision", "", kRequired,
                                      "of the problem (inputs, reference, cost)"},
    ResultField<&ResultRow::device>{"device", "", kOptional, "UUID of the device"},
    ResultField<&ResultRow::status>{
        "status", "", kRequired,
        "how the measuring ended: OK, WRONG, UNVERIFIED, UNSUPPORTED, EXCLUDED, CRASHED, TIMEOUT, "
        "OUT_OF_MEMORY, THROTTLED, INTERRUPTED; OK and UNVERIFIED have samples"},
    ResultField<&ResultRow::reason>{"reason", "", kOptional, "why it is not OK, in words"},
    ResultField<&ResultRow::metric>{
        "metric", "", kRequired,
        "what the samples measure (`gpu_time_cold`, …); empty for a case without samples. "
        "UNSUPPORTED with a metric: this metric was asked for and could not be measured in this "
        "visit, `reason` says why"},
    ResultField<&ResultRow::unit>{"unit", "", kRequired,
                                  "of the samples: an SI base unit, such as `s`"},
    ResultField<&ResultRow::round>{"round", "", kRequired, "pass over all cases, from 0"},
    ResultField<&ResultRow::order>{"order", "", kOptional,
                                   "position of the visit within its round, from 0"},
    ResultField<&ResultRow::worker>{"worker", "", kRequired,
                                    "process that measured: profile and id"},
    ResultField<&ResultRow::part, FieldForm::part>{
        "part", "", kRequired,
        "`1/2`: row 1 of the 2 rows of its visit; a visit is the rows of one suite, case, round "
        "and worker, written at once"},
    ResultField<&ResultRow::batch, FieldForm::from_one>{"batch", "", kOptional,
                                                        "launches per sample"},
    ResultField<&ResultRow::floor_s>{"floor", "s", kOptional,
                                     "seconds subtracted from every raw reading"},
    ResultField<&ResultRow::samples>{"samples", "", kRequired,
                                     "in `unit`, in the order in which they were taken, by block",
                                     "`;` between samples, `|` between blocks"},
    ResultField<&ResultRow::block_times_s>{"block_times", "s", kOptional,
                                           "start of each block in seconds since the visit began",
                                           "`;` between them"},
    ResultField<&ResultRow::block_clocks_hz>{"block_clocks", "hz", kOptional,
                                             "clock of the device in each block in Hz",
                                             "`;` between them"},
    ResultField<&ResultRow::block_placements>{"block_placements", "", kOptional,
                                              "where each block's tensors lay: equal numbers are "
                                              "the same place in memory",
                                              "`;` between them"},
    ResultField<&ResultRow::block_causes>{
        "block_causes", "", kOptional,
        "why each block is set aside (`thermal`, …), nothing for a block that counts; its samples "
        "are kept and enter no estimate",
        "`;` between them"},
    ResultField<&ResultRow::age_s>{
        "age", "s", kOptional,
        "seconds since the worker allocated its memory, when the visit began"},
    ResultField<&ResultRow::timers_s>{
        "timers", "s", kOptional,
        "medians in seconds of what other timers read of the same launches, by name",
        "`name=seconds` with `;` between"},
    ResultField<&ResultRow::temperature_c>{"temperature", "c", kOptional, "of the device, in °C"},
    ResultField<&ResultRow::throttle>{"throttle", "", kOptional,
                                      "throttle reasons that were active, `+` between them"},
    ResultField<&ResultRow::power_w>{"power", "w", kOptional, "of the device, in W"},
    ResultField<&ResultRow::kernels>{"kernels", "", kOptional,
                                     "kernels, copies and memsets of one launch, a text with JSON",
                                     "see below"},
    ResultField<&ResultRow::plan>{
        "plan", "", kOptional, "execution plans of the library that computed it, a text with JSON",
        "see below"},
    ResultField<&ResultRow::flags, FieldForm::names>{
        "flags", "", kOptional, "doubts about this measurement, each a fixed name",
        "`;` between them"},
    ResultField<&ResultRow::flops>{"flops", "", kOptional,
                                   "floating-point operations of one launch"},
    ResultField<&ResultRow::bytes>{"bytes", "", kOptional, "bytes that one launch must move"},
    ResultField<&ResultRow::error_rel_l2>{"error_rel_l2", "", kOptional,
                                          "relative L2 error against the float64 reference"},
    ResultField<&ResultRow::error_max_abs>{"error_max_abs", "", kOptional,
                                           "largest absolute error"},
    ResultField<&ResultRow::error_max_ulp>{
        "error_max_ulp", "", kOptional,
        "largest error of an element in units in the last place (the spacing of the result's type "
        "at the expected value): many where terms cancel"},
    ResultField<&ResultRow::tolerance>{
        "tolerance", "", kOptional,
        "relative L2 error that was allowed: the op's tolerance, more where flags say so"},
    ResultField<&ResultRow::repeats>{
        "repeats", "", kOptional,
        "`bitwise` where four launches on the same inputs at the same place gave the same bits, "
        "`varies` where they did not; tried once per run, in the first visit of a case"},
    ResultField<&ResultRow::spent_s, FieldForm::checked>{
        "spent", "s", kOptional,
        "wall time of the whole visit in seconds, by phase; `launch` is the "
        "part of `measure` in which launches, evictions and holds ran, `load` that until the first "
        "launch was over, which loads code and makes plans, `verify repeats` that in which timed "
        "launches were repeated",
        "`phase=seconds` with `;` between; for people and other programs: readers check it and do "
        "not keep it"},
    ResultField<&ResultRow::code>{
        "code", "", kOptional,
        "hash of the suite's code that ran: the files (source, what it includes, library, what it "
        "links, extensions) and what the suite says of them (launch, options, …); empty where the "
        "suite brings none"}};

template <class T, class Owner>
Owner owner_of(T Owner::*);  // for decltype

/// Calls visit(key, member) for the fields that Owner itself declares, in the order of the list.
template <class Owner, class Object, class Visit>
void visit_fields(Object& object, Visit&& visit) {
  const auto one = [&](const auto& field) {
    if constexpr (std::is_same_v<decltype(owner_of(field.kMember)), Owner>)
      visit(field.key(), object.*field.kMember);
  };
  std::apply([&](const auto&... field) { (one(field), ...); }, kResultFields);
}

}  // namespace plumbline
