/// The protocol's JSON Schema, its writers and its readers describe the same format; this compares
/// them.
#include "protocol/schema.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/unknown.h"
#include "protocol/messages.h"
#include "support/json_schema.h"
#include "support/places.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

Json line_with(const char* key, const char* body) { return {{key, Json::parse(body)}}; }

/// The complaint of the program's own check; a validator of JSON Schema must agree.
std::string mistake_of(const Json& value, const std::string& definition) {
  Json schema = Json::parse(protocol_schema_json());
  schema.erase("anyOf");
  schema["allOf"] = Json::array({{{"$ref", "#/definitions/" + definition}}});
  const std::string found = schema_mistake(value, definition);
  EXPECT_EQ(JsonSchema(schema.dump()).mistake_in(nlohmann::json::parse(value.dump())).empty(),
            found.empty())
      << value << "\n"
      << found;
  return found;
}

Case kernel_case() {
  Declaration declaration;
  declaration.args = {{"x", "randn[n]", Argument::Role::input, ""},
                      {"y", "[n]", Argument::Role::output, "float32"}};
  declaration.tolerance = 1e-3;
  KernelCode& kernel = declaration.kernel.emplace();
  kernel = {.source = "/k.cu",
            .entry = "k",
            .template_args = {"4"},
            .defines = {{"B", "2"}},
            .options = {"-G"},
            .grid = {"n"},
            .block = {"64"},
            .shared = "",
            .constants = {{"metadata.shared", std::int64_t{4}}}};
  declaration.plugin = PluginCode{"/p.so", "scale", {{"factor", "2"}}};
  declaration.python = PythonCode{
      "/ops.py", "twice", "", ModuleCode{{{"width", "2"}}, "loss", "task", {{"requests", "n"}}}};
  Case c;
  c.params = {{"n", std::int64_t{4}}, {"eps", 0.1}, {"flag", true}, {"text", "a"}};
  c.declaration = std::make_shared<const Declaration>(declaration);
  return c;
}

TEST(ProtocolSchema, TakesWhatIsWritten) {
  MeasureAnswer answer;
  MeasuredMetric& metric = answer.metrics.emplace_back();
  metric.metric = "wall_time";
  metric.samples.add_block(std::vector<double>{1e-3, 2e-3});
  metric.block_clocks_hz = {kUnknown};
  metric.timers_s = {{"events", kUnknown}};
  answer.files = {{"/k.cu", "00ff"}};
  answer.absent = {{"energy", "no counter"}};
  Hello hello;
  hello.environment.device_kind = hello.environment.device_class = "cpu";
  hello.environment.device_uuids = {"cpu-1"};
  hello.environment.device_units = 2;
  for (const std::string& line :
       {to_line(hello), to_line(answer), to_line(Goodbye{}), phase_line("verify")})
    EXPECT_EQ(mistake_of(Json::parse(line), "message"), "");
  for (const std::string& line :
       {to_line(MeasureRequest{kernel_case(), {}, 0, 1, ~std::uint64_t{0}}), finish_line()})
    EXPECT_EQ(mistake_of(Json::parse(line), "request"), "");
  EXPECT_EQ(mistake_of(Json::parse(to_text(std::vector{DeviceEntry{"cpu", hello.environment}})),
                       "devices"),
            "");
}

TEST(ProtocolSchema, NewerKeysAreAllowed) {
  EXPECT_EQ(
      mistake_of(line_with("answer", R"({"status": "OK", "metrics": [], "mood": 3})"), "message"),
      "");
}

TEST(ProtocolSchema, SaysWhereWhatWasFoundAndWhatWasExpected) {
  for (const auto& [body, words] : {
           std::pair{R"({"metrics": []})", "answer.status: found nothing, expected it to be there"},
           {R"({"status": "GREAT", "metrics": []})",
            "answer.status: found \"GREAT\", expected one of OK, WRONG, UNVERIFIED, UNSUPPORTED, "
            "EXCLUDED, CRASHED, TIMEOUT, OUT_OF_MEMORY, THROTTLED, INTERRUPTED"},
           {R"({"status": "OK", "metrics": {}})", "answer.metrics: found {}, expected a list"},
           {R"({"status": "OK", "metrics": [{"metric": "m", "unit": "s", "samples": [[]]}]})",
            "answer.metrics[0].samples[0]: found 0 items, expected at least 1"},
           {R"({"status": "OK", "metrics": [], "flops": "many"})",
            "answer.flops: found \"many\", expected a number or null"},
           {R"({"status": "OK", "metrics": [], "absent": {"energy": 3}})",
            "answer.absent.energy: found 3, expected a text"},
           {R"({"status": "OK", "metrics": [], "files": [["a", "b", "c"]]})",
            "answer.files[0]: found 3 items, expected at most 2"},
       })
    EXPECT_EQ(mistake_of(line_with("answer", body), "message"), words);
  EXPECT_EQ(mistake_of(line_with("hello", R"({"protocol": 2, "profiles": [], "environment": {}})"),
                       "message"),
            "hello.protocol: found 2, expected 1");
  EXPECT_EQ(mistake_of(line_with("hello", R"({"protocol": 1, "profiles": [], "environment": {}})"),
                       "message"),
            "hello.environment.device_kind: found nothing, expected it to be there");
  EXPECT_EQ(mistake_of(Json{{"weather", "fine"}}, "message"),
            "the line: found {\"weather\":\"fine\"}, expected an object with one of hello, phase, "
            "answer, goodbye");
  EXPECT_EQ(mistake_of(Json::array(), "devices"), ": found 0 items, expected at least 1");
}

TEST(ProtocolSchema, IsTheOneThatIsShipped) {
  EXPECT_EQ(
      difference(source_dir() / "docs/reference/protocol.schema.json", protocol_schema_json()), "");
}

}  // namespace
}  // namespace plumbline
