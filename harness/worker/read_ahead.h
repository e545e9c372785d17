/// The code of LibTorch and cuDNN is several gigabytes, and a kernel's code is read from disk when
/// it is first launched. On a machine that had not run them before, the first launches of 514 cases
/// took 14 s longer.
#pragma once

namespace plumbline {

/// Reads this process's libraries into the page cache in the background. Returns at once.
void read_libraries_ahead();

}  // namespace plumbline
