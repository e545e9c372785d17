#include "protocol/messages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

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
  kernel.constants = {{"metadata.shared", std::int64_t{4}}, {"metadata.name", "k"}};
  PluginCode& plugin = declaration.plugin.emplace();
  plugin = {"/p.so", "scale", {{"factor", "2"}}};
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
  EXPECT_EQ(found.kernel->constants, kernel.constants);
  EXPECT_EQ(found.plugin->library, plugin.library);
  EXPECT_EQ(found.plugin->function, plugin.function);
  EXPECT_EQ(found.plugin->params, plugin.params);
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
  hello.awaits_turn = true;
  hello.environment.device_uuid = "GPU-1";
  const Hello read = parse_worker_message(to_line(hello)).hello.value();
  EXPECT_EQ(read.profiles, hello.profiles);
  EXPECT_EQ(read.calibration, hello.calibration);
  EXPECT_EQ(read.sentinel, hello.sentinel);
  EXPECT_TRUE(read.awaits_turn);
  EXPECT_EQ(read.environment.device_uuid, "GPU-1");
  const WorkerMessage last = parse_worker_message(to_line(Goodbye{{{"spin", 2e-3}}}));
  ASSERT_TRUE(last.goodbye);
  EXPECT_EQ(last.goodbye->sentinel.at("spin"), 2e-3);
  EXPECT_FALSE(last.answer);
}

TEST(Protocol, ARequestToFinishIsNoMeasurement) {
  EXPECT_FALSE(parse_request(finish_line()).measure);
  EXPECT_EQ(finish_line().back(), '\n');
}

TEST(Protocol, NewerMembersAreIgnoredAndANewerProtocolIsRefused) {
  EXPECT_TRUE(parse_worker_message(R"({"weather": "fine"})").answer == std::nullopt);
  EXPECT_EQ(parse_worker_message(R"({"hello": {"protocol": 1, "mood": 3}})").hello->protocol, 1);
  EXPECT_THROW(parse_worker_message(R"({"hello": {"protocol": 2}})"), Error);
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
