/// A case's library settings, active in LibTorch during this object's lifetime.
///
/// The settings are global in LibTorch. The worker runs with the defaults of
/// core/op/library_settings.h; the destructor restores settings that differ.
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

/// The implementation with the settings of its case, active in prepare and in each launch. Returns
/// it unchanged if all settings are at their defaults. `is_tried`: launches once before, so that
/// settings that LibTorch refuses give Unsupported; not for launches that change their inputs.
Implementation with_library_settings(Implementation implementation, bool is_tried = true);

}  // namespace plumbline
