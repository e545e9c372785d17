#include "backends/plugin/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>

#include "backends/implementation.h"
#include "core/error.h"
#include "core/expression/expression.h"

namespace plumbline {
namespace {

/// "; did you mean …?", or the list of known words.
std::string allowed(const std::string& word, const std::vector<std::string>& known) {
  if (const std::string near = nearest_name(word, known); !near.empty())
    return "; did you mean '" + near + "'?";
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  return known.empty() ? "; it has none" : "; it has: " + names;
}

}  // namespace

PluginLibrary::PluginLibrary(const std::string& path) : path_(path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error("the plug-in '" + path + "' does not load: " + dlerror());
  const auto entry =
      reinterpret_cast<plumbline_plugin_entry_function>(dlsym(handle, PLUMBLINE_PLUGIN_ENTRY));
  if (entry == nullptr)
    throw Error("'" + path + "' is no plug-in: it does not export " PLUMBLINE_PLUGIN_ENTRY);
  plugin_ = called(PLUMBLINE_PLUGIN_ENTRY, entry);
  if (plugin_ == nullptr) throw Error("the plug-in '" + path + "' gave no description of itself");
  if (plugin_->abi != PLUMBLINE_PLUGIN_ABI)
    throw Error("the plug-in '" + path + "' is of ABI " + std::to_string(plugin_->abi) +
                ", this worker calls ABI " + std::to_string(PLUMBLINE_PLUGIN_ABI) +
                "; build it with this worker's plumbline_plugin.h");
  if (plugin_->size < sizeof(plumbline_plugin) || plugin_->create == nullptr ||
      plugin_->destroy == nullptr || plugin_->launch == nullptr || plugin_->last_error == nullptr)
    throw Error("the plug-in '" + path + "' lacks functions of plumbline_plugin.h");
}

void PluginLibrary::check_op(const std::string& function,
                             const std::vector<std::string>& params) const {
  std::vector<std::string> names;
  const plumbline_op* op = nullptr;
  for (std::uint32_t i = 0; i < plugin_->op_count; ++i) {
    const plumbline_op* const listed = plugin_->ops == nullptr ? nullptr : plugin_->ops[i];
    if (listed == nullptr || listed->name == nullptr)
      fail("ops[" + std::to_string(i) + "]: no op with a name, though op_count is " +
           std::to_string(plugin_->op_count));
    names.emplace_back(listed->name);
    if (names.back() == function) op = listed;
  }
  if (op == nullptr)
    throw Error("the plug-in '" + path_ + "' has no op '" + function + "'" +
                allowed(function, names));
  std::vector<std::string> known;
  for (const char* const* name = op->params; name != nullptr && *name != nullptr; ++name)
    known.emplace_back(*name);
  for (const std::string& param : params)
    if (std::ranges::find(known, param) == known.end())
      throw Error("the op '" + function + "' of '" + path_ + "' takes no parameter '" + param +
                  "'" + allowed(param, known));
}

void PluginLibrary::check(int code, const char* what) const {
  if (code == PLUMBLINE_OK) return;
  const char* const words = plugin_->last_error();
  const std::string said = words == nullptr || *words == '\0' ? "no reason given" : words;
  if (code == PLUMBLINE_UNSUPPORTED) throw Unsupported(said);
  fail(std::string(what) + ": " + said);
}

void PluginLibrary::fail(const std::string& what) const { throw Error(path_ + ": " + what); }

}  // namespace plumbline
