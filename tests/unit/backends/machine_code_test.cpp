/// Machine code and PTX from this build's NVRTC, and damaged versions of them.

#include "backends/kernel/machine_code.h"

#include <gtest/gtest.h>

#include "backends/implementation.h"
#include "backends/kernel/architecture.h"
#include "backends/kernel/ptx_assembler.h"
#include "backends/nvrtc/nvrtc.h"
#include "core/error.h"

namespace plumbline {
namespace {

Architecture named(const char* name) { return architecture_named(name).value(); }

nvrtc::Compiled compiled(const std::string& architecture) {
  const nvrtc::Compiler compiler;
  return compiler.compile({"k.cu",
                           "extern \"C\" __global__ void first(float* x) { x[0] = 1; }\n"
                           "extern \"C\" __global__ void second(float* x) { x[0] = 2; }\n",
                           {"-arch=" + architecture},
                           "first"});
}

std::string mistake(const std::string& bytes, const std::string& entry, const char* here) {
  try {
    check_machine_code("k.cubin", bytes, entry, named(here));
    return "";
  } catch (const Unsupported& reason) {
    return std::string("unsupported: ") + reason.what();
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Architectures, AreReadByTheirNames) {
  EXPECT_EQ(named("sm_90a"), (Architecture{90, 'a'}));
  EXPECT_EQ(named("compute_100f"), (Architecture{100, 'f'}));
  EXPECT_EQ(named("sm_80"), (Architecture{80, 0}));
  EXPECT_EQ(name_of(named("sm_103a")), "sm_103a");
  for (const char* wrong : {"sm_", "sm_90b", "sm_90aa", "90a", ""})
    EXPECT_EQ(architecture_named(wrong), std::nullopt) << wrong;
  EXPECT_EQ(target_in_ptx("//\n.version 8.7\n.target sm_90a, debug\n"), (Architecture{90, 'a'}));
  EXPECT_EQ(target_in_ptx("hello"), std::nullopt);
}

TEST(Architectures, PtxIsForLaterGpusToo) {
  EXPECT_EQ(ptx_misfit(named("sm_80"), named("sm_90a")), "");
  EXPECT_EQ(ptx_misfit(named("sm_90a"), named("sm_90")), "");
  EXPECT_EQ(ptx_misfit(named("sm_100f"), named("sm_103a")), "");
  EXPECT_EQ(ptx_misfit(named("sm_100"), named("sm_90a")),
            "is for sm_100 and later, not for sm_90a");
  EXPECT_EQ(ptx_misfit(named("sm_90a"), named("sm_100a")), "is for sm_90a alone, not for sm_100a");
  EXPECT_EQ(ptx_misfit(named("sm_100f"), named("sm_120")),
            "is for sm_100f and its family, not for sm_120");
}

TEST(Architectures, MachineCodeIsForOneMajorNumber) {
  EXPECT_EQ(machine_code_misfit(named("sm_80"), named("sm_86")), "");
  EXPECT_NE(machine_code_misfit(named("sm_86"), named("sm_80")), "");
  EXPECT_NE(machine_code_misfit(named("sm_80"), named("sm_90a")), "");
  EXPECT_NE(machine_code_misfit(named("sm_100a"), named("sm_103a")), "");
}

TEST(Architectures, EachHasItsSharedMemory) {
  EXPECT_EQ(shared_bytes_of(named("sm_80")), 163 * 1024);
  EXPECT_EQ(shared_bytes_of(named("sm_89")), 99 * 1024);
  EXPECT_EQ(shared_bytes_of(named("sm_90a")), 227 * 1024);
  EXPECT_EQ(shared_bytes_of(named("sm_100a")), 227 * 1024);
  EXPECT_EQ(shared_bytes_of(named("sm_120")), 99 * 1024);
}

TEST(MachineCode, TellsWhatItIsForAndItsKernels) {
  for (const char* name : {"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120"}) {
    const MachineCode code = read_machine_code("k.cubin", compiled(name).image);
    ASSERT_TRUE(code.architecture) << name;
    EXPECT_EQ(code.architecture->number, named(name).number) << name;
    EXPECT_EQ(code.functions.size(), 2u);
  }
}

TEST(MachineCode, OfAnotherGpuIsUnsupportedAndOfAnotherKernelAMistake) {
  const std::string image = compiled("sm_80").image;
  EXPECT_EQ(mistake(image, "second", "sm_86"), "");
  EXPECT_EQ(mistake(image, "second", "sm_90a"),
            "unsupported: k.cubin is for sm_80 and later ones of its major number, not for sm_90a");
  const std::string said = mistake(image, "third", "sm_80");
  EXPECT_EQ(said.substr(0, said.find(':')), "'third' is no kernel of k.cubin; it has");
}

TEST(MachineCode, BytesThatAreNoneOrCutOffAreMistakesWhereverTheyAreCut) {
  EXPECT_EQ(mistake("hello", "first", "sm_90a"),
            "k.cubin is no ELF file of 64 bits, as a .cubin is one");
  const std::string image = compiled("sm_90a").image;
  for (std::size_t size = 0; size < image.size(); size += 7)
    EXPECT_NE(mistake(image.substr(0, size), "first", "sm_90a"), "") << size;
  std::string other = image;
  other[18] = 62;
  EXPECT_EQ(mistake(other, "first", "sm_90a"),
            "k.cubin is for the machine 62 of ELF; GPUs of NVIDIA are 190");
}

TEST(PtxAssembler, TellsTheLineOfWhatItDoesNotTake) {
  const std::string ptx = compiled("sm_90a").ptx;
  EXPECT_NO_THROW(assemble("k.ptx", ptx, "sm_90a"));
  try {
    assemble("k.ptx", ptx.substr(0, ptx.size() - 20), "sm_90a");
    FAIL() << "half a text was assembled";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("k.ptx cannot be assembled for sm_90a:\n"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find(", line "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace plumbline
