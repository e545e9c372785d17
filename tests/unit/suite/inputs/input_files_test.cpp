/// Arguments whose values come from a file: which files are read, what must fit, what is a
/// revision.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "suite/inputs/tensor_file.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(number >> (8 * i));
  return text;
}

std::string safetensors(const std::string& header, const std::string& bytes) {
  return little_endian(header.size(), 8) + header + bytes;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& bytes,
                const std::string& order = "False") {
  const std::string header =
      "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01" + std::string(1, '\0') + little_endian(header.size(), 2) + header + bytes;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Two tensors: x, 2 recordings of [3], and i.
std::string two_tensors(std::vector<float> x = {1, 2, 3, 4, 5, 6}) {
  return safetensors(
      R"({"__metadata__":{"by":"hand"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("i":{"dtype":"I64","shape":[2],"data_offsets":[24,40]}})",
      floats(x) + little_endian(7, 8) + little_endian(9, 8));
}

class InputFilesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes);
  }

  /// A suite of aten::relu with that argument.
  Suite load(const std::string& self, const std::string& more = "") const {
    const std::string path =
        write("suite.yaml",
              "suite: s\nbenchmarks:\n  - op: aten::relu\n    sweep: {n: [3], "
              "dtype: [float32]" +
                  more + "}\n    args:\n      self: >-\n        " + self + "\n");
    return load_suite(path, small_catalogue(), {});
  }

  std::string mistake(const std::string& self) const {
    return mistake_of([&] { load(self); });
  }

  std::string refused(const std::string& bytes) const {
    const std::string path = write("refused", bytes);
    return mistake_of([&] { tensors_in_file(path); });
  }

  /// The message without the folder; "" if nothing fails.
  template <class Function>
  std::string mistake_of(const Function& function) const {
    try {
      function();
    } catch (const Error& error) {
      std::string message = error.what();
      for (std::size_t at; (at = message.find(folder_.path(""))) != std::string::npos;)
        message.erase(at, folder_.path("").size());
      return message;
    }
    return "";
  }

  SourceFolder folder_;
};

using Sizes = std::vector<std::int64_t>;

TEST_F(InputFilesTest, SafetensorsAreFoundByName) {
  const auto found = tensors_in_file(write("x.safetensors", two_tensors()));
  ASSERT_EQ(found.size(), 2u);
  for (const RecordedTensor& tensor : found) {
    EXPECT_EQ(tensor.dtype, tensor.tensor == "x" ? "float32" : "int64");
    EXPECT_EQ(tensor.shape, tensor.tensor == "x" ? (Sizes{2, 3}) : Sizes{2});
  }
  EXPECT_EQ(found[0].tensor, "i");
  EXPECT_EQ(found[0].offset - found[1].offset, 24);
}

TEST_F(InputFilesTest, AHeaderOfAnyLengthIsNoPickle) {
  for (std::size_t length = 100; length < 400; ++length) {
    std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    header.resize(length, ' ');
    ASSERT_EQ(tensors_in_file(write("x.safetensors", safetensors(header, "1234"))).size(), 1u)
        << length;
  }
}

TEST_F(InputFilesTest, AnArrayOfNumpyHasNoName) {
  const auto found =
      tensors_in_file(write("x.npy", npy("'<f4'", "(2, 3)", floats({1, 2, 3, 4, 5, 6}))));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tensor, "");
  EXPECT_EQ(found[0].dtype, "float32");
  EXPECT_EQ(found[0].shape, (Sizes{2, 3}));
  EXPECT_EQ(std::uint64_t(found[0].offset), npy("'<f4'", "(2, 3)", "").size());
  EXPECT_EQ(tensors_in_file(write("y.npy", npy("'|b1'", "()", "\x01"))).at(0).shape, Sizes{});
  EXPECT_EQ(tensors_in_file(write("z.npy", npy("'<i2'", "(1,)", "ab"))).at(0).dtype, "int16");
}

TEST_F(InputFilesTest, OtherFilesAreRefusedWithWhatToDo) {
  const auto says = [](const std::string& message, const std::string& text) {
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  says(mistake_of([&] { tensors_in_file(folder_.path("none")); }), "there is no file 'none'");
  says(mistake_of([&] { tensors_in_file(folder_.path(".")); }), "is no file");
  says(refused(""), "neither safetensors nor .npy; save tensors with plumbline_gpu.save_tensors");
  says(refused("suite: s\nbenchmarks:\n"), "neither safetensors nor .npy");
  says(refused(std::string("PK\x03\x04 torch", 10)),
       "a pickle in it runs code when it is read, so it is not read. Convert it once: "
       "plumbline_gpu.save_tensors('x.safetensors', {'x': torch.load('x.pt')})");
  says(refused("\x80\x02}q"), "is a pickle, which runs code when it is read");
  says(refused(npy("'|O'", "(1,)", "12345678")), "holds Python objects");
  says(refused(npy("'>f4'", "(1,)", "1234")), "big-endian");
  says(refused(npy("'<f4'", "(2, 2)", floats({1, 2, 3, 4}), "True")), "numpy.ascontiguousarray(x)");
  says(refused(npy("[('a', '<f4')]", "(1,)", "1234")), "records of several fields");
  says(refused(npy("'<f4'", "(2, 3)", floats({1, 2, 3}))),
       "is truncated: its tensor has 24 bytes from byte ");
  says(refused(npy("'<f4'", "(4,)", "").substr(0, 20)), "ends within the header");
  says(refused(two_tensors().substr(0, 60)), "is truncated: its header alone has ");
  says(refused(two_tensors().substr(0, two_tensors().size() - 1)), "is truncated: its tensor '");
  says(refused(safetensors("{\"x\":{}}", "")), "says nothing of its tensor 'x'");
  says(refused(safetensors("{oh no}", "")), "has a header that is no JSON");
  says(refused(safetensors(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],)"
                           R"("data_offsets":[0,0]}})",
                           "")),
       "more than 2^63 bytes");
  // 2^63 bytes, times 0.
  says(refused(safetensors(R"({"x":{"dtype":"F32","shape":[2305843009213693952,1,0],)"
                           R"("data_offsets":[0,0]}})",
                           "")),
       "more than 2^63 bytes");
  for (const char* size : {"1.8e19", "-1", "18446744073709551615"})
    says(refused(safetensors(
             R"({"x":{"dtype":"F32","shape":[)" + std::string(size) + R"(],"data_offsets":[0,0]}})",
             "")),
         "says nothing of its tensor 'x'");
  EXPECT_THROW(tensors_in_file(folder_.path(std::string(300, 'a'))), Error);
}

TEST_F(InputFilesTest, ACaseNamesItsTensorsWithPlaceAndHash) {
  write("x.safetensors", two_tensors());
  const Suite suite = load("file('x.safetensors', 'x')[n]");
  const auto& recorded = suite.cases.at(0).declaration->recorded;
  ASSERT_EQ(recorded.size(), 1u);
  EXPECT_EQ(recorded[0].file, "x.safetensors");
  EXPECT_EQ(recorded[0].path, folder_.path("x.safetensors"));
  EXPECT_EQ(recorded[0].hash.size(), 32u);
  EXPECT_EQ(samples_in(recorded[0], {3}), 2);
  EXPECT_EQ(load("randn[n]").cases.at(0).declaration->recorded.size(), 0u);
}

TEST_F(InputFilesTest, TheContentIsPartOfTheRevisionAndNotOfTheId) {
  const auto written = [&](const std::string& bytes) {
    write("x.safetensors", bytes);
    return load("file('x.safetensors', 'x')[n]").cases.at(0);
  };
  const Case before = written(two_tensors()), again = written(two_tensors());
  const Case changed = written(two_tensors({1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(before.revision, again.revision);
  EXPECT_NE(before.revision, changed.revision);
  EXPECT_EQ(before.id, changed.id);
  std::string other_index = two_tensors();
  other_index.back() = 1;  // of the tensor i, which the case does not use
  EXPECT_EQ(before.revision, written(other_index).revision);
}

TEST_F(InputFilesTest, MistakesHaveTheirPlace) {
  write("x.safetensors", two_tensors());
  write("y.npy", npy("'<f4'", "(3,)", floats({1, 2, 3})));
  const auto says = [&](const std::string& self, const std::string& text) {
    const std::string message = mistake(self);
    EXPECT_NE(message.find(text), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("suite.yaml:6:13: ")) << message;
  };
  says("file('x.safetensors', 'x')[4]",
       "the tensor 'x' of 'x.safetensors' has the shape [2, 3], the expression declares [4]; one "
       "more dimension in front counts recordings");
  says("file('x.safetensors', 'i')[2]",
       "holds int64, the expression declares float32; write dtype=\"int64\", or convert the file");
  says("file('x.safetensors', 'xx')[3]", "has no tensor 'xx'; ");
  says("file('x.safetensors')[3]", "without the name of a tensor; it holds: i, x");
  says("file('y.npy', 'x')[3]", "holds one array without a name: file('y.npy')");
  says("file('z.npy')[3]", "there is no file 'z.npy'");
  says("file('y.npy')", "found file(…) without a shape, expected file('x.safetensors', 'x')[rows");
  says("file('')[3]", "found '', expected a name in quotes");
  says("file[3]", "file takes the path of a file");
  says("file(3)[3]", "expected a name in quotes");
  says("file('y.npy', shuffle=1)[3]", "a dimension of the shape, from 0 to 0");
  says("file('y.npy', nan=1)[3]", "nan is true or false");
  says("file('y.npy', seed=1)[3]", "the keywords are dtype=");
  EXPECT_EQ(mistake("file('y.npy', shuffle=0)[n]"), "");
}

TEST_F(InputFilesTest, NanIsToldUnlessItBelongsToTheData) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  write("x.safetensors", two_tensors({1, infinity, 3, 4, nan, nan}));
  EXPECT_NE(
      mistake("file('x.safetensors', 'x')[n]")
          .find("holds 2 NaN, the first at [1, 1]; if they belong to the data, say so: nan=true"),
      std::string::npos);
  EXPECT_EQ(mistake("file('x.safetensors', 'x', nan=true)[n]"), "");
}

TEST_F(InputFilesTest, TensorsOfACaseHaveAsManySamples) {
  write("x.safetensors", safetensors(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                                     R"("b":{"dtype":"F32","shape":[3,3],"data_offsets":[24,60]},)"
                                     R"("c":{"dtype":"F32","shape":[3],"data_offsets":[60,72]}})",
                                     std::string(72, '\0')));
  const std::string sum = "aten::add(file('x.safetensors', 'a')[n], file('x.safetensors', '";
  EXPECT_NE(
      mistake(sum + "b')[n])").find("holds 3 recordings, the tensor 'a' of 'x.safetensors' 2"),
      std::string::npos);
  EXPECT_EQ(mistake(sum + "c')[n])"), "") << "one that all recordings share";
}

TEST_F(InputFilesTest, ParametersMayNameFilesAndTensors) {
  write("x.safetensors", two_tensors());
  write("y.npy", npy("'<f4'", "(3,)", floats({1, 2, 3})));
  const Suite suite = load("file(recording)[n]", ", recording: [y.npy]");
  EXPECT_EQ(suite.cases.at(0).id, "aten::relu/libtorch/dtype=float32/n=3/recording=y.npy");
  EXPECT_EQ(
      load("file('x.safetensors', t)[n]", ", t: [x]").cases.at(0).declaration->recorded.size(), 1u);
}

TEST_F(InputFilesTest, ExcludedCasesNeedNoFile) {
  const std::string path = write("suite.yaml",
                                 "suite: s\nbenchmarks:\n  - op: aten::relu\n    sweep: {n: [3], "
                                 "dtype: [float32]}\n    args: {self: \"file('none.npy')[n]\"}\n"
                                 "    exclude: [{where: {n: 3}, reason: no file}]\n");
  EXPECT_EQ(load_suite(path, small_catalogue(), {}).cases.at(0).excluded, "no file");
}

}  // namespace
}  // namespace plumbline
