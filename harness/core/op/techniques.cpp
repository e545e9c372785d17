#include "core/op/techniques.h"

#include <algorithm>
#include <string>

#include "core/op/allocator_choice.h"

namespace plumbline {
namespace {

std::vector<std::string> allocators() {
  std::vector<std::string> values;
  for (const TensorAllocatorNames& names : kTensorAllocators) values.emplace_back(names.value);
  return values;
}

}  // namespace

const std::vector<ParamSpec>& technique_params() {
  const auto text = [](const char* name, std::vector<std::string> allowed, const char* doc) {
    return ParamSpec{name, ParamKind::text, allowed.front(), std::nullopt, allowed, doc};
  };
  const auto flag = [](const char* name, const char* doc) {
    return ParamSpec{name, ParamKind::boolean, false, std::nullopt, {}, doc};
  };
  static const std::vector<ParamSpec> kParams{
      text("step", {"inference", "training"},
           "what a launch computes: outputs, or loss, gradients and an update of the weights"),
      text("precision", {"float32", "tf32", "bfloat16", "float16"},
           "of products; the 16-bit types by autocast, float16 trains with a GradScaler"),
      text("memory_format", {"contiguous", "channels_last"}, "order of images and filters"),
      flag("compile", "torch.compile"),
      flag("graph", "the whole step is captured in a CUDA graph"),
      text("transfer", {"none", "pinned", "pageable"},
           "memory of the host from which each step first copies its arguments to the device"),
      text("allocator", allocators(),
           "who gives memory to tensors: the harness' arena, or an allocator of LibTorch"),
      flag("checkpoint", "activations of blocks are computed again in the backward pass"),
      {"accumulate",
       ParamKind::integer,
       std::int64_t{1},
       1.0,
       {},
       "parts into which a batch is split; their gradients are added"},
      text("optimizer", {"sgd", "adamw"}, "the rule that makes new weights"),
      text("update", {"plain", "foreach", "fused"},
           "kernels of the optimizer: of each tensor, of lists of tensors, fused"),
      text("sdpa", {"auto", "math", "flash", "cudnn", "efficient"}, "kernels of attention"),
      text("prune", {"none", "structured", "2:4"},
           "structured: half of the channels are removed; 2:4: two of four weights are zero"),
      text("quantize", {"none", "int8", "fp8", "int4_weights"}, "type of the products' operands"),
      text("share", {"none", "tied", "clustered"},
           "tied: layers share weights; clustered: a layer's weights are 16 numbers"),
      {"ranks",
       ParamKind::integer,
       std::int64_t{1},
       1.0,
       {},
       "processes that compute the step together, each on its own device"},
      text("parallel", {"data", "own"},
           "what ranks share: data: each has its part of the batch, gradients are averaged; own: "
           "the network communicates itself"),
      {"bucket_mb",
       ParamKind::number,
       25.0,
       0.001,
       {},
       "megabytes of gradients that ranks average together, while the backward pass goes on"},
  };
  return kParams;
}

bool is_technique(std::string_view name) {
  return name != "step" &&
         std::ranges::find(technique_params(), name, &ParamSpec::name) != technique_params().end();
}

}  // namespace plumbline
