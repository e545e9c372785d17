#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_fused_adamw.h>

#include "ops/adamw/settings.h"

namespace plumbline {
namespace {

Results adamw(const Problem&, const Tensors& inputs) {
  constexpr AdamwSettings kSettings;
  const std::size_t tensors = inputs.size() / kAdamwGroups;
  const auto group = [&](std::size_t i) {
    return at::TensorList(inputs.data() + i * tensors, tensors);
  };
  at::_fused_adamw_(group(0), group(1), group(2), group(3), /*max_exp_avg_sqs=*/{}, group(4),
                    kSettings.learning_rate, kSettings.beta1, kSettings.beta2,
                    kSettings.weight_decay, kSettings.eps, /*amsgrad=*/false, /*maximize=*/false);
  Tensors results;
  for (const std::size_t changed : {0, 2, 3})
    for (const at::Tensor& tensor : group(changed)) results.push_back(tensor);
  return results;
}

}  // namespace

Implementation adamw_libtorch() { return libtorch_function(adamw); }

}  // namespace plumbline
