/// Runs that Plumbline did not measure (core/run/import_mapping.h), as comparisons see them.
#pragma once

#include "core/run/import_mapping.h"
#include "core/run/run.h"

namespace plumbline {

/// True if both runs may lack an entry of the device's identity: files of other programs seldom
/// contain more than the device's class.
inline bool may_lack(const EnvironmentField& field, const RunInfo& a, const RunInfo& b) {
  return field.name != "device_class" && a.measurement_revision == kForeignRevision &&
         b.measurement_revision == kForeignRevision;
}

}  // namespace plumbline
