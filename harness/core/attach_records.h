/// The records that a program under `plumbline attach` leaves behind: what attach/ writes and
/// import/ reads.
///
/// One file a process, of lines. Their fields are separated by tabs, the first one is the kind.
/// Times are nanoseconds by CUPTI's clock, sizes bytes. Control characters and '\' in texts are
/// '\' and two hexadecimal digits. A line is valid as soon as its newline is there, so that what a
/// program leaves behind that is killed is a valid prefix. Readers pass over kinds that they do not
/// know, and over further fields.
#pragma once

namespace plumbline::attach {

/// Variables of the program's environment.
inline constexpr const char* kFolderVariable = "PLUMBLINE_ATTACH";       // for the files of records
inline constexpr const char* kCuptiVariable = "PLUMBLINE_ATTACH_CUPTI";  // libcupti's places, ':'

inline constexpr const char* kExtension = ".records";
inline constexpr const char* kVersion = "1";

// Kinds, and their fields.
inline constexpr const char* kHead = "plumbline-attach";  // version, process id, program
inline constexpr const char* kCupti = "cupti";      // version of CUPTI, CUDA version of the driver
inline constexpr const char* kStarted = "started";  // time: from now on launches are recorded
inline constexpr const char* kDevice = "device";  // number, UUID, name, multiprocessors, memory, L2
inline constexpr const char* kName = "name";      // number, text
inline constexpr const char* kKernel = "kernel";  // name, start, end, grid x y z, block x y z,
                                                  // device, stream, registers, static and dynamic
                                                  // shared memory, local memory of a thread
inline constexpr const char* kCopy = "copy";      // name, start, end, bytes, device, stream
inline constexpr const char* kOpened =
    "opened";                                   // range: number, time, name, domain (a name, or -)
inline constexpr const char* kEnded = "ended";  // range: number, time
inline constexpr const char* kLost = "lost";    // records that CUPTI dropped since the last such
inline constexpr const char* kUnfinished = "unfinished";  // launches without an end time
inline constexpr const char* kRefused = "refused";        // why nothing is recorded, in words
inline constexpr const char* kMissing = "missing";        // what else is not recorded, in words
inline constexpr const char* kClosed = "closed";          // time: the process ended by exit()

}  // namespace plumbline::attach
