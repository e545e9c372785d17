/// Reads the records that a process under `plumbline attach` left behind (core/attach_records.h).
///
/// Knows no case. A torn last line, of a program that was killed, is left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// A kernel, copy or memset that ran on a device. Times in nanoseconds by CUPTI's clock.
struct AttachedActivity {
  std::size_t name = 0;  // index into `names` of its process
  bool is_kernel = false;
  std::int64_t start_ns = 0, end_ns = 0;
  std::array<std::int64_t, 3> grid{}, block{};  // of kernels
  std::int64_t device = 0, stream = 0;
  std::int64_t registers = 0, shared_static = 0, shared_dynamic = 0, local_bytes = 0;
  std::int64_t bytes = 0;  // of copies
};

/// An NVTX range that was closed.
struct AttachedRange {
  std::string name;  // "domain:text", or the text alone for the default domain
  std::int64_t start_ns = 0, end_ns = 0;
};

struct AttachedDevice {
  std::string uuid, name;
  std::int64_t units = 0, memory_bytes = 0, l2_bytes = 0;
};

struct AttachedProcess {
  std::string path;  // of the file
  std::int64_t pid = 0;
  std::string program;                             // the file that ran
  std::vector<std::string> names;                  // of kernels as they are mangled, copies, ranges
  std::vector<AttachedActivity> activities;        // by their start
  std::vector<AttachedRange> ranges;               // by their start
  std::map<std::int64_t, AttachedDevice> devices;  // by CUDA's number
  std::size_t lost = 0;                            // records that CUPTI dropped
  std::size_t unfinished = 0;  // launches that had no end when the process ended
  std::size_t open_ranges = 0;
  std::string refused;               // why nothing was recorded; "" if it was
  std::vector<std::string> missing;  // what else was not recorded, and why
  bool is_started = false, is_closed = false;
};

/// Throws Error with file and line for a file that is none, of a newer version, or damaged.
AttachedProcess read_attached(const std::string& path);

/// All files of records in a folder, by their names. Throws the same.
std::vector<AttachedProcess> read_attached_folder(const std::string& folder);

}  // namespace plumbline
