#include "device/guard_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>

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
  EXPECT_EQ(in_words(added[0]), "before an allocation of 1000 bytes");
  EXPECT_EQ(in_words(added[1]), "after an allocation of 1000 bytes");
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
  bands.watch(kBase, 1024);         // its band after it: 1024 to 1536
  bands.watch(kBase + 1024, 1024);  // takes that place after the first is released
  for (const GuardBand& band : bands.bands()) {
    EXPECT_TRUE(band.begin + band.bytes <= kBase || band.begin >= kBase + 2048)
        << band.begin - kBase;
  }
}

TEST(GuardBands, MakeWayForAnAllocationThatIsNotWatched) {
  GuardBands bands;
  bands.watch(kBase, 512);
  ASSERT_EQ(bands.bands().size(), 2u);
  bands.make_way(kBase + 512, 512);
  ASSERT_EQ(bands.bands().size(), 1u);  // the other was where the second allocation lies
  EXPECT_LT(bands.bands()[0].begin, kBase);
  EXPECT_FALSE(bands.knows(kBase + 512, 512));
}

TEST(GuardBands, AreNotLaidWhereAnEarlierAllocationOfTheLaunchWillLieAgain) {
  GuardBands bands;
  bands.watch(kBase + 1024, 1024);
  const auto added = bands.watch(kBase, 1024);  // its band after it would be in the other's data
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].begin, kBase - 512);
}

TEST(GuardBands, KnowTwoAllocationsOfALaunchThatHadOnePlaceInTurn) {
  GuardBands bands;
  bands.watch(kBase, 3000);
  const auto added = bands.watch(kBase, 1000);  // the first writes there in each launch
  EXPECT_TRUE(bands.knows(kBase, 3000));
  EXPECT_TRUE(bands.knows(kBase, 1000));
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].begin, kBase - 512);
}

TEST(GuardBands, ReachFarInTheRoomAroundAnAllocation) {
  GuardBands bands;
  bands.watch(kBase, 1000);
  const auto far = bands.watch_far(kBase, 1000, {kBase - 4096, kBase + 9000});
  ASSERT_EQ(far.size(), 2u);
  EXPECT_EQ(far[0].begin, kBase - 4096);
  EXPECT_EQ(far[0].begin + far[0].bytes, kBase - 512);
  EXPECT_EQ(far[1].begin, kBase + 1024 + 512);
  EXPECT_EQ(far[1].begin + far[1].bytes, kBase + 9000);
  EXPECT_EQ(in_words(far[1]), "after an allocation of 1000 bytes");
  EXPECT_EQ(bands.bands().size(), 4u);
  bands.watch(kBase + 8192, 512);  // in the band after it
  EXPECT_EQ(bands.bands().size(), 5u);
  EXPECT_EQ(bands.watch_far(kBase, 1000, {kBase - 4096, kBase + 9000}).size(), 1u);
  EXPECT_TRUE(bands.watch_far(kBase, 1000, {}).empty());
}

TEST(GuardBands, AreFarOfTheFirstThousandAlone) {
  GuardBands bands;
  std::size_t far = 0;
  for (std::ptrdiff_t i = 0; i < 4000; ++i) {
    char* const place = kBase + i * 8192;
    bands.watch(place, 1024);
    far += bands.watch_far(place, 1024, {place - 2048, place + 4096}).size();
  }
  EXPECT_EQ(far, 1024u);
}

/// The definition, implemented by checking everything each time.
class PlainBands {
 public:
  void watch(char* begin, std::size_t bytes) {
    char* const end = begin + (bytes + 511) / 512 * 512;
    std::erase_if(bands_, [&](const auto& band) { return overlaps(band.second, begin, end); });
    for (const GuardBand& band :
         {GuardBand{begin - 512, 512, begin, bytes},
          GuardBand{begin + bytes, std::size_t(end - begin) - bytes + 512, begin, bytes}}) {
      bool is_used = false;
      for (const auto& [other, length] : allocations_)
        is_used = is_used || overlaps(band, other, other + length);
      if (!is_used) bands_[band.begin] = band;
    }
    allocations_.emplace_back(begin, bytes);
  }
  const std::map<char*, GuardBand>& bands() const { return bands_; }
  bool knows(char* begin, std::size_t bytes) const {
    return std::ranges::count(allocations_, std::pair(begin, bytes)) > 0;
  }

 private:
  static bool overlaps(const GuardBand& band, const char* begin, const char* end) {
    return band.begin < end && begin < band.begin + band.bytes;
  }
  std::vector<std::pair<char*, std::size_t>> allocations_;
  std::map<char*, GuardBand> bands_;
};

TEST(GuardBands, AreThoseOfTheirDefinitionForAnySequenceOfAllocations) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](unsigned below) { return random() % below; };
    GuardBands bands;
    PlainBands plain;
    for (int i = 0; i < 60; ++i) {
      char* const begin = kBase + 512 * draw(seed % 2 == 0 ? 40 : 400);
      const std::size_t bytes = draw(4) == 0 ? 512 * (1 + draw(4)) : 1 + draw(3000);
      EXPECT_EQ(bands.knows(begin, bytes), plain.knows(begin, bytes));
      bands.watch(begin, bytes);
      plain.watch(begin, bytes);
      ASSERT_EQ(bands.bands().size(), plain.bands().size()) << "seed " << seed << ", step " << i;
      for (const GuardBand& band : bands.bands()) {
        const auto same = plain.bands().find(band.begin);
        ASSERT_NE(same, plain.bands().end()) << "seed " << seed << ", step " << i;
        EXPECT_EQ(band.bytes, same->second.bytes);
        EXPECT_EQ(in_words(band), in_words(same->second));
      }
    }
  }
}

/// A search of all bands would take 10^10 steps.
TEST(GuardBands, OfAHundredThousandAllocationsAreKeptInASecond) {
  constexpr int kAllocations = 100'000;
  constexpr std::clock_t kLimit = 5 * CLOCKS_PER_SEC;  // of CPU time; the test takes a twentieth of
                                                       // it
  GuardBands bands;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kAllocations && std::clock() - begin < kLimit; ++i) {
    char* const address = kBase + std::ptrdiff_t(i) * 7919 % kAllocations * 4096;
    bands.watch(address, 1000);
    ASSERT_TRUE(bands.knows(address, 1000));
  }
  EXPECT_LT(std::clock() - begin, kLimit);
  EXPECT_EQ(bands.bands().size(), 2u * kAllocations);
}

}  // namespace
}  // namespace plumbline
