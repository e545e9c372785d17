/// The fields of messages, each described once: its key, member and meaning.
///
/// Messages, their JSON Schema (protocol/schema.h) and docs/reference/protocol.md are made from
/// these tables. Other tables describe columns of results.csv (core/run/result_fields.h), options
/// (core/run/policy.h) and device properties (core/run/environment.h).
#pragma once

#include <string_view>
#include <tuple>

#include "core/op/declaration.h"
#include "core/run/case.h"
#include "core/run/result_fields.h"
#include "protocol/messages.h"

namespace plumbline {

template <auto Member>
struct MessageField {
  std::string_view name;
  bool is_required;  // a message without it is refused
  std::string_view doc;
  static constexpr auto kMember = Member;
};

/// By type: name and fields of the parts of messages.
template <class T>
struct Described;

template <>
struct Described<DeviceEntry> {
  static constexpr std::string_view kName = "device";
  static constexpr std::tuple kFields{
      MessageField<&DeviceEntry::device>{"device", kRequired,
                                         "what `--device` calls it: `cpu`, `cuda:0`"},
      MessageField<&DeviceEntry::environment>{"environment", kRequired, "what is known of it"},
      MessageField<&DeviceEntry::awaits_turn>{
          "awaits_turn", kOptional,
          "`true`: its workers may be started before their turn, and then stand by"}};
};

template <>
struct Described<Hello> {
  static constexpr std::string_view kName = "hello";
  static constexpr std::tuple kFields{
      MessageField<&Hello::protocol>{"protocol", kRequired,
                                     "version of the protocol; another one is refused"},
      MessageField<&Hello::profiles>{
          "profiles", kRequired,
          "profiles that this worker can serve; `timing` is enough on a CPU"},
      MessageField<&Hello::calibration>{
          "calibration", kOptional,
          "what it measured of its device, numbers by name in SI base units"},
      MessageField<&Hello::sentinel>{
          "sentinel", kOptional,
          "seconds that fixed pieces of work took, by name; a worker that says any is asked for a "
          "goodbye"},
      MessageField<&Hello::start_s>{"start_s", kOptional, "seconds by step of its start"},
      MessageField<&Hello::arena>{
          "arena", kOptional,
          "handle of its memory for another worker, where `--arena share` asked"},
      MessageField<&Hello::measurement_revision>{
          "measurement_revision", kOptional,
          "what its metrics mean; results of another revision are not compared. 3 where it is left "
          "out"},
      MessageField<&Hello::environment>{"environment", kRequired,
                                        "the device that it stands on, and its libraries"}};
};

template <>
struct Described<Goodbye> {
  static constexpr std::string_view kName = "goodbye";
  static constexpr std::tuple kFields{
      MessageField<&Goodbye::sentinel>{"sentinel", kOptional, "as in the hello, measured again"}};
};

template <>
struct Described<MeasureRequest> {
  static constexpr std::string_view kName = "measure";
  static constexpr std::tuple kFields{
      MessageField<&MeasureRequest::subject>{"case", kRequired, "what to measure"},
      MessageField<&MeasureRequest::policy>{"policy", kRequired, "how to measure it"},
      MessageField<&MeasureRequest::round>{"round", kOptional, "pass over all cases, from 0"},
      MessageField<&MeasureRequest::seed>{"seed", kOptional,
                                          "of the run: inputs follow from it and from the case"},
      MessageField<&MeasureRequest::draw>{"draw", kOptional,
                                          "random number of the run, 64 bits: what timed launches "
                                          "are filled with follows from it"}};
};

template <>
struct Described<MeasureAnswer> {
  static constexpr std::string_view kName = "answer";
  /// Added to the fields of VisitOutcome.
  static constexpr std::tuple kFields{
      MessageField<&MeasureAnswer::metrics>{
          "metrics", kRequired, "what was measured; empty unless the status has samples"},
      MessageField<&MeasureAnswer::absent>{
          "absent", kOptional, "metric that was asked for: why it could not be measured"},
      MessageField<&MeasureAnswer::files>{"files", kOptional,
                                          "the suite's own code that ran: pairs of path and hash"},
      MessageField<&MeasureAnswer::left_behind>{"left_behind", kOptional,
                                                "settings of the process that the case changed, in "
                                                "words; the next case gets a new worker"}};
};

template <>
struct Described<Case> {
  static constexpr std::string_view kName = "case";
  static constexpr std::tuple kFields{
      MessageField<&Case::suite>{"suite", kRequired, "name of the suite"},
      MessageField<&Case::name>{"name", kRequired, "first part of the id"},
      MessageField<&Case::op>{
          "op", kRequired,
          "what is computed: an op of the catalogue (`plumbline ops OP`), `aten::…`, or what the "
          "declaration says"},
      MessageField<&Case::id>{"id", kRequired, "the case's name across commits"},
      MessageField<&Case::backend>{"backend", kRequired,
                                   "who computes it; `worker`: the worker's own implementation"},
      MessageField<&Case::revision>{"revision", kRequired,
                                    "of the problem (inputs, reference, cost)"},
      MessageField<&Case::params>{"params", kRequired,
                                  "all parameters, defaults included; `stream.count` is one key"},
      MessageField<&Case::declaration>{
          "declaration", kOptional, "what the suite says of an op that is not in the catalogue"}};
};

template <>
struct Described<Declaration> {
  static constexpr std::string_view kName = "declaration";
  static constexpr std::tuple kFields{
      MessageField<&Declaration::args>{
          "args", kOptional,
          "arguments in their order: name and expression, and behind them role and type unless it "
          "is an input"},
      MessageField<&Declaration::reference>{"reference", kOptional,
                                            "expression of the expected results"},
      MessageField<&Declaration::flops>{"flops", kOptional,
                                        "floating-point operations of a launch, an expression"},
      MessageField<&Declaration::bytes>{"bytes", kOptional,
                                        "bytes that a launch must move, an expression"},
      MessageField<&Declaration::tolerance>{"tolerance", kOptional,
                                            "relative L2 error that is allowed"},
      MessageField<&Declaration::kernel>{"kernel", kOptional, "a kernel that the suite brings"},
      MessageField<&Declaration::plugin>{"plugin", kOptional, "an op of a plug-in"},
      MessageField<&Declaration::python>{"python", kOptional, "a function in Python"},
      MessageField<&Declaration::network>{"network", kOptional, "a network in a file"},
      MessageField<&Declaration::graph>{"graph", kOptional, "a graph in cudnn-frontend's JSON"},
      MessageField<&Declaration::recorded>{
          "recorded", kOptional, "the tensors in files that expressions name by `file(…)`"}};
};

template <>
struct Described<RecordedTensor> {
  static constexpr std::string_view kName = "recorded_tensor";
  static constexpr std::tuple kFields{
      MessageField<&RecordedTensor::file>{"file", kRequired, "as the expression names it"},
      MessageField<&RecordedTensor::tensor>{
          "tensor", kOptional, "as the expression names it; left out of files that hold one"},
      MessageField<&RecordedTensor::path>{"path", kRequired, "path of the file"},
      MessageField<&RecordedTensor::offset>{"offset", kRequired,
                                            "of the tensor's first byte in the file"},
      MessageField<&RecordedTensor::dtype>{"dtype", kRequired, "type of the elements"},
      MessageField<&RecordedTensor::shape>{
          "shape", kRequired, "sizes, row by row; a first one that is not declared counts samples"},
      MessageField<&RecordedTensor::hash>{"hash", kRequired, "of the tensor's bytes"}};
};

template <>
struct Described<KernelCode> {
  static constexpr std::string_view kName = "kernel";
  static constexpr std::tuple kFields{
      MessageField<&KernelCode::source>{"source", kRequired, "path of CUDA source, .ptx or .cubin"},
      MessageField<&KernelCode::entry>{"entry", kRequired, "name of the kernel in it"},
      MessageField<&KernelCode::grid>{"grid", kRequired, "blocks: one to three expressions"},
      MessageField<&KernelCode::template_args>{"template", kOptional,
                                               "template arguments, expressions"},
      MessageField<&KernelCode::block>{"block", kRequired,
                                       "threads of a block: one to three expressions"},
      MessageField<&KernelCode::defines>{"defines", kOptional, "pairs of macro and expression"},
      MessageField<&KernelCode::shared>{"shared", kOptional,
                                        "bytes of dynamic shared memory, an expression"},
      MessageField<&KernelCode::cluster>{"cluster", kOptional,
                                         "blocks of a cluster: one to three expressions"},
      MessageField<&KernelCode::cooperative>{
          "cooperative", kOptional, "an expression: not 0 if all blocks run at the same time"},
      MessageField<&KernelCode::dependent>{
          "dependent", kOptional,
          "an expression: not 0 if a launch may begin before the one ahead of it ends"},
      MessageField<&KernelCode::constants>{"constants", kOptional,
                                           "what expressions may name beside parameters"},
      MessageField<&KernelCode::options>{"options", kOptional, "for NVRTC, as they are"}};
};

template <>
struct Described<PluginCode> {
  static constexpr std::string_view kName = "plugin";
  static constexpr std::tuple kFields{
      MessageField<&PluginCode::library>{"library", kRequired, "path of the library"},
      MessageField<&PluginCode::function>{"function", kRequired, "op of the plug-in"},
      MessageField<&PluginCode::params>{"params", kOptional, "pairs of parameter and expression"}};
};

template <>
struct Described<ModuleCode> {
  static constexpr std::string_view kName = "module";
  static constexpr std::tuple kFields{
      MessageField<&ModuleCode::with>{"with", kOptional, "pairs of argument and expression"},
      MessageField<&ModuleCode::loss>{"loss", kOptional, "the loss, a function in the same file"},
      MessageField<&ModuleCode::accuracy>{
          "accuracy", kOptional, "what gives the task to train on, a function in the same file"},
      MessageField<&ModuleCode::serve>{"serve", kOptional,
                                       "pairs of requests, rate or items and expression"}};
};

template <>
struct Described<PythonCode> {
  static constexpr std::string_view kName = "python";
  static constexpr std::tuple kFields{
      MessageField<&PythonCode::source>{"source", kRequired, "path of the file"},
      MessageField<&PythonCode::function>{"function", kRequired,
                                          "what is called in it: `f`, or `Class.method`"},
      MessageField<&PythonCode::reference_function>{
          "reference_function", kOptional, "what computes the expected results, in the same file"},
      MessageField<&PythonCode::module>{"module", kOptional,
                                        "the function makes a network, with these"}};
};

template <>
struct Described<NetworkFile> {
  static constexpr std::string_view kName = "network";
  static constexpr std::tuple kFields{
      MessageField<&NetworkFile::source>{
          "source", kRequired, "path: TorchScript (.pt), or AOTInductor's package (.pt2)"},
      MessageField<&NetworkFile::reference>{"reference", kOptional,
                                            "path of TorchScript that computes the same"}};
};

/// Its fields are those of MeasuredMetric in core/run/result_fields.h.
template <>
struct Described<MeasuredMetric> {
  static constexpr std::string_view kName = "metric";
  static constexpr std::tuple kFields{};
};

template <class T>
concept IsDescribed = requires {
  Described<T>::kFields;
};

/// Calls visit(key, is_required, doc, member) for all fields of T, in order; a member is `T::*` or
/// belongs to a base class.
template <IsDescribed T, class Visit>
void visit_members(Visit&& visit) {
  const auto column = [&]<class Owner>(const auto& field) {
    if constexpr (std::is_same_v<decltype(owner_of(field.kMember)), Owner>)
      visit(field.key(), field.is_required, field.doc, field.kMember);
  };
  const auto columns_of = [&]<class Owner>(std::type_identity<Owner>) {
    std::apply([&](const auto&... field) { (column.template operator()<Owner>(field), ...); },
               kResultFields);
  };
  if constexpr (std::is_same_v<T, MeasureAnswer>) columns_of(std::type_identity<VisitOutcome>{});
  if constexpr (std::is_same_v<T, MeasuredMetric>) columns_of(std::type_identity<MeasuredMetric>{});
  std::apply(
      [&](const auto&... field) {
        (visit(std::string(field.name), field.is_required, field.doc, field.kMember), ...);
      },
      Described<T>::kFields);
}

}  // namespace plumbline
