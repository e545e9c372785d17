/// What ran on the GPU according to CUPTI's activity records: kernels, copies and fills with start
/// and end by the GPU's clock.
///
/// Recording is switched on and off for each launch (about 1 us on an H200, without waiting for the
/// device). So traced and untraced launches can alternate behind one hold, and nothing else is
/// recorded. libcupti is opened at run time: LibTorch has already loaded it. One per process,
/// because CUPTI's callbacks carry no user data. Knows no op and no metric.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::cuda {

/// One kernel, copy or fill.
struct Activity {
  std::string name;    // demangled; "memcpy DtoD", "memset"
  std::string symbol;  // of a kernel: mangled
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t stream = 0;
  bool is_kernel = false;
  std::array<int, 3> grid{}, block{};
  int registers = 0;                          // per thread
  int shared_static = 0, shared_dynamic = 0;  // bytes
  int local_bytes = 0;                        // per thread: what registers do not hold
  std::uint64_t bytes = 0;                    // copies and fills
  std::uint64_t graph_node = 0;               // 0 = launched outside a graph
};

/// Activities between two marks, in the order of their start.
using Activities = std::vector<Activity>;

class CuptiTracer {
 public:
  /// Opens libcupti and registers. Throws DeviceError with CUPTI's message.
  CuptiTracer();
  ~CuptiTracer();
  CuptiTracer(const CuptiTracer&) = delete;
  CuptiTracer& operator=(const CuptiTracer&) = delete;

  /// Records all launches until stop().
  void start();
  void stop();

  struct Recording {
    std::vector<Activities> launches;  // activities after each launch of `marker`, until the next
    std::string failure;               // records were lost, or CUPTI's error; "": complete
  };
  /// Records since the last call, split at kernels named `marker`. The work must have completed.
  Recording take(const std::string& marker);

  struct Library;  // CUPTI's functions and the records that it has delivered

 private:
  std::unique_ptr<Library> library_;
};

}  // namespace plumbline::cuda
