#include "worker/workloads/python_call.h"

#include "core/error.h"

namespace plumbline {

using Json = nlohmann::json;

nlohmann::json json_for_python(const at::IValue& value) {
  if (value.isTensor()) return {{"tensor", address_of(value.toTensor())}};
  if (value.isNone()) return nullptr;
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isTuple() || value.isList()) {
    Json list = Json::array();
    if (value.isTuple())
      for (const at::IValue& item : value.toTupleRef().elements())
        list.push_back(json_for_python(item));
    else
      for (const at::IValue& item : value.toListRef()) list.push_back(json_for_python(item));
    return list;
  }
  throw Error("a " + value.tagKind() + " cannot be given to Python");
}

Tensors tensors_at(const Json& addresses) {
  Tensors tensors;
  for (const Json& address : addresses) tensors.push_back(tensor_at(address.get<std::int64_t>()));
  return tensors;
}

Tensors PythonCall::results() {
  const Json answer = ask_python("results", {{"call", number_}});
  kept_ = tensors_at(answer.at("kept"));
  return tensors_at(answer.at("results"));
}

}  // namespace plumbline
