/// What a program tells fake_activities.cpp, found with dlsym.
#pragma once

#include <cstdint>

extern "C" {
/// A kernel of that mangled name ran for `ns`. `grid`, `block`: their first extents.
void fake_launch(const char* name, int grid, int block, std::int64_t ns);
/// An NVTX range was open for `ns`.
void fake_range(const char* name, std::int64_t ns);
/// The next buffer is said to lack so many records.
void fake_loss(std::uint64_t records);
/// A kernel was launched and does not end.
void fake_endless(const char* name);
}
