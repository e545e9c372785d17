#include "import/attached/stable_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <vector>

#include "core/run/case.h"

namespace plumbline {
namespace {

constexpr std::size_t kLongest = 100;          // characters of a name
constexpr std::size_t kLongestMatched = 2048;  // std::regex needs stack for every character

constexpr auto kKernelRules = std::to_array<NameRule>({
    {R"(_GLOBAL__N__[0-9a-f]{8}_\w+?_(?:[0-9a-f]{8}|\d+)(?!\w))", "(anonymous namespace)",
     "anonymous namespace with nvcc's hash of the file",
     "_GLOBAL__N__663b82ba_4_k_cu_e60891cc::scale", "(anonymous namespace)::scale"},
    {R"(__nv_static_\d+__[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(?:_\d+)?_+)", "",
     "static kernel with nvcc's hash of the file",
     "__nv_static_43__0a1b2c3d_7_file_cu_abcdef12__scale", "scale"},
    {R"(\{lambda\(([^{}]*)\)#\d+\})", "{lambda($1)}", "number of a lambda",
     "apply<go(float*)::{lambda(float)#2}>", "apply<go(float*)::{lambda(float)}>"},
    {R"(\{(unnamed type|lambda)#\d+\})", "{$1}", "number of an unnamed type",
     "apply<go()::{unnamed type#3}>", "apply<go()::{unnamed type}>"},
    {R"('(lambda|unnamed)\d*')", "{$1}", "number of a lambda, by clang", "apply<go()::'lambda0'>",
     "apply<go()::{lambda}>"},
    {R"((__nv_h?dl_tag<.*?), ?\d+u?>)", "$1>", "number of nvcc's extended lambda",
     "apply<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float*), &go, 2u>>>",
     "apply<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float*), &go>>>"},
    {R"(\[abi:(?:v\d+|c\w{8,})\])", "", "Numba's version and hash of a function",
     "cudapy::__main__::add[abi:v1][abi:cw51cXTLSUwv1sDUaKthqcNg]", "cudapy::__main__::add"},
    {R"(\$\d+(?!\w))", "", "Numba's number of a function", "cudapy::__main__::add$241",
     "cudapy::__main__::add"},
    {R"(_(?=\d+[cde])0[cde]{0,3}(?:1[cde]{0,3}(?:2[cde]{0,3}(?:\d{1,2}[cde]{0,3})*)?)?$)", "",
     "Triton's specialisation of arguments", "add_kernel_0d1d2d3de", "add_kernel"},
    {R"(^(triton_[a-z]+_fused(?:_.*?)?)_\d+$)", "$1", "number in the module of torch's Inductor",
     "triton_poi_fused_add_relu_0", "triton_poi_fused_add_relu"},
    {R"(^((?:\w*_)?fusion(?:_[a-z]+)*?)(?:[_.]\d+)+$)", "$1", "XLA's number of a fusion",
     "loop_add_fusion_3", "loop_add_fusion"},
    {R"(^((?:tvmgen_)?default\w*?_kernel)_?\d*$)", "$1", "TVM's number of a kernel",
     "tvmgen_default_fused_add_kernel_2", "tvmgen_default_fused_add_kernel"},
    {R"(_(?=[0-9a-f]*\d)[0-9a-f]{16,64}(?!\w))", "", "hash of generated code",
     "cupy_fused_4f1c2b7a9d3e5f60718293a4b5c6d7e8", "cupy_fused"},
    {R"(_\d{10,20}(?!\w))", "", "hash of generated code, as a number",
     "fused_mul_add_9838277411231904", "fused_mul_add"},
});

constexpr auto kRangeRules = std::to_array<NameRule>({
    {R"(, (?:seq|op_id|sizes|input_op_ids) = .*$)", "", "what torch's emit_nvtx adds",
     "aten::add, seq = 12, op_id = 7", "aten::add"},
    {R"(((?:^|\W)(?:iter|iteration|step|batch|epoch|frame|request|ProfilerStep))[ _:#=]*\d+)", "$1",
     "number of a step", "train step 17", "train step"},
    {R"(0x[0-9a-f]{6,})", "0x", "address", "tensor 0x7f8a12345678", "tensor 0x"},
});

struct Compiled {
  std::regex pattern;
  std::string replacement;
};

std::vector<Compiled> compiled(std::span<const NameRule> rules) {
  std::vector<Compiled> made;
  for (const NameRule& rule : rules)
    made.push_back({std::regex(std::string(rule.pattern), std::regex::optimize),
                    std::string(rule.replacement)});
  return made;
}

std::string cut(std::string name) {
  if (name.size() <= kLongest) return name;
  const std::string hash = stable_hash_text(name).substr(0, 8);
  std::size_t end = kLongest - 1 - hash.size();
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return name.substr(0, end) + "~" + hash;
}

std::string by_rules(std::string name, const std::vector<Compiled>& rules) {
  if (name.size() > kLongestMatched) return name;
  for (const Compiled& rule : rules)
    name = std::regex_replace(name, rule.pattern, rule.replacement);
  return name;
}

int nesting(char c) {
  if (std::string_view("<([{").find(c) != std::string_view::npos) return 1;
  return std::string_view(">)]}").find(c) != std::string_view::npos ? -1 : 0;
}

/// Where the parameters of a demangled function begin: the bracket that the last one closes.
std::size_t parameters_of(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth -= nesting(name[i]);
    if (depth == 0) return name[i] == '(' ? i : std::string_view::npos;
  }
  return std::string_view::npos;
}

/// The return type and the parameters of an instance of a template follow from its arguments.
std::string without_signature(std::string_view name) {
  const std::size_t parameters = name.ends_with(')') ? parameters_of(name) : name.npos;
  if (parameters == name.npos || parameters == 0 || name[parameters - 1] != '>')
    return std::string(name);
  name = name.substr(0, parameters);
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += nesting(name[i]);
    if (depth == 0 && name[i] == ' ') begin = i + 1;
  }
  return std::string(name.substr(begin));
}

}  // namespace

std::span<const NameRule> kernel_name_rules() { return kKernelRules; }
std::span<const NameRule> range_name_rules() { return kRangeRules; }

std::string demangled(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return name;
}

std::string stable_kernel_name(const std::string& symbol) {
  static const std::vector<Compiled> rules = compiled(kKernelRules);
  return cut(by_rules(without_signature(demangled(symbol)), rules));
}

std::string stable_range_name(const std::string& text) {
  static const std::vector<Compiled> rules = compiled(kRangeRules);
  return cut(by_rules(text, rules));
}

}  // namespace plumbline
