#include "workflow/scratch_folder.h"

#include <stdlib.h>

#include "core/error.h"

namespace plumbline {

ScratchFolder::ScratchFolder()
    : path_((std::filesystem::temp_directory_path() / "plumbline-XXXXXX").string()) {
  if (!mkdtemp(path_.data()))
    throw Error("cannot make the folder " + path_ + "; free some space there, or set TMPDIR");
}

}  // namespace plumbline
