#include "backends/code_files.h"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <set>
#include <string_view>

#include "backends/files.h"
#include "core/run/case.h"

namespace plumbline {
namespace {

/// What a library says in its dynamic section (System V ABI, chapter 5).
struct DynamicSection {
  std::vector<std::string_view> needed;
  std::string_view soname;
};

DynamicSection dynamic_section(const link_map& object) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  DynamicSection section;
  if (strings == nullptr || reinterpret_cast<ElfW(Addr)>(strings) < object.l_addr) return section;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) section.needed.emplace_back(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) section.soname = strings + entry->d_un.d_val;
  }
  return section;
}

/// The libraries of this process by the names under which other libraries link them.
class LoadedObjects {
 public:
  explicit LoadedObjects(const link_map* first) {
    for (; first != nullptr; first = first->l_next) {
      const std::string_view path = first->l_name;
      if (path.empty()) continue;  // the program
      by_name_.try_emplace(std::string(path.substr(path.rfind('/') + 1)), first);
      if (const auto soname = dynamic_section(*first).soname; !soname.empty())
        by_name_.try_emplace(std::string(soname), first);
    }
  }

  /// Adds the library and all that it links.
  void close_over(const link_map* object, std::set<const link_map*>& closure) const {
    if (!closure.insert(object).second) return;
    for (const std::string_view name : dynamic_section(*object).needed)
      if (const auto found = by_name_.find(std::string(name)); found != by_name_.end())
        close_over(found->second, closure);
  }

 private:
  std::map<std::string, const link_map*> by_name_;
};

const link_map* link_map_of(void* handle) {
  link_map* map = nullptr;
  return handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

}  // namespace

FileRef file_ref(const std::string& path) {
  return {real_path(path), stable_hash_text(read_file(path))};
}

std::vector<FileRef> library_files(const std::string& path) {
  std::vector<FileRef> files{file_ref(path)};
  void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  const link_map* const library = link_map_of(handle);
  const link_map* const program = link_map_of(dlopen(nullptr, RTLD_LAZY));
  if (library == nullptr || program == nullptr) return files;
  const LoadedObjects objects(program);  // the program is the first of all objects
  std::set<const link_map*> own, all;
  objects.close_over(program, own);
  Dl_info here{};
  link_map* worker = nullptr;  // a library if a Python process has loaded the worker
  if (dladdr1(reinterpret_cast<void*>(&file_ref), &here, reinterpret_cast<void**>(&worker),
              RTLD_DL_LINKMAP) != 0)
    objects.close_over(worker, own);
  objects.close_over(library, all);
  for (const link_map* object : all) {
    const bool is_code = object != library && !own.contains(object) && is_file(object->l_name);
    if (is_code) files.push_back(file_ref(object->l_name));
  }
  dlclose(handle);
  return files;
}

}  // namespace plumbline
