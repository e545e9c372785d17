/// A case's library settings, in force in LibTorch for as long as this lives.
///
/// LibTorch keeps them for the whole process. The worker runs with the defaults of
/// core/op/library_settings.h; settings that differ are put back to them.
#pragma once

#include <ATen/Context.h>

#include "backends/implementation.h"
#include "core/op/library_settings.h"

namespace plumbline {

class AppliedSettings {
 public:
  explicit AppliedSettings(const LibrarySettings& settings);
  ~AppliedSettings();
  AppliedSettings(const AppliedSettings&) = delete;
  AppliedSettings& operator=(const AppliedSettings&) = delete;

 private:
  void set(bool is_on);

  const LibrarySettings& settings_;
  at::BlasBackend blas_before_;
};

/// The implementation with the settings that its case asks for, in force while it is prepared and
/// in each launch. Itself where all are at their defaults. `is_tried`: launched once before, so
/// that what LibTorch refuses with them is Unsupported; not for launches that change their inputs.
Implementation with_library_settings(Implementation implementation, bool is_tried = true);

}  // namespace plumbline
