/// How long the calling thread has waited for a processor that other threads had.
#pragma once

namespace plumbline {

/// Seconds since the thread began during which it could have run and did not. Source: the second
/// number of /proc/thread-self/schedstat (Documentation/scheduler/sched-stats.rst of Linux). 0
/// where the kernel does not count it.
double processor_wait_s();

}  // namespace plumbline
