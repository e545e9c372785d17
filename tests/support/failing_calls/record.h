/// The record of what a program changed in files, from which a test makes the states that a power
/// loss can leave.
///
/// One line for each change that was done: words with tabs between them. A file is known by its
/// inode, since its name changes.
///   create INODE PATH · truncate INODE BYTES · write INODE OFFSET BYTES, then the bytes and a line
///   end · sync INODE · rename FROM TO · mkdir INODE PATH · unlink PATH · rmdir PATH
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace failing {

/// Whether changes of this file are recorded.
bool is_recorded(const char* file);

void record_create(const char* path);
void record_mkdir(const char* path);
void record_truncate(int descriptor, off_t bytes);
/// `offset`: where the bytes are, -1 = at the descriptor's position, after it moved over them.
void record_write(int descriptor, const void* bytes, std::size_t count, off_t offset);
void record_sync(int descriptor);
void record_rename(const char* from, const char* to);
void record_gone(const char* what, const char* path);

}  // namespace failing
