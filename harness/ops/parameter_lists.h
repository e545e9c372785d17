/// Sizes of the parameters of real networks, for ops that update parameters. The networks are those
/// of suites/networks, with their defaults. A test compares both.
///
/// Knows nothing of LibTorch: costs are computed from them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// Elements of each parameter tensor, in the network's order.
using ParameterSizes = std::vector<std::int64_t>;

/// ResNet-50 (He et al. 2015): 161 tensors, 25,557,032 elements.
inline ParameterSizes resnet50_parameters() {
  constexpr std::int64_t kBlocks[] = {3, 4, 6, 3};
  ParameterSizes sizes;
  const auto add_convolution = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t side) {
    sizes.insert(sizes.end(), {outputs * inputs * side * side, outputs, outputs});  // with its norm
  };
  add_convolution(64, 3, 7);
  std::int64_t inputs = 64, inside = 64;
  for (const std::int64_t blocks : kBlocks) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      add_convolution(inside, inputs, 1);
      add_convolution(inside, inside, 3);
      add_convolution(4 * inside, inside, 1);
      if (block == 0) add_convolution(4 * inside, inputs, 1);
      inputs = 4 * inside;
    }
    inside *= 2;
  }
  sizes.insert(sizes.end(), {1000 * inputs, 1000});
  return sizes;
}

/// BERT-base with a head of two classes (Devlin et al. 2018): 201 tensors, 109,483,778 elements.
inline ParameterSizes bert_base_parameters() {
  constexpr std::int64_t kWidth = 768, kHidden = 3072, kVocabulary = 30522, kPositions = 512;
  ParameterSizes sizes{kVocabulary * kWidth, kPositions * kWidth, 2 * kWidth, kWidth, kWidth};
  const auto add_linear = [&](std::int64_t outputs, std::int64_t inputs) {
    sizes.insert(sizes.end(), {outputs * inputs, outputs});
  };
  for (int layer = 0; layer < 12; ++layer) {
    for (int i = 0; i < 4; ++i) add_linear(kWidth, kWidth);  // attention
    sizes.insert(sizes.end(), {kWidth, kWidth});
    add_linear(kHidden, kWidth);
    add_linear(kWidth, kHidden);
    sizes.insert(sizes.end(), {kWidth, kWidth});
  }
  add_linear(kWidth, kWidth);
  add_linear(2, kWidth);
  return sizes;
}

/// A block of Llama-3-8B (Grattafiori et al. 2024): 9 tensors, 218,112,000 elements.
inline ParameterSizes llama_block_parameters() {
  constexpr std::int64_t kWidth = 4096, kKeys = 1024, kHidden = 14336;
  constexpr std::int64_t kSquare = kWidth * kWidth, kUp = kHidden * kWidth;
  return {kWidth, kSquare, kKeys * kWidth, kKeys * kWidth, kSquare, kWidth, kUp, kUp, kUp};
}

/// By the name that suites use.
inline const std::map<std::string, ParameterSizes, std::less<>>& parameter_lists() {
  static const std::map<std::string, ParameterSizes, std::less<>> kLists{
      {"bert_base", bert_base_parameters()},
      {"llama_block", llama_block_parameters()},
      {"resnet50", resnet50_parameters()}};
  return kLists;
}

/// Elements of all parts if every tensor is divided into `shards` equal parts, the last one
/// smaller, and one of each is kept: an expression over `shards`.
inline std::string elements_in_words(const ParameterSizes& sizes) {
  std::map<std::int64_t, std::int64_t> count;
  for (const std::int64_t size : sizes) ++count[size];
  std::string sum;
  for (const auto& [size, times] : count)
    sum += (sum.empty() ? "" : " + ") + std::to_string(times) + " * ceil_div(" +
           std::to_string(size) + ", shards)";
  return sum;
}

}  // namespace plumbline
