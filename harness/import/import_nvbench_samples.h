/// The raw samples that NVBench writes beside its JSON (`--jsonbin`): one file for each state,
/// float32, little-endian, seconds.
///
/// Knows one such file and what the JSON says of it; import_nvbench.cpp knows the JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// What the JSON says about a file of samples.
struct NvbenchSidecar {
  std::string json;     // path of the JSON
  std::string written;  // the name that NVBench recorded; "" if it could not write the file
  std::uint64_t count;  // samples
  double mean;          // of the samples, in seconds; not finite: not known
  std::string place;    // the state, for messages
};

struct NvbenchSamples {
  std::vector<double> times_s;  // in the order in which they were measured
  std::string absent;           // why there are none
};

/// Reads the samples. The file is sought beside the JSON, where NVBench writes it: of the recorded
/// name only the last folder and the name count, so that both can be moved. `absent` has the reason
/// if it is not there. Throws Error for a name that leads elsewhere, for a file of another size,
/// for a sample that is no time, and if the samples have another mean: they are of another run.
NvbenchSamples nvbench_samples(const NvbenchSidecar& sidecar);

}  // namespace plumbline
