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
  other_machine,  // another host
};

struct MachineRelation {
  Sameness sameness = Sameness::same;
  std::string what;  // "another host: 'a' and 'b'"; "" where they are the same
};

/// What is not known on a side tells nothing apart, but for the UUID.
MachineRelation relation_of(const Environment& before, const Environment& now);

/// Whether they cannot be of one machine: another UUID, or another host and not the same boot.
bool are_other_machines(const MachineMarks& a, const MachineMarks& b);

/// The number of each run's machine. Runs that may be of one machine have the same: those of a UUID
/// stay together where one of them does not name its host.
std::vector<std::size_t> machines_of(std::span<const MachineMarks> runs);

/// What whole runs are taken to differ by (standard deviation, log) where those of one machine in
/// one state differ by `run_sd`. Twice that for another state or device; of two machines 1.5 % at
/// least: cases that two hosts measure 1 to 3 % apart are then called within the rule's rate.
double run_sd_between(Sameness sameness, double run_sd);

/// What is said of two such runs. `run_sd`: what whole runs of one machine are taken to differ by;
/// `is_learned`: earlier runs say how far such runs lie apart, of all cases.
std::string relation_note(const MachineRelation& relation, double run_sd, bool is_learned);

}  // namespace plumbline
