#include "import/attached/stable_names.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(StableNames, EveryRuleChangesItsExample) {
  for (const NameRule& rule : kernel_name_rules())
    EXPECT_EQ(stable_kernel_name(std::string(rule.example)), rule.becomes) << rule.what;
  for (const NameRule& rule : range_name_rules())
    EXPECT_EQ(stable_range_name(std::string(rule.example)), rule.becomes) << rule.what;
}

TEST(StableNames, AMangledNameIsDemangledWithoutWhatTheTemplateSays) {
  EXPECT_EQ(stable_kernel_name("_ZN1a2tkILi3EEEvPf"), "a::tk<3>");
  EXPECT_EQ(stable_kernel_name("_Z5applyIZ2goPfEUlfE0_EvT_S0_"),
            "apply<go(float*)::{lambda(float)}>");
}

TEST(StableNames, OverloadsStayApart) {
  EXPECT_EQ(stable_kernel_name("_ZN1a4overEPd"), "a::over(double*)");
  EXPECT_EQ(stable_kernel_name("_ZN1a4overEPf"), "a::over(float*)");
}

TEST(StableNames, AnAnonymousNamespaceHasNoHashOfItsFile) {
  EXPECT_EQ(stable_kernel_name("_ZN36_GLOBAL__N__663b82ba_4_k_cu_e60891cc11anon_kernelEPf"),
            "(anonymous namespace)::anon_kernel(float*)");
}

TEST(StableNames, NamesOfPeopleStay) {
  for (const char* name :
       {"my_kernel2", "fused_add_0", "add_kernel", "stage_3d", "gemm_128x128x64_sm90",
        "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", "cutlass_80_simt_sgemm_256x128_8x4_nn_align1"})
    EXPECT_EQ(stable_kernel_name(name), name);
  for (const char* name : {"forward", "layer 3", "stepping stones"})
    EXPECT_EQ(stable_range_name(name), name);
}

TEST(StableNames, ALongNameIsCutAndKeepsAHashOfAll) {
  const std::string begin(150, 'k');
  const std::string one = stable_kernel_name(begin + "one"),
                    two = stable_kernel_name(begin + "two");
  EXPECT_EQ(one.size(), 100u);
  EXPECT_NE(one, two);
  EXPECT_EQ(stable_kernel_name(std::string(100'000, 'x')).size(), 100u);  // no rule reads it
}

}  // namespace
}  // namespace plumbline
