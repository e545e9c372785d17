/// A plug-in in this process: loaded, its version and its ops checked.
///
/// Knows the C interface plumbline_plugin.h; no case and no tensor of LibTorch.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "backends/plugin/plumbline_plugin.h"

namespace plumbline {

class PluginLibrary {
 public:
  /// Loads it for the rest of the process. Throws Error for what is no plug-in, or one of another
  /// version.
  explicit PluginLibrary(const std::string& path);

  const plumbline_plugin& functions() const { return *plugin_; }

  /// Throws Error where there is no such op, naming those that there are, or where it does not take
  /// one of the parameters.
  void check_op(const std::string& function, const std::vector<std::string>& params) const;

  /// Returns for PLUMBLINE_OK. Throws Unsupported or Error with the plug-in's words; `what` was
  /// called.
  void check(int code, const char* what) const;
  /// What `call`, a call of the plug-in's function `what`, answers. Throws Error that names both
  /// for an exception that leaves it, which none should: nobody would know whose words these are.
  template <class Call>
  auto called(const char* what, Call call) const {
    try {
      return call();
    } catch (const std::exception& exception) {
      fail(std::string(what) + ": an exception left it: " + exception.what());
    } catch (...) {
      fail(std::string(what) + ": an exception left it, of no standard kind");
    }
  }
  /// Throws Error that names the plug-in.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string path_;
  const plumbline_plugin* plugin_ = nullptr;
};

}  // namespace plumbline
