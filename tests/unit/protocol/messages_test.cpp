#include "protocol/messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace plumbline {
namespace {

/// A Hello with the required members and `more`.
Hello hello_with(const std::string& more) {
  return parse_worker_message(R"({"hello": {"protocol": 1, "profiles": [], "environment": {})" +
                              more + "}}")
      .hello.value();
}

TEST(Protocol, ARequestReadsBackAsItWasWritten) {
  MeasureRequest request;
  request.subject.name = request.subject.op = "aten::exp";
  request.subject.id = "aten::exp/libtorch/n=4";
  request.subject.backend = "libtorch";
  request.subject.revision = "85944171f73967e8";
  request.subject.params = {
      {"n", std::int64_t{4}}, {"eps", 0.1}, {"flag", true}, {"text", "a\"\n"}};
  request.subject.declaration = std::make_shared<const Declaration>(
      Declaration{.args = {{"self", "randn[n]", Argument::Role::input, ""}},
                  .reference = "aten::exp(self)",
                  .flops = "n",
                  .bytes = "",
                  .tolerance = 1e-3,
                  .kernel = {},
                  .plugin = {},
                  .python = {},
                  .network = {},
                  .graph = ""});
  request.policy.rounds = 7;
  request.policy.cache = {"hot"};
  request.round = 2;
  request.seed = 9007199254740991;
  const MeasureRequest read = parse_request(to_line(request)).measure.value();
  EXPECT_EQ(read.subject.params, request.subject.params);
  EXPECT_EQ(read.subject.id, request.subject.id);
  EXPECT_EQ(read.subject.declaration->args, request.subject.declaration->args);
  EXPECT_EQ(read.subject.declaration->reference, "aten::exp(self)");
  EXPECT_EQ(read.subject.declaration->tolerance, 1e-3);
  EXPECT_EQ(read.policy.cache, request.policy.cache);
  EXPECT_EQ(read.policy.rounds, 7);
  EXPECT_EQ(read.seed, request.seed);
}

TEST(Protocol, CodeOfASuiteReadsBackAsItWasWritten) {
  const std::vector<Argument> args{{"x", "randn[n]", Argument::Role::input, ""},
                                   {"y", "[n]", Argument::Role::output, "float32"},
                                   {"n", "n", Argument::Role::scalar, "int32"}};
  MeasureRequest request;
  Declaration declaration;
  declaration.args = args;
  KernelCode& kernel = declaration.kernel.emplace();
  kernel.source = "/k.cu";
  kernel.entry = "ours::k";
  kernel.template_args = {"dtype", "4"};
  kernel.defines = {{"TILE", "tile"}, {"B", "2"}};
  kernel.options = {"-G"};
  kernel.grid = {"n", "2"};
  kernel.block = {"64"};
  kernel.shared = "4 * n";
  kernel.cluster = {"2", "n"};
  kernel.cooperative = "1";
  kernel.dependent = "n > 1";
  kernel.constants = {{"metadata.shared", std::int64_t{4}}, {"metadata.name", "k"}};
  PluginCode& plugin = declaration.plugin.emplace();
  plugin = {"/p.so", "scale", {{"factor", "2"}}};
  declaration.python =
      PythonCode{"/ops.py", "Block.forward", "expected",
                 ModuleCode{{{"width", "2 * n"}}, "loss", "task", {{"requests", "n"}}}};
  declaration.network = NetworkFile{"/net.pt2", "/net.pt"};
  declaration.graph = R"({"nodes": []})";
  request.subject.declaration = std::make_shared<const Declaration>(declaration);
  const MeasureRequest read = parse_request(to_line(request)).measure.value();
  const Declaration& found = *read.subject.declaration;
  EXPECT_EQ(found.args, args);
  EXPECT_EQ(found.graph, declaration.graph);
  ASSERT_TRUE(found.kernel && found.plugin);
  EXPECT_EQ(found.kernel->source, kernel.source);
  EXPECT_EQ(found.kernel->entry, kernel.entry);
  EXPECT_EQ(found.kernel->template_args, kernel.template_args);
  EXPECT_EQ(found.kernel->defines, kernel.defines);
  EXPECT_EQ(found.kernel->options, kernel.options);
  EXPECT_EQ(found.kernel->grid, kernel.grid);
  EXPECT_EQ(found.kernel->block, kernel.block);
  EXPECT_EQ(found.kernel->shared, kernel.shared);
  EXPECT_EQ(found.kernel->cluster, kernel.cluster);
  EXPECT_EQ(found.kernel->cooperative, "1");
  EXPECT_EQ(found.kernel->dependent, "n > 1");
  EXPECT_EQ(found.kernel->constants, kernel.constants);
  EXPECT_EQ(found.plugin->library, plugin.library);
  EXPECT_EQ(found.plugin->function, plugin.function);
  EXPECT_EQ(found.plugin->params, plugin.params);
  ASSERT_TRUE(found.network);
  EXPECT_EQ(found.network->source, "/net.pt2");
  EXPECT_EQ(found.network->reference, "/net.pt");
  EXPECT_EQ(found.python->source, "/ops.py");
  EXPECT_EQ(found.python->function, "Block.forward");
  EXPECT_EQ(found.python->reference_function, "expected");
  EXPECT_EQ(found.python->module->with, declaration.python->module->with);
  EXPECT_EQ(found.python->module->loss, "loss");
  EXPECT_EQ(found.python->module->accuracy, "task");
  EXPECT_EQ(found.python->module->serve, declaration.python->module->serve);
}

TEST(Protocol, AnAnswerKeepsEveryDigitOfItsSamples) {
  MeasureAnswer answer;
  MeasuredMetric reading;
  reading.metric = "gpu_time_cold";
  reading.samples.add_block(std::vector<double>{1.0 / 3, 1e-300, 4.9e-6});
  reading.samples.add_block(std::vector<double>{2.0 / 3});
  reading.block_clocks_hz = {1.98e9, kUnknown};
  reading.flags = {"unstable clock"};
  answer.metrics.push_back(reading);
  const MeasureAnswer read = parse_worker_message(to_line(answer)).answer.value();
  EXPECT_EQ(read.metrics[0].samples, reading.samples);
  EXPECT_EQ(read.metrics[0].flags, reading.flags);
  EXPECT_TRUE(std::isnan(read.metrics[0].block_clocks_hz[1]));
  EXPECT_TRUE(std::isnan(read.flops));
}

TEST(Protocol, AnAnswerKeepsWhatIsBesideItsSamples) {
  MeasureAnswer answer;
  answer.age_s = 2.5;
  answer.kernels = R"([{"name": "k"}])";
  answer.absent = {{"kernel_time_hot", "records were lost"}};
  MeasuredMetric reading;
  reading.metric = "kernel_time_cold";
  reading.samples.add_block(std::vector<double>{1e-3});
  reading.samples.add_block(std::vector<double>{2e-3});
  reading.block_placements = {7, -1};
  reading.block_causes = {"", "thermal"};
  reading.timers_s = {{"cupti_span", 1.0 / 3}};
  answer.metrics.push_back(reading);
  const MeasureAnswer read = parse_worker_message(to_line(answer)).answer.value();
  EXPECT_EQ(read.age_s, 2.5);
  EXPECT_EQ(read.kernels, answer.kernels);
  EXPECT_EQ(read.absent, answer.absent);
  ASSERT_EQ(read.metrics.size(), 1u);
  EXPECT_EQ(read.metrics[0].block_placements, reading.block_placements);
  EXPECT_EQ(read.metrics[0].block_causes, reading.block_causes);
  EXPECT_EQ(read.metrics[0].timers_s, reading.timers_s);
}

TEST(Protocol, HelloAndGoodbyeKeepWhatTheWorkerMeasuredFirstAndLast) {
  Hello hello;
  hello.profiles = {"timing", "trace"};
  hello.calibration = {{"event_floor_s", 3.3e-6}};
  hello.sentinel = {{"spin", 1e-3}};
  hello.start_s = {{"context", 0.8}};
  hello.environment.device_uuids = {"GPU-1"};
  const Hello read = parse_worker_message(to_line(hello)).hello.value();
  EXPECT_EQ(read.profiles, hello.profiles);
  EXPECT_EQ(read.calibration, hello.calibration);
  EXPECT_EQ(read.sentinel, hello.sentinel);
  EXPECT_EQ(read.start_s, hello.start_s);
  EXPECT_EQ(read.environment.device_uuid(), "GPU-1");
  const WorkerMessage last = parse_worker_message(to_line(Goodbye{{{"spin", 2e-3}}}));
  ASSERT_TRUE(last.goodbye);
  EXPECT_EQ(last.goodbye->sentinel.at("spin"), 2e-3);
  EXPECT_FALSE(last.answer);
}

TEST(Protocol, ATurnHasAnArenaAndAChainOrNeither) {
  for (const TurnLine& turn : {TurnLine{"", ""}, TurnLine{"share", ""}, TurnLine{"", "2.8e-05"},
                               TurnLine{"a-handle", "2.8e-05"}}) {
    std::string line = to_line(turn);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    EXPECT_EQ(parse_turn(line).arena, turn.arena);
    EXPECT_EQ(parse_turn(line).chain_s, turn.chain_s);
  }
}

/// As written by a worker of an earlier commit.
TEST(Protocol, TheKeysOfAnAnswerAreWhatTheyWere) {
  const std::string line =
      R"({"answer":{"status":"OK","reason":"r","metrics":[{"metric":"gpu_time_cold","unit":"s",)"
      R"("batch":2,"floor_s":2e-06,"samples":[[1.5,2.5],[3.5]],"block_times_s":[0.5,1.5],)"
      R"("block_clocks_hz":[1.98e+09,null],"block_placements":[7,-1],"block_causes":["","thermal"],)"
      R"("timers_s":{"events":0.25},"temperature_c":41.5,"power_w":312.5,"throttle":"hw_thermal",)"
      R"("flags":["trend"]}],"absent":{"energy":"no counter"},"age_s":2.5,"kernels":"[]",)"
      R"("plan":"p","files":[["/k.cu","00ff"]],"flops":8.5,"bytes":16.5,"error_rel_l2":0.5,)"
      R"("error_max_abs":0.25,"error_max_ulp":2.5,"tolerance":0.125,"repeats":"bitwise",)"
      R"("left_behind":"locale: C -> de","spent_s":{"launch":0.5}}})";
  const MeasureAnswer read = parse_worker_message(line).answer.value();
  EXPECT_EQ(nlohmann::json::parse(to_line(read)), nlohmann::json::parse(line));
}

TEST(Protocol, TheEnvironmentOfAHelloIsTexts) {
  const std::string line =
      R"({"hello":{"protocol":1,"profiles":["timing"],"calibration":{},"sentinel":{},"start_s":{},"arena":"",)"
      R"("measurement_revision":4,"environment":{"device_kind":"cuda","device_uuid":"GPU-1",)"
      R"("device_memory_bytes":"150109880320","device_units":"132","power_limit_w":"700",)"
      R"("ecc":"on","mig":"off","persistence":"on","connections":"8",)"
      R"("sm_clock_max_hz":"1980000000","dirty":"no"}}})";
  const Hello hello = parse_worker_message(line).hello.value();
  EXPECT_EQ(hello.environment.device_memory_bytes, 150109880320);
  EXPECT_EQ(hello.environment.sm_clock_max_hz, 1.98e9);
  EXPECT_EQ(to_line(hello), line + "\n");
  EXPECT_THROW(parse_worker_message(R"({"hello": {"protocol": 1, "profiles": [],)"
                                    R"("environment": {"threads": "many"}}})"),
               Error);
}

TEST(Protocol, AWorkerThatDoesNotTellItsRevisionIsOfTheThird) {
  EXPECT_EQ(hello_with("").measurement_revision, 3);
}

TEST(Protocol, ARequestToFinishIsNoMeasurement) {
  EXPECT_FALSE(parse_request(finish_line()).measure);
  EXPECT_EQ(finish_line().back(), '\n');
}

TEST(Protocol, NewerMembersAreIgnored) {
  EXPECT_TRUE(parse_worker_message(R"({"weather": "fine"})").answer == std::nullopt);
  EXPECT_EQ(hello_with(R"(, "mood": 3)").protocol, 1);
}

TEST(Protocol, OfAHelloInAnotherProtocolOnlyItsNumberIsRead) {
  const Hello hello =
      parse_worker_message(R"({"hello": {"protocol": 2, "profiles": "any"}})").hello.value();
  EXPECT_EQ(hello.protocol, 2);
  EXPECT_TRUE(hello.profiles.empty());
}

TEST(Protocol, AMessageWithoutAFieldThatIsRequiredIsRefused) {
  for (const char* line :
       {R"({"hello": {"protocol": 1, "profiles": []}})", R"({"hello": {"profiles": []}})",
        R"({"answer": {"status": "OK"}})", R"({"answer": {"metrics": []}})",
        R"({"answer": {"status": "OK", "metrics": [{"metric": "wall_time", "unit": "s"}]}})"})
    EXPECT_THROW(parse_worker_message(line), Error) << line;
}

TEST(Protocol, AListOfDevicesReadsBackAsItWasWritten) {
  DeviceEntry entry{"cuda:0", {}, true};
  entry.environment.device_uuids = {"GPU-1"};
  const std::vector<DeviceEntry> read = parse_devices(to_text(std::vector{entry}));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].device, "cuda:0");
  EXPECT_EQ(read[0].environment, entry.environment);
  EXPECT_TRUE(read[0].awaits_turn);
  EXPECT_THROW(parse_devices(R"([{"device": "cpu"}])"), Error);
  EXPECT_THROW(parse_devices("{}"), Error);
}

TEST(Protocol, GarbageIsQuotedInTheError) {
  try {
    parse_worker_message("Segmentation fault");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Segmentation fault"), std::string::npos);
  }
  EXPECT_THROW(parse_worker_message(R"({"answer": {"status": "GREAT", "metrics": []}})"), Error);
  EXPECT_THROW(parse_request(R"({"measure": {}})"), Error);
}

TEST(Protocol, AnIntegerMayBeWrittenWithAPointButNotWithAFraction) {
  const auto with_round = [](const std::string& round) {
    MeasureRequest request;
    request.round = 7;
    std::string line = to_line(request);
    const std::string before = "\"round\":7";
    line.replace(line.find(before), before.size(), "\"round\":" + round);
    return line;
  };
  EXPECT_EQ(parse_request(with_round("2.0")).measure->round, 2);
  for (const char* wrong : {"1.5", "1.2e20", "-1e300", "\"x\""})
    EXPECT_THROW(parse_request(with_round(wrong)), Error) << wrong;
}

TEST(Protocol, BytesThatAreNoUtf8DoNotBreakALine) {
  MeasureAnswer answer;
  answer.status = Status::crashed;
  answer.reason = "kernel \xff\xfe said\nso";
  const std::string line = to_line(answer);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parse_worker_message(line).answer->status, Status::crashed);
}

}  // namespace
}  // namespace plumbline
