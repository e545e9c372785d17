/// Whether two runs are of one machine in one state, and how far their runs may differ if not.
///
/// A UUID names a card. But a CPU's UUID comes from data that images of virtual machines share, and
/// files of other programs may claim any UUID. So the host counts too. Jobs in containers have a
/// new host name each time: runs within one boot of a kernel are of one machine, whatever its name.
/// Comparisons and histories use this. Knows names, but no times.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/run/environment.h"

namespace plumbline {

/// What distinguishes machines. "" = unknown.
struct MachineMarks {
  std::string device_uuid, host, boot_id;
};

MachineMarks marks_of(const Environment& environment);

/// In the order of how far runs may differ.
enum class Sameness {
  same,           // as far as is known
  other_state,    // the same machine after a boot, or with another kernel or driver
  other_device,   // another device of the class, by its UUID; unnamed devices may be any two
  other_machine,  // another host with the same UUID, so that its device is unknown
};

struct MachineRelation {
  Sameness sameness = Sameness::same;
  std::string what;  // "another host: 'a' and 'b'"; "" if they are the same
};

/// A host, boot, kernel or driver that one side does not record counts as the same. An unknown UUID
/// does not: it may be another device.
MachineRelation relation_of(const Environment& before, const Environment& now);

/// True if they cannot be one machine: another UUID, or another host without the same boot.
bool are_other_machines(const MachineMarks& a, const MachineMarks& b);

/// The number of each run's machine. Runs that may be of one machine have the same number: runs of
/// a UUID stay together if one of them does not name its host.
std::vector<std::size_t> machines_of(std::span<const MachineMarks> runs);

/// The note about two such runs. `one_sd`, `two_sd`: the assumed difference between whole runs of
/// one machine, and of two such machines, as fractions. `is_learned`: earlier runs show the
/// difference for all cases.
std::string relation_note(const MachineRelation& relation, double one_sd, double two_sd,
                          bool is_learned);

}  // namespace plumbline
