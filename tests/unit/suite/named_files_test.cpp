#include "suite/named_files.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline {
namespace {

TEST(NamedFiles, AreFoundAtEveryDepthOnce) {
  const YamlFile suite{"x.yaml",
                       "suite: x\nbenchmarks:\n"
                       "  - {op: kernel, source: a.cu, metadata: build/a.json}\n"
                       "  - {op: kernel, source: a.cu, args: {library: {}}}\n"
                       "  - {op: plugin, library: lib/b.so}\n"
                       "  - {op: cudnn.graph, graph: {nodes: []}}\n"
                       "  - {op: cudnn.graph, graph: g.json}\n"
                       "  - {op: module, source: n.pt, reference_source: r.pt}\n"};
  EXPECT_EQ(named_files(suite), (std::vector<std::string>{"a.cu", "build/a.json", "lib/b.so",
                                                          "g.json", "n.pt", "r.pt"}));
  EXPECT_THROW(named_files({"x.yaml", "a: [1"}), Error);
}

}  // namespace
}  // namespace plumbline
