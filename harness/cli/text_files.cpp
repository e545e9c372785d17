#include "cli/text_files.h"

#include "store/file.h"
#include "terminal/console.h"

namespace plumbline {

CLI::Option* add_text_file(CLI::App& app, const char* name, std::string& path,
                           const std::string& help) {
  return app.add_option(name, path, help + "; - is standard output")->type_name("FILE");
}

bool is_standard_output(std::string_view path) { return path == "-"; }

void write_text_file(const std::string& path, const std::string& text) {
  is_standard_output(path) ? print_result(text) : write_atomically(path, text);
}

}  // namespace plumbline
