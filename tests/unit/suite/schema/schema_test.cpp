/// The JSON Schema and the loader describe the same format; this compares them.

#include "suite/schema/schema.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "ops/catalogue.h"
#include "suite/suite.h"
#include "support/json_schema.h"
#include "support/places.h"
#include "support/small_catalogue.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_dir();

JsonSchema schema_of(const Catalogue& catalogue) {
  return JsonSchema(suite_schema_json(catalogue));
}

std::vector<fs::path> suites_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

TEST(SuiteSchema, AcceptsEverySuiteThatTheLoaderAccepts) {
  const JsonSchema schema = schema_of(small_catalogue());
  for (const fs::path& path : suites_in(kRoot / "tests/golden/suite/good"))
    EXPECT_EQ(schema.mistake(path), "") << path.filename();
}

TEST(SuiteSchema, AcceptsTheSuitesThatAreShipped) {
  const JsonSchema schema = schema_of(make_catalogue());
  for (const fs::path& path : suites_in(kRoot / "suites"))
    EXPECT_EQ(schema.mistake(path), "") << path;
}

TEST(ShippedSuites, LoadAndHoldCases) {
  for (const fs::path& path : suites_in(kRoot / "suites")) {
    if (path.parent_path().filename() == "networks") continue;  // shapes that suites share
    EXPECT_FALSE(load_suite(path.string(), make_catalogue(), {}).cases.empty()) << path;
  }
}

// Structural mistakes, which a JSON Schema can find. Others need names, files or arithmetic.
constexpr const char* kStructural[] = {
    "aten_args_map",
    "aten_args_text",
    "aten_cost_key",
    "aten_lacks_args",
    "aten_name_blank",
    "aten_tolerance",
    "aten_tolerance_text",
    "args_on_catalogue_op",
    "backend_empty",
    "backend_number",
    "backend_unknown",
    "batch_invariant_true",
    "benchmark_unknown_key",
    "data_unknown",
    "exclude_lacks_reason",
    "exclude_lacks_where",
    "exclude_text",
    "exclude_unknown_key",
    "exclude_empty_reason",
    "file_just_text",
    "kernel_arg_type",
    "kernel_define_list",
    "kernel_entry_template",
    "kernel_four_sizes",
    "kernel_lacks_args",
    "kernel_lacks_block",
    "kernel_lacks_launch",
    "kernel_lacks_name",
    "kernel_lacks_source",
    "kernel_launch_key",
    "kernel_library",
    "kernel_option",
    "launch_on_aten",
    "measure_below",
    "measure_cache",
    "measure_cache_empty",
    "measure_fraction",
    "measure_in_benchmark",
    "measure_list",
    "measure_text",
    "measure_unknown",
    "module_lacks_function",
    "module_launch",
    "module_reference_function",
    "name_on_catalogue_op",
    "op_bad_schema_name",
    "op_list",
    "op_missing",
    "op_unknown",
    "plugin_lacks_function",
    "plugin_lacks_library",
    "plugin_scalar",
    "plugin_scalar_of_dtype",
    "python_lacks_function",
    "python_lacks_source",
    "python_launch",
    "python_scalar",
    "range_lacks_to",
    "range_linspace_two",
    "range_map_empty",
    "range_pow2_scalar",
    "range_text",
    "range_two",
    "range_unknown",
    "range_values_empty",
    "rename_list",
    "rename_number",
    "shape_empty",
    "shape_list",
    "shape_mixed",
    "shape_nested",
    "shape_null_value",
    "shape_on_a_parameter",
    "shape_row_list_inline",
    "shape_scalar_rows",
    "sweep_below_minimum",
    "sweep_boolean",
    "sweep_empty_axis",
    "sweep_fraction",
    "sweep_list",
    "sweep_map_in_values",
    "sweep_missing",
    "sweep_nested_list",
    "sweep_not_allowed",
    "sweep_null_axis",
    "sweep_other_dtype",
    "sweep_quoted_number",
    "sweep_stream_scalar",
    "sweep_stream_unknown",
    "source_on_catalogue_op",
    "sweep_unknown_dtype",
    "sweep_unknown_param",
    "sweep_wrong_kind",
    "tags_blank",
    "tags_empty",
    "tags_map",
    "tags_number",
    "threshold_bare",
    "threshold_empty",
    "threshold_negative",
    "threshold_null",
    "threshold_scalar",
    "threshold_text",
    "threshold_unknown",
    "threshold_zero",
    "top_benchmark_scalar",
    "top_benchmarks_map",
    "top_description_list",
    "top_lacks_benchmarks",
    "top_lacks_suite",
    "top_list",
    "top_name_blank",
    "top_name_long",
    "top_name_number",
    "top_name_slash",
    "top_no_benchmarks",
    "top_null_benchmarks",
    "top_scalar",
    "top_unknown_key",
    "where_empty_list",
    "where_empty_map",
    "where_nested",
    "where_number",
};
// clang-format on

TEST(SuiteSchema, RefusesTheMistakesThatASchemaCanSee) {
  const JsonSchema schema = schema_of(small_catalogue());
  for (const char* name : kStructural)
    EXPECT_NE(schema.mistake(kRoot / "tests/golden/suite/bad" / (std::string(name) + ".yaml")), "")
        << name;
}

TEST(SuiteSchema, IsTheOneThatIsShipped) {
  EXPECT_EQ(difference(kRoot / "suites/suite.schema.json", suite_schema_json(make_catalogue())),
            "");
}

}  // namespace
}  // namespace plumbline
