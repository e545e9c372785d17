#include "device/guard_bands.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

char* const kBase = reinterpret_cast<char*>(std::uintptr_t{1} << 40);

TEST(GuardBands, LieAroundAnAllocationFromItsFirstByteBehind) {
  GuardBands bands;
  const auto added = bands.watch(kBase, 1000);
  ASSERT_EQ(added.size(), 2u);
  EXPECT_EQ(added[0].begin, kBase - 512);
  EXPECT_EQ(added[0].bytes, 512u);
  EXPECT_EQ(added[1].begin, kBase + 1000);
  EXPECT_EQ(added[1].bytes, 24u + 512u);
}

TEST(GuardBands, SayWhichAllocationWasOverrun) {
  GuardBands bands;
  const auto added = bands.watch(kBase, 1000);
  EXPECT_EQ(bands.in_words(added[0]), "before an allocation of 1000 bytes");
  EXPECT_EQ(bands.in_words(added[1]), "after an allocation of 1000 bytes");
}

TEST(GuardBands, KnowAnAllocationThatComesBack) {
  GuardBands bands;
  bands.watch(kBase, 1000);
  EXPECT_TRUE(bands.knows(kBase, 1000));
  EXPECT_FALSE(bands.knows(kBase, 999));
  EXPECT_FALSE(bands.knows(kBase + 512, 1000));
  bands.clear();
  EXPECT_FALSE(bands.knows(kBase, 1000));
}

TEST(GuardBands, AreForgottenWhereALaterAllocationLies) {
  GuardBands bands;
  bands.watch(kBase, 1024);         // behind it: 1024 to 1536
  bands.watch(kBase + 1024, 1024);  // takes that place after the first is gone
  for (const GuardBand& band : bands.bands()) {
    EXPECT_TRUE(band.begin + band.bytes <= kBase || band.begin >= kBase + 2048)
        << band.begin - kBase;
  }
}

TEST(GuardBands, AreNotLaidWhereAnEarlierAllocationOfTheLaunchWillLieAgain) {
  GuardBands bands;
  bands.watch(kBase + 1024, 1024);
  const auto added = bands.watch(kBase, 1024);  // its band behind would be in the other's data
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].begin, kBase - 512);
}

}  // namespace
}  // namespace plumbline
