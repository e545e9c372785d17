/// What the environment record of a device says unlike most of its class: driver, VBIOS, clocks,
/// libraries.
///
/// Pure.
#pragma once

#include "analysis/fleet/fleet.h"

namespace plumbline {

/// Sets FleetClass::usual, FleetUnit::differs of devices, and FleetKind::differs.
void tell_differences(Fleet& fleet);

/// Adds what was recorded of a device to what is known of its node.
void add_conditions(const FleetConditions& device, FleetConditions& node);

}  // namespace plumbline
