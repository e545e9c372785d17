/// The functions behind ours.
#pragma once

#include <dlfcn.h>
#include <errno.h>

#include "rules.h"

namespace failing {

/// The next function of that name: libc's.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Counts the call; true, with errno set, if it is to fail. For calls that cannot be done by half.
inline bool refused(Kind kind, const char* function, const char* file) {
  const int fate = fate_of(kind, function, file);
  if (fate > 0) errno = fate;
  return fate > 0;
}

}  // namespace failing
