/// A plug-in loaded into this process, with its version and ops checked.
///
/// Knows the C interface plumbline_plugin.h, but no case and no tensor of LibTorch.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "backends/plugin/plumbline_plugin.h"

namespace plumbline {

class PluginLibrary {
 public:
  /// Loads it for the rest of the process. Throws Error if it is no plug-in or has another version.
  explicit PluginLibrary(const std::string& path);

  const plumbline_plugin& functions() const { return *plugin_; }

  /// Throws Error with the existing ops if there is no such op, or if it does not take one of the
  /// parameters.
  void check_op(const std::string& function, const std::vector<std::string>& params) const;

  /// Returns for PLUMBLINE_OK; else throws Unsupported or Error with the plug-in's message. `what`:
  /// the function that was called.
  void check(int code, const char* what) const;
  /// Returns the result of `call`, a call of the plug-in's function `what`. No exception should
  /// leave a plug-in; if one does, throws Error that names plug-in and function.
  template <class Call>
  auto called(const char* what, Call call) const {
    try {
      return call();
    } catch (const std::exception& exception) {
      fail(std::string(what) + ": it threw an exception: " + exception.what());
    } catch (...) {
      fail(std::string(what) + ": it threw an exception of no standard type");
    }
  }
  /// Throws Error with the plug-in's name.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string path_;
  const plumbline_plugin* plugin_ = nullptr;
};

}  // namespace plumbline
