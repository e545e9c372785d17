#include "device/cuda/code/kept_code.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "device/cuda/code/code_hash.h"

namespace plumbline::cuda {

// Without std::filesystem: LibTorch has functions of that name, some of which crash.
void keep_code(const IndexedCode& code, const std::string& folder) noexcept try {
  if (code.cubin->architecture.empty()) return;
  const std::string path = folder + '/' + code.hash + '.' + code.cubin->architecture + ".bin";
  if (access(path.c_str(), F_OK) == 0) return;
  mkdir(folder.c_str(), 0777);  // it may be there already
  // Other workers may write the same code, and readers must never see a part of it.
  const std::string unfinished = path + '.' + std::to_string(getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file << called_code(*code.cubin, *code.function);
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) std::remove(unfinished.c_str());
} catch (const std::exception&) {
  return;  // without the file, the comparison has the hash alone, and says so
}

}  // namespace plumbline::cuda
