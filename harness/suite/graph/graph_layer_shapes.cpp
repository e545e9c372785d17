#include <algorithm>
#include <array>

#include "suite/graph/graph_operation_shapes.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

using Dims = GraphDims;

/// Each with the four dimensions that attention has.
void check_attention_ranks(const ShapedOperation& operation) {
  constexpr std::array<std::string_view, 5> kPorts{"Q", "K", "V", "O", "dO"};
  for (const ShapedPort& port : operation.inputs)
    if (std::ranges::find(kPorts, port.port->key) != kPorts.end() && !port.dims.empty() &&
        port.dims.size() != 4)
      fail_at(port.port->value->at,
              operation.kind.tag + ": " + words_of(port) + " has " +
                  std::to_string(port.dims.size()) +
                  " dimensions; attention has 4: batch, heads, length, elements of a head");
}

/// Whether keys and values are pages, whose sizes say nothing of a sequence.
bool is_paged(const ShapedOperation& operation) {
  return operation.input("Page_table_K") || operation.input("Page_table_V");
}

}  // namespace

ShapesWritten attention_shapes(const ShapedOperation& operation) {
  check_attention_ranks(operation);
  const bool is_forward = !operation.kind.tag.ends_with("BWD");
  if (is_forward)
    require_dims(operation, "O", "for which cuDNN asks its dimensions");
  else
    for (const char* port : {"dQ", "dK", "dV"})
      require_dims(operation, port, "for which cuDNN asks its dimensions");
  const ShapedPort *q = operation.input("Q"), *k = operation.input("K"), *v = operation.input("V");
  if (!q || !k || !v || is_paged(operation)) return {};
  for (const ShapedPort* port : {k, v})
    if (port->dims[0] != q->dims[0] || q->dims[1] % port->dims[1] != 0)
      fail_on_pair(operation, *q, *port,
                   "the heads of the second divide those of the first, and batches are equal");
  if (q->dims[3] != k->dims[3])
    fail_on_pair(operation, *q, *k, "their heads have as many elements");
  if (k->dims[2] != v->dims[2]) fail_on_pair(operation, *k, *v, "they have as many keys");
  const Dims output{q->dims[0], q->dims[1], q->dims[2], v->dims[3]};
  if (is_forward) {
    const Dims rows{q->dims[0], q->dims[1], q->dims[2], 1};
    return {{"O", output}, {"Stats", rows}, {"Max", rows}, {"Sum_exp", rows}};
  }
  for (const char* name : {"O", "dO"})
    if (const ShapedPort* port = operation.input(name); port && port->dims != output)
      fail_on_pair(operation, *q, *port, "what attention gives is " + sizes_in_words(output));
  return {{"dQ", q->dims}, {"dK", k->dims}, {"dV", v->dims}};
}

/// Statistics of rows are what is left of them where the scale has their elements.
ShapesWritten norm_of_rows(const ShapedOperation& operation) {
  const ShapedPort *x = operation.input("X"), *scale = operation.input("SCALE");
  if (!x) return {};
  ShapesWritten written{{"Y", x->dims}};
  if (!scale) return written;
  Dims rows = x->dims;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (scale->dims[i] != 1) rows[i] = 1;
  written["MEAN"] = written["INV_VARIANCE"] = rows;
  return written;
}

ShapesWritten norm_of_channels(const ShapedOperation& operation) {
  const ShapedPort* x = operation.input("X");
  if (!x || x->dims.size() < 2) return {};
  Dims channels(x->dims.size(), 1);
  channels[1] = x->dims[1];
  if (operation.kind.tag == "INSTANCE_NORM") channels[0] = x->dims[0];
  ShapesWritten written{{"Y", x->dims}};
  for (const char* port :
       {"MEAN", "INV_VARIANCE", "NEXT_RUNNING_MEAN", "NEXT_RUNNING_VAR", "SUM", "SQ_SUM"})
    written[port] = channels;
  return written;
}

ShapesWritten norm_backward(const ShapedOperation& operation) {
  ShapesWritten written;
  if (const ShapedPort* x = operation.input("X")) written["DX"] = x->dims;
  if (const ShapedPort* scale = operation.input("SCALE"))
    written["DSCALE"] = written["DBIAS"] = scale->dims;
  return written;
}

}  // namespace plumbline
