/// Values from a file in the worker: recordings, orders, and files that changed.
#include "worker/workloads/recorded_inputs.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "core/op/tensor_hash.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

constexpr std::int64_t kOffset = 5;  // odd, as a header may be

class RecordedInputsTest : public testing::Test {
 protected:
  /// 0, 1, 2, … as float32, behind kOffset bytes.
  RecordedTensor written(const std::string& name, const std::vector<std::int64_t>& shape) {
    RecordedTensor tensor{name, "", folder_.path(name), kOffset, "float32", shape, ""};
    std::string bytes(std::size_t(bytes_in(tensor)), '\0');
    for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i)
      reinterpret_cast<float*>(bytes.data())[i] = float(i);
    folder_.write(name, std::string(kOffset, 'h') + bytes);
    TensorHash hash;
    hash.add(bytes);
    tensor.hash = hash.text();
    return tensor;
  }

  static GeneratedTensor wanted(const RecordedTensor& tensor, std::vector<std::int64_t> shape,
                                std::optional<std::int64_t> shuffle = {}) {
    GeneratedTensor declared;
    declared.generator = Generator::file;
    declared.file = tensor.file;
    declared.shape = std::move(shape);
    declared.shuffle = shuffle;
    return declared;
  }

  static at::Tensor filled(RecordedInputs& inputs, const GeneratedTensor& declared,
                           std::uint64_t seed) {
    const at::Tensor tensor = at::zeros(declared.shape);
    inputs.fill(tensor, declared, seed);
    return tensor;
  }

  SourceFolder folder_;
};

at::Tensor numbers(std::int64_t from, std::int64_t to) {
  return at::arange(double(from), double(to), at::kFloat);
}

TEST_F(RecordedInputsTest, WithoutRecordingsEverySeedHasTheSameValues) {
  const std::vector recorded{written("x", {2, 3})};
  RecordedInputs inputs(recorded);
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_TRUE(
        at::equal(filled(inputs, wanted(recorded[0], {2, 3}), seed), numbers(0, 6).view({2, 3})));
    EXPECT_EQ(inputs.recording(seed), 0u);
  }
}

TEST_F(RecordedInputsTest, ASeedChoosesTheSameRecordingOfEveryTensor) {
  const std::vector recorded{written("x", {4, 3}), written("y", {4, 2}), written("z", {2})};
  RecordedInputs inputs(recorded);
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const at::Tensor x = filled(inputs, wanted(recorded[0], {3}), seed);
    const at::Tensor y = filled(inputs, wanted(recorded[1], {2}), seed);
    const auto recording = std::int64_t(inputs.recording(seed));
    EXPECT_TRUE(at::equal(x, numbers(3 * recording, 3 * recording + 3)));
    EXPECT_TRUE(at::equal(y, numbers(2 * recording, 2 * recording + 2)));
    EXPECT_TRUE(at::equal(filled(inputs, wanted(recorded[2], {2}), seed), numbers(0, 2)));
    seen.insert(inputs.recording(seed));
  }
  EXPECT_EQ(seen.size(), 4u) << "all recordings take part";
}

TEST_F(RecordedInputsTest, AShuffleOrdersTheSlicesOfOneDimensionAndOfTensorsWithAsManyAlike) {
  const std::vector recorded{written("x", {2, 16, 3}), written("y", {16})};
  RecordedInputs inputs(recorded);
  std::set<std::vector<float>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const at::Tensor x = filled(inputs, wanted(recorded[0], {2, 16, 3}, 1), seed);
    const at::Tensor order = filled(inputs, wanted(recorded[1], {16}, 0), seed);
    EXPECT_TRUE(at::equal(std::get<0>(at::sort(order)), numbers(0, 16)));
    EXPECT_TRUE(at::equal(x, numbers(0, 96).view({2, 16, 3}).index_select(1, order.to(at::kLong))));
    orders.insert({order.data_ptr<float>(), order.data_ptr<float>() + 16});
  }
  EXPECT_EQ(orders.size(), 20u);
}

TEST_F(RecordedInputsTest, APartOfTheBatchTakesItsBeginning) {
  const std::vector recorded{written("x", {4, 3})};
  RecordedInputs inputs(recorded);
  EXPECT_TRUE(
      at::equal(filled(inputs, wanted(recorded[0], {2, 3}), 1), numbers(0, 6).view({2, 3})));
}

TEST_F(RecordedInputsTest, FilesThatChangedOrHaveGoneAreTold) {
  const std::vector recorded{written("x", {4})};
  const auto mistake = [&] {
    RecordedInputs inputs(recorded);
    try {
      filled(inputs, wanted(recorded[0], {4}), 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(mistake(), "");
  const auto says = [&](const std::string& text) {
    const std::string said = mistake();
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  folder_.write("x", std::string(kOffset + 16, 'x'));
  says("changed since the suite was read; run again");
  folder_.write("x", "short");
  says("became shorter since the suite was read");
  std::remove(folder_.path("x").c_str());
  says("cannot be opened: No such file");
}

}  // namespace
}  // namespace plumbline
