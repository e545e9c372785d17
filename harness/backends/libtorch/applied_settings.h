/// A case's library settings, in force in LibTorch for as long as this lives.
///
/// LibTorch keeps them for the whole process; the worker's own are the defaults of
/// core/library_settings.h, and what is not at its default there is put back.
#pragma once

#include <ATen/Context.h>

#include "core/library_settings.h"

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

}  // namespace plumbline
