/// The code of LibTorch and cuDNN is gigabytes, and a kernel's is read from disk when it is first
/// launched: on a machine that had not run them before, the first launches of 514 cases took 14 s
/// more than on one that had.
#pragma once

namespace plumbline {

/// Has the libraries of this process read into the page cache in the background. Returns at once.
void read_libraries_ahead();

}  // namespace plumbline
