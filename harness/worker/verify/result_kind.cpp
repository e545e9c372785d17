#include "worker/verify/result_kind.h"

#include <c10/core/impl/COWDeleter.h>

#include <algorithm>
#include <sstream>
#include <typeinfo>

#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

[[noreturn]] void wrong(const std::string& reason) { throw VisitFailure{Status::wrong, reason}; }

bool shares_memory(const at::Tensor& result, const Tensors& inputs) {
  return std::ranges::any_of(inputs, [&](const at::Tensor& input) {
    return input.defined() && input.has_storage() && input.storage().nbytes() > 0 &&
           input.storage().data() == result.storage().data();
  });
}

bool is_copied_when_written(const at::Tensor& result) {
  return result.storage().data_ptr().get_deleter() == c10::impl::cow::cow_deleter;
}

}  // namespace

void require_written(const Tensors& results, const Tensors& inputs, bool may_return_inputs) {
  for (const at::Tensor& result : results) {
    if (!result.defined()) continue;
    if (result.layout() != at::kStrided) {
      std::ostringstream layout;
      layout << result.layout();
      throw Unsupported("a result has the layout " + layout.str() +
                        ": only dense ones can be looked at and compared");
    }
    const at::TensorImpl& tensor = *result.unsafeGetTensorImpl();
    if (typeid(tensor) != typeid(c10::TensorImpl))
      wrong("a result is a tensor subclass, which may compute only when it is read");
    if (result._is_zerotensor())
      throw Unsupported("a result is a tensor of zeros without memory: nothing was written");
    if (!result.has_storage() || result.storage().nbytes() == 0) continue;
    if (may_return_inputs) continue;
    if (is_copied_when_written(result))
      wrong("a result is a lazy copy (copy on write): nothing was copied");
    if (shares_memory(result, inputs))
      wrong(
          "a result lies in the memory of an input, which the case does not declare (a function: "
          "'inout' of that argument; an operator: Tensor(a) in its schema): it may have computed "
          "nothing");
  }
}

}  // namespace plumbline
