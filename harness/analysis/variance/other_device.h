/// Whether two runs are of one machine in one state, and how far whole runs of two may lie apart.
///
/// A UUID names a card, but a CPU's is derived from what images of virtual machines share, and
/// files of other programs claim what they like. So the host counts too. Jobs in containers have
/// another host name each time: what was measured within one boot of a kernel is of one machine,
/// whatever it is called. Comparisons and histories ask here. Knows names, no times.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/run/environment.h"

namespace plumbline {

/// What one machine is told from another by. "" is not known.
struct MachineMarks {
  std::string device_uuid, host, boot_id;
};

MachineMarks marks_of(const Environment& environment);

/// In the order of how far runs may lie apart.
enum class Sameness {
  same,           // as far as anybody knows
  other_state,    // the same machine after a boot, or with another kernel or driver
  other_device,   // of the class, by its UUID; devices that nobody named may be any two
  other_machine,  // another host that says the same UUID: nobody knows what it is
};

struct MachineRelation {
  Sameness sameness = Sameness::same;
  std::string what;  // "another host: 'a' and 'b'"; "" where they are the same
};

/// A host, boot, kernel or driver that one side does not know tells nothing apart. An unknown UUID
/// does: it may be another device.
MachineRelation relation_of(const Environment& before, const Environment& now);

/// Whether they cannot be of one machine: another UUID, or another host and not the same boot.
bool are_other_machines(const MachineMarks& a, const MachineMarks& b);

/// The number of each run's machine. Runs that may be of one machine have the same: those of a UUID
/// stay together where one of them does not name its host.
std::vector<std::size_t> machines_of(std::span<const MachineMarks> runs);

/// What is said of two such runs. `one_sd`, `two_sd`: what whole runs of one machine and such two
/// are taken to differ by, fractions; `is_learned`: earlier runs say how far they lie apart, of all
/// cases.
std::string relation_note(const MachineRelation& relation, double one_sd, double two_sd,
                          bool is_learned);

}  // namespace plumbline
