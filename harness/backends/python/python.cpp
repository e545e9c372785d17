#include "backends/python/python.h"

#include <c10/core/TensorImpl.h>
#include <c10/util/Exception.h>

#include "backends/wrong_result.h"
#include "core/error.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

PythonFunctions g_functions{};

[[noreturn]] void fail(const Json& failure) {
  const auto words = failure.at("failure").get<std::string>();
  const auto kind = failure.at("kind").get<std::string>();
  if (kind == "unsupported") throw Unsupported(words);
  if (kind == "wrong") throw WrongResult(words);
  TORCH_CHECK_WITH(OutOfMemoryError, kind != "out of memory", words);
  throw Error(words);
}

Json answer_to(const Json& request) {
  if (g_functions.ask == nullptr)
    throw Unsupported("this worker runs in no Python; plumbline-worker.py beside it does");
  const Json answer = Json::parse(g_functions.ask(request.dump().c_str()));
  if (answer.contains("failure")) fail(answer);
  return answer;
}

}  // namespace

Json ask_python(const char* what, Json request) {
  request["what"] = what;
  return answer_to(request);
}

void launch_in_python(int call) {
  if (g_functions.launch(call) != 0) ask_python("failure", Json::object());
}

void clear_in_python(int call) { g_functions.clear(call); }

void drop_in_python(int call) noexcept { g_functions.drop(call); }

void close_in_python(int function) noexcept { g_functions.close(function); }

std::int64_t address_of(const at::Tensor& tensor) {
  return reinterpret_cast<std::int64_t>(tensor.unsafeGetTensorImpl());
}

/// Accepts any class: whoever reads results reports tensors that are not plain.
at::Tensor tensor_at(std::int64_t address) {
  return at::Tensor(
      c10::intrusive_ptr<c10::TensorImpl, at::UndefinedTensorImpl>::unsafe_reclaim_from_nonowning(
          reinterpret_cast<c10::TensorImpl*>(address)));
}

}  // namespace plumbline

extern "C" void plumbline_use_python(const plumbline::PythonFunctions* functions) {
  plumbline::g_functions = *functions;
}
