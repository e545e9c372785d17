/// What a backend takes of an op: the conditions of OpSpec::limits and of every op on a backend.
///
/// Known to both programs, so that a case that cannot run is listed as such, and refused in the
/// same words by a worker. What a library refuses by itself it says when it is asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// Of the op on that backend, then of every op there: the first that does not hold is the reason.
std::vector<Limit> limits_of(const OpSpec& spec, std::string_view backend);

/// Of this tree's kernels that hold a row of `cols` in registers, up to `most` elements, but where
/// the condition `unless` holds.
Limit row_limit(std::int64_t most, const std::string& unless = "false");

/// Of what cuDNN computes by a function of its own, called `function` in words, and not as a graph.
Limit no_plans(const std::string& function);

/// Of ops that cuDNN has plans for in other types alone, but where the condition `unless` holds.
Limit no_float64(const std::string& unless = "false");

/// Of ops that LibTorch computes in wider types alone.
Limit no_float8();

/// The name under which a condition asks for the device: "cpu" or "cuda".
inline constexpr std::string_view kDeviceKind = "device.kind";

/// Whether the answer depends on the device.
bool asks_device(const Limit& limit);

/// Why the backend does not take the op with these parameters (missing ones at their default) on
/// a device of that kind, "cpu" or "cuda"; "" where it does.
std::string beyond_limits(const OpSpec& spec, std::string_view backend, const Params& params,
                          const std::string& device_kind);

/// "forward", and "backward" where the op has one.
std::vector<std::string> directions_of(const OpSpec& spec);

/// The op's own parameters and the common ones, with the directions that it has.
std::vector<ParamSpec> params_of(const OpSpec& spec);

/// What the backend takes in that direction, whatever the other parameters; in the op's order.
std::vector<DType> dtypes_of(const OpSpec& spec, std::string_view backend,
                             const std::string& direction);

}  // namespace plumbline
