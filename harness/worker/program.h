/// plumbline-worker as a library: a program of two lines loads it, and so does the Python of
/// plumbline-worker.py.
#pragma once

/// Like main(): takes arguments, returns the exit code. After serving requests it ends the process
/// itself.
extern "C" int plumbline_worker_main(int count, char** values);

/// The version of torch that the library was compiled for: 2.11.0.
extern "C" const char* plumbline_worker_torch();
