/// Which cases of an op a backend supports: OpSpec::limits and the limits of every op on a backend.
///
/// Both programs know these limits: suites list unsupported cases as such, and a worker refuses
/// them with the same words. Limits that only a library knows are reported when it is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// Limits of the op on that backend, then of every op there; the first violated one is the reason.
std::vector<Limit> limits_of(const OpSpec& spec, std::string_view backend);

/// For this tree's kernels that hold a row of `cols` in registers: at most `most` elements, except
/// where the condition `unless` holds.
Limit row_limit(std::int64_t most, const std::string& unless = "false");

/// For a cuDNN function that is not a graph and so has no plans; `function` is its name in words.
Limit no_plans(const std::string& function);

/// For ops that cuDNN has no float64 plans for, except where the condition `unless` holds.
Limit no_float64(const std::string& unless = "false");

/// For ops that LibTorch does not compute in 8-bit floats.
Limit no_float8();

/// The name of the device's kind in conditions; its value is "cpu" or "cuda".
inline constexpr std::string_view kDeviceKind = "device.kind";

/// Whether the limit depends on the device.
bool asks_device(const Limit& limit);

/// Why the backend does not support the op with these parameters (missing ones at their defaults)
/// on a device of that kind, "cpu" or "cuda"; "" where it does.
std::string beyond_limits(const OpSpec& spec, std::string_view backend, const Params& params,
                          const std::string& device_kind);

/// "forward", and "backward" where the op has one.
std::vector<std::string> directions_of(const OpSpec& spec);

/// The op's own parameters and the common ones; `direction` and `dtype` list what the op supports.
std::vector<ParamSpec> params_of(const OpSpec& spec);

/// The dtypes that the backend supports in that direction, whatever the other parameters; in the
/// op's order.
std::vector<DType> dtypes_of(const OpSpec& spec, std::string_view backend,
                             const std::string& direction);

}  // namespace plumbline
