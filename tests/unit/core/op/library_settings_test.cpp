#include "core/op/library_settings.h"

#include <gtest/gtest.h>

#include "core/run/case.h"

namespace plumbline {
namespace {

TEST(LibrarySettings, OfACaseThatNamesNoneAreTheDefaults) {
  EXPECT_EQ(library_settings({}), LibrarySettings{});
  EXPECT_EQ(library_axis_of({{"m", 1}}), "");
}

TEST(LibrarySettings, EveryParameterSetsItsOwnMember) {
  for (const char* name :
       {"tf32", "reduced_reduction", "blas", "cudnn_benchmark", "deterministic", "attention"}) {
    SCOPED_TRACE(name);
    const ParamSpec& param = library_param(name);
    EXPECT_EQ(library_settings({{param.name, *param.fallback}}), LibrarySettings{});
    const Value other = param.kind == ParamKind::boolean ? Value(!std::get<bool>(*param.fallback))
                                                         : Value(param.allowed.back());
    EXPECT_NE(library_settings({{param.name, other}}), LibrarySettings{});
    EXPECT_EQ(library_axis_of({{param.name, other}}), param.name + "=" + to_text(other));
  }
  EXPECT_TRUE(library_settings({{"library.tf32", true}}).tf32);
  EXPECT_EQ(library_settings({{"library.attention", "flash"}}).attention, "flash");
}

TEST(LibrarySettings, ANameThatIsNoneIsAProgrammersError) {
  EXPECT_THROW(library_param("tf31"), std::logic_error);
}

TEST(LibrarySettings, DoNotChangeTheDataOfAProblem) {
  const auto seed_of = [](const Params& shown) {
    Case subject;
    subject.name = "gemm";
    subject.id = case_id("gemm", "libtorch", shown);
    return problem_seed(subject, 1);
  };
  EXPECT_EQ(seed_of({{"m", 8}}), seed_of({{"m", 8}, {"library.tf32", true}}));
  EXPECT_NE(seed_of({{"m", 8}}), seed_of({{"m", 9}}));
}

TEST(LibrarySettings, OtherLibrariesHaveTheirOwnOrNone) {
  const Params tf32{{"library.tf32", true}}, blas{{"library.blas", "cublas"}};
  EXPECT_EQ(unsettable("libtorch", blas), "");
  EXPECT_EQ(unsettable("cudnn", tf32), "");
  EXPECT_EQ(unsettable("cudnn", blas),
            "library.blas=cublas is a setting of LibTorch; backend cudnn has tf32 and "
            "deterministic");
  EXPECT_EQ(unsettable("custom", tf32),
            "library.tf32=true is a setting of LibTorch; backend custom has none");
  EXPECT_EQ(unsettable("custom", {{"library.tf32", false}}), "") << "as it is by default";
}

TEST(LibrarySettings, OnlyTf32RoundsInputs) {
  EXPECT_EQ(input_rounding({}), 0);
  EXPECT_EQ(input_rounding({.reduced_reduction = false, .deterministic = true}), 0);
  EXPECT_EQ(input_rounding({.tf32 = true}), 1.0 / 1024);
}

}  // namespace
}  // namespace plumbline
