/// The keys of a mapping file and their meaning. The reader refuses other keys; the JSON Schema
/// lists these.
#pragma once

#include <array>

#include "core/run/import_mapping.h"
#include "core/status.h"
#include "suite/yaml/reader.h"

namespace plumbline {

inline constexpr std::array kMappingKeys = std::to_array<YamlKey>({
    {"suite", "name of the suite that the results belong to"},
    {"source", "where the data are from, in words"},
    {"op", "what was computed"},
    {"backend", "who computed it"},
    {"device", "the device class; --device says it for the whole file"},
    {"revision", "of the problem; default: 1"},
    {"params", "parameter of the case: its value; an empty one is left out"},
    {"axes",
     "parameters by their columns' names: * = all that nothing else uses, a.b.* = those below"},
    {"metrics", "metric: its column and unit"},
    {"cost", "flops and bytes of one launch, expressions over the columns"},
    {"where", "condition over the columns; rows that do not fit are left out and counted"},
    {"environment", "entry of run.json's environment: its value; each set of values is a run"},
    {"tables", "a name: the column that it is of, and what that column's values mean"},
    {"repeats", "what several rows of one case are: samples of one visit, or visits"},
    {"status", "of the result; an empty one is UNVERIFIED; a failure has no times"},
    {"reason", "of the status, in words"},
    {"batch", "launches that a sample is the mean of; default: 1"},
    {"rows",
     "where JSON has the rows: a.b.*; * or $name is each element, its name the column 'name'"},
    {"delimiter", "between the fields of a CSV; default: ,"},
    {"columns", "a name for a CSV's column: its number, from 1"},
    {"melt", "a new column: a pattern with one $name; the columns that fit become rows"},
});

inline constexpr std::array kMappedMetricKeys = std::to_array<YamlKey>({
    {"column", "that holds it"},
    {"unit", "of the column"},
    {"separator", "between samples in one field"},
    {"better", "more or less; needed for verdicts on what is no time, bytes or energy"},
    {"replaces", "metric that is left out where this one has a value, as the mean of its samples"},
    {"absent", "text that means that there is no value; an empty field always does"},
});

inline constexpr std::array kValueTableKeys = std::to_array<YamlKey>({
    {"of", "the column"},
    {"is", "value of the column: what it means"},
    {"else", "what any other value means; default: it is an error"},
});

inline constexpr std::array kMappedCostKeys = std::to_array<YamlKey>({
    {"flops", "floating-point operations of one launch"},
    {"bytes", "bytes that one launch must move"},
});

/// Statuses that a mapping may give: Plumbline did not check the result, so none is OK.
inline constexpr std::array kMappedStatuses{Status::unverified,  Status::wrong,
                                            Status::unsupported, Status::crashed,
                                            Status::timeout,     Status::out_of_memory};

/// Possible values of `repeats`.
struct RepeatsKey {
  std::string_view name;
  Repeats value;
  std::string_view doc;
};

inline constexpr std::array kRepeats = std::to_array<RepeatsKey>({
    {"samples", Repeats::samples, "further values of one visit"},
    {"visits", Repeats::visits, "measured in processes of their own"},
});

}  // namespace plumbline
