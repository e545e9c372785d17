/// The problems for every test of the catalogue.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ops/catalogue.h"
#include "suite/suite.h"
#include "support/places.h"

namespace plumbline {

struct TestProblem {
  std::string op;
  std::string params;  // those that are not at their default
};

/// Small, odd sizes. Together, every parameter takes a non-default value. Ops that are missing here
/// are tested at their sizes in suites/catalogue.yaml (of_the_suite): a new op needs no line.
inline const std::vector<TestProblem> kListed{
    {"add", "elements=1001"},
    {"adamw", "elements=1001"},
    {"adamw", "elements=77 tensors=3"},
    {"adamw", "list=bert_base shards=2000"},
    {"adamw", "list=llama_block shards=5000"},
    {"adamw", "list=resnet50 shards=1000"},
    {"avg_pool2d", "n=2 c=3 h=11 w=9 kernel=3 padding=1 count_padding=false"},
    {"avg_pool2d", "n=2 c=5 h=8 w=13 kernel=3 stride=2 padding=1 layout=nhwc"},
    {"avg_pool2d", "n=3 c=17 h=7 w=7 kernel=7"},
    {"batch_norm", "n=3 c=5 h=7 w=6"},
    {"batch_norm", "n=2 c=16 h=9 w=8 layout=nhwc eps=0.1"},
    {"batch_norm", "n=2 c=5 h=7 w=6 training=false"},
    {"bias_gelu", "rows=13 cols=77"},
    {"bias_gelu", "rows=13 cols=77 approximate=tanh"},
    {"bmm", "batch=3 m=13 n=7 k=29"},
    {"bmm", "batch=5 m=8 n=31 k=64 transpose_a=true"},
    {"bmm", "batch=2 m=17 n=5 k=96 transpose_b=true"},
    {"bmm", "batch=2 m=17 n=5 k=96 library.tf32=true"},
    {"bmm", "batch=2 m=17 n=5 k=96 library.reduced_reduction=false library.blas=cublas"},
    {"bmm", "batch=2 m=17 n=5 k=96 library.blas=cublaslt"},
    {"cat", "tensors=3 rows=7 cols=13 axis=rows"},
    {"cat", "tensors=5 rows=7 cols=13 axis=cols"},
    {"conv2d", "n=2 c=3 h=11 w=9 k=5 r=3 s=3"},
    {"conv2d", "n=2 c=5 h=9 w=12 k=7 r=3 s=2 padding=2 layout=nhwc bias=true"},
    {"conv2d", "n=1 c=6 h=13 w=13 k=9 r=3 s=3 stride=2 padding=1 groups=3 bias=true"},
    {"conv2d", "n=2 c=8 h=10 w=7 k=8 r=5 s=3 padding=2 groups=8 layout=nhwc"},  // depthwise
    {"conv2d", "n=1 c=4 h=8 w=8 k=8 r=3 s=3 groups=4"},  // two output channels per input channel
    {"conv2d", "n=2 c=4 h=15 w=17 k=3 r=3 s=3 stride=3 padding=1 dilation=2"},
    {"conv2d", "n=3 c=16 h=7 w=5 k=12 r=1 s=1"},
    {"conv2d", "n=1 c=3 h=7 w=7 k=2 r=7 s=7"},
    {"conv2d", "n=1 c=3 h=7 w=7 k=2 r=3 s=3 library.tf32=true"},
    {"conv2d", "n=1 c=3 h=7 w=7 k=2 r=3 s=3 library.cudnn_benchmark=true"},
    {"conv2d", "n=1 c=3 h=7 w=7 k=2 r=3 s=3 library.deterministic=true"},
    {"copy", "elements=1001"},
    {"cross_entropy", "rows=37 classes=101"},
    {"cross_entropy", "rows=9 classes=1000 reduction=none"},
    {"ctc_loss", "steps=17 batch=3 classes=6 labels=5"},
    {"ctc_loss", "steps=8 batch=5 classes=29 labels=4"},
    {"ctc_loss", "steps=8 batch=5 classes=29 labels=4 library.deterministic=true"},
    {"dequantize_int8", "rows=13 cols=77"},
    {"dequantize_int8", "rows=13 cols=77 scale=row"},
    {"dropout", "elements=10007"},
    {"dropout", "elements=10007 p=0.5"},
    {"embedding", "vocabulary=50 width=33 tokens=17"},
    {"embedding", "vocabulary=11 width=24 tokens=100"},
    {"embedding", "vocabulary=11 width=24 tokens=100 library.deterministic=true"},
    {"fft", "batch=3 length=360"},
    {"fft", "batch=2 length=97 transform=real"},
    {"fft", "batch=5 length=64 transform=real"},
    {"fp8_gemm", "m=16 n=48 k=64"},
    {"fp8_gemm", "m=32 n=16 k=128 format=e5m2"},
    {"gelu", "elements=1001"},
    {"gelu", "elements=1001 approximate=tanh"},
    {"gemm", "m=1 n=1 k=1"},
    {"gemm", "m=17 n=33 k=65"},
    {"gemm", "m=64 n=48 k=301 transpose_a=true"},
    {"gemm", "m=5 n=31 k=96 transpose_b=true epilogue=bias"},
    {"gemm", "m=8 n=9 k=10 transpose_a=true transpose_b=true"},
    {"gemm", "m=13 n=7 k=29 batch=3 transpose_a=true"},
    {"gemm", "m=6 n=11 k=40 batch=2 transpose_b=true epilogue=bias"},
    {"gemm", "m=1 n=257 k=128 epilogue=bias"},
    {"gemm", "m=17 n=33 k=65 library.tf32=true"},
    {"gemm", "m=17 n=33 k=65 library.reduced_reduction=false library.blas=cublas"},
    {"gemm", "m=17 n=33 k=65 library.blas=cublaslt"},
    {"group_norm", "n=2 c=64 h=5 w=7"},
    {"group_norm", "n=3 c=24 h=6 w=5 groups=4 layout=nhwc"},
    {"group_norm", "n=2 c=10 h=9 w=4 groups=5 affine=false eps=0.1"},
    {"group_norm", "n=2 c=8 h=5 w=6 groups=8"},  // instance norm
    {"index_add", "rows=11 cols=24 updates=100"},
    {"index_add", "rows=200 cols=7 updates=50"},
    {"index_add", "rows=11 cols=24 updates=100 library.deterministic=true"},
    {"int8_gemm", "m=17 n=24 k=40"},
    {"int8_gemm", "m=32 n=8 k=64 transpose_b=true"},
    {"layer_norm", "rows=7 cols=33"},
    {"layer_norm", "rows=17 cols=768"},
    {"layer_norm", "rows=5 cols=100 affine=false eps=0.1"},
    {"log_softmax", "rows=13 cols=257"},
    {"log_softmax", "rows=3 cols=4099"},
    {"max_pool2d", "n=2 c=3 h=11 w=9 kernel=2"},
    {"max_pool2d", "n=2 c=5 h=8 w=13 kernel=3 stride=2 padding=1 layout=nhwc"},
    {"max_pool2d", "n=1 c=4 h=9 w=9 kernel=5 stride=1 padding=2"},
    {"permute", "a=3 b=5 c=7 d=11 order=acbd"},
    {"permute", "a=3 b=5 c=7 d=11 order=abdc"},
    {"permute", "a=3 b=5 c=7 d=11 order=acdb"},
    {"permute", "a=3 b=5 c=7 d=11 order=adbc"},
    {"permute", "a=3 b=5 c=7 d=11 order=dcba"},
    {"quantize_int8", "rows=13 cols=77"},
    {"quantize_int8", "rows=13 cols=77 scale=row"},
    {"relu", "elements=1001"},
    {"rms_norm", "rows=7 cols=33"},
    {"rms_norm", "rows=17 cols=768"},
    {"rms_norm", "rows=5 cols=100 affine=false eps=0.1"},
    {"rnn", "cell=lstm steps=5 batch=3 input=7 hidden=12"},
    {"rnn", "cell=lstm steps=4 batch=2 input=6 hidden=8 layers=2 bidirectional=true"},
    {"rnn", "cell=gru steps=5 batch=3 input=7 hidden=12 layers=2"},
    {"rnn", "cell=tanh steps=5 batch=3 input=7 hidden=12 bidirectional=true"},
    {"rnn", "cell=relu steps=5 batch=3 input=7 hidden=12"},
    {"rnn", "cell=relu steps=20 batch=4 input=16 hidden=32 layers=2 bidirectional=true"},
    {"rnn", "cell=lstm steps=5 batch=3 input=7 hidden=12 library.tf32=true"},
    {"scatter", "rows=13 cols=64 updates=2"},
    {"scatter", "rows=5 cols=33 updates=33"},
    {"scatter", "rows=5 cols=33 updates=33 library.deterministic=true"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16"},
    {"sdpa", "batch=1 heads=2 q_len=9 kv_len=40 head_dim=64"},
    {"sdpa", "batch=3 heads=2 q_len=1 kv_len=129 head_dim=32"},
    {"sdpa", "batch=2 heads=2 q_len=33 kv_len=33 head_dim=24 causal=true"},
    {"sdpa", "batch=1 heads=1 q_len=7 kv_len=12 head_dim=8 causal=true"},
    {"sdpa", "batch=1 heads=1 q_len=12 kv_len=7 head_dim=8 causal=true"},
    {"sdpa", "batch=2 heads=6 kv_heads=2 q_len=19 kv_len=19 head_dim=16 causal=true"},
    {"sdpa", "batch=1 heads=4 kv_heads=2 q_len=64 kv_len=512 head_dim=128"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.attention=math"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.attention=flash"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.tf32=true"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.reduced_reduction=false"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.blas=cublas"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.blas=cublaslt"},
    {"sdpa", "batch=2 heads=3 q_len=17 kv_len=17 head_dim=16 library.deterministic=true"},
    {"silu", "elements=1001"},
    {"softmax", "rows=13 cols=257"},
    {"softmax", "rows=3 cols=4099"},
    {"softmax", "rows=13 cols=257 layout=transposed"},
    {"sort", "rows=5 cols=1001"},
    {"sort", "rows=7 cols=64 descending=true"},
    {"sum", "rows=37 cols=53 axis=rows"},
    {"sum", "rows=37 cols=53 axis=cols"},
    {"sum", "rows=3 cols=4099 axis=cols"},
    {"sum", "rows=37 cols=53 axis=all"},
    {"topk", "rows=5 cols=1001 k=50"},
    {"topk", "rows=9 cols=64 k=2"},
    {"transpose", "rows=37 cols=53"},
};

/// Problems that only GPUs compute; a CPU refuses them.
inline const std::vector<TestProblem> kListedForGpus{
    {"copy", "elements=1001 path=host_to_device"},
    {"copy", "elements=1001 path=device_to_host host=pageable"},
    {"fp8_gemm", "m=16 n=48 k=64 scale=row fast_accumulation=true"},
    {"sparse_gemm", "m=32 n=64 k=64"},
    {"sparse_gemm", "m=32 n=64 k=64 transpose_b=true"},
    {"sdpa", "batch=1 heads=1 q_len=8 kv_len=8 head_dim=8 library.attention=efficient"},
    {"sdpa", "batch=1 heads=1 q_len=8 kv_len=8 head_dim=8 library.attention=cudnn"},
};

inline const Catalogue& catalogue() {
  static const Catalogue kCatalogue = make_catalogue();
  return kCatalogue;
}

/// The cases of suites/catalogue.yaml whose op is in neither list, so that a new op is tested as
/// soon as it has its folder and its lines there. Cases that the suite excludes on a CPU are for
/// GPUs.
inline std::vector<TestProblem> of_the_suite(bool for_gpus) {
  Suite suite = load_suite(source_dir() / "suites/catalogue.yaml", catalogue(), {});
  apply_device_conditions(suite, {{"device.kind", "cpu"}});
  std::set<std::string> listed;
  for (const auto& list : {kListed, kListedForGpus})
    for (const TestProblem& problem : list) listed.insert(problem.op);
  std::vector<TestProblem> found;
  for (const Case& c : suite.cases) {
    if (listed.contains(c.op) || c.excluded.empty() == for_gpus) continue;
    TestProblem problem{c.op, ""};
    for (const ParamSpec& spec : find_op(catalogue(), c.op)->spec.params)
      problem.params += spec.name + '=' + to_text(c.params.at(spec.name)) + ' ';
    found.push_back(std::move(problem));
  }
  return found;
}

inline std::vector<TestProblem> joined(std::vector<TestProblem> some,
                                       const std::vector<TestProblem>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Problems that a CPU computes.
inline const std::vector<TestProblem>& problems() {
  static const std::vector<TestProblem> kAll = joined(kListed, of_the_suite(/*for_gpus=*/false));
  return kAll;
}

/// Problems of several ranks: each value of each parameter once.
inline std::vector<TestProblem> of_ranks() {
  std::vector<TestProblem> found;
  for (const CatalogueEntry& entry : catalogue()) {
    const std::vector<ParamSpec>& params = entry.spec.params;
    if (std::ranges::find(params, "ranks", &ParamSpec::name) == params.end()) continue;
    std::string base = "ranks=2";
    for (const ParamSpec& param : params)
      if (!param.fallback && param.name != "ranks") base += ' ' + param.name + "=1000";
    found.push_back({entry.spec.name, base});
    for (const ParamSpec& param : params) {
      if (param.kind == ParamKind::boolean)
        found.push_back(
            {entry.spec.name,
             base + ' ' + param.name + (std::get<bool>(*param.fallback) ? "=false" : "=true")});
      if (param.kind == ParamKind::number)
        found.push_back({entry.spec.name, base + ' ' + param.name + "=0.5"});
      for (const std::string& value : param.allowed)
        found.push_back({entry.spec.name, base + ' ' + param.name + '=' + value});
    }
  }
  return found;
}

inline const std::vector<TestProblem>& gpu_problems() {
  static const std::vector<TestProblem> kAll =
      joined(joined(kListedForGpus, of_the_suite(/*for_gpus=*/true)), of_ranks());
  return kAll;
}

/// Both kinds.
inline std::vector<TestProblem> all_problems() { return joined(problems(), gpu_problems()); }

inline const OpSpec& spec_of(const std::string& op) { return find_op(catalogue(), op)->spec; }

inline Value value_of(ParamKind kind, const std::string& text) {
  if (kind == ParamKind::boolean) return text == "true";
  if (kind == ParamKind::integer) return std::int64_t{std::stoll(text)};
  if (kind == ParamKind::number) return std::stod(text);
  return text;
}

/// "rows=7 affine=false" as parameters of the op; all others at their default.
inline Params params_of(const std::string& op, const std::string& text) {
  Params params;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    for (const ParamSpec& spec : spec_of(op).params)
      if (spec.name == word.substr(0, equals))
        params[spec.name] = value_of(spec.kind, word.substr(equals + 1));
  }
  for (const std::vector<ParamSpec>& specs : {spec_of(op).params, common_params()})
    for (const ParamSpec& spec : specs)
      if (spec.fallback) params.try_emplace(spec.name, *spec.fallback);
  return params;
}

inline Case case_of(const TestProblem& problem, DType dtype, bool is_backward) {
  Case result;
  result.op = problem.op;
  result.params = params_of(problem.op, problem.params);
  result.params["dtype"] = std::string(info(dtype).name);
  result.params["direction"] = is_backward ? "backward" : "forward";
  return result;
}

}  // namespace plumbline
