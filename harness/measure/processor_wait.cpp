#include "measure/processor_wait.h"

#include <cstdint>
#include <fstream>

namespace plumbline {

double processor_wait_s() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::uint64_t ran_ns = 0, waited_ns = 0;
  file >> ran_ns >> waited_ns;
  return file ? double(waited_ns) * 1e-9 : 0;
}

}  // namespace plumbline
