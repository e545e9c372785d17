/// The program plumbline-worker, in a library of its own: a program of two lines loads it, and so
/// does the Python of plumbline-worker.py.
#pragma once

/// As main(): arguments to exit code. Ends the process itself where it has served requests.
extern "C" int plumbline_worker_main(int count, char** values);

/// The version of torch that the library was compiled for: 2.11.0.
extern "C" const char* plumbline_worker_torch();
