#include "device/arena.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace plumbline {
namespace {

/// The arena never touches its memory, so any aligned address works.
void* const kBase = reinterpret_cast<void*>(std::uintptr_t{1} << 40);
constexpr std::size_t kMiB = std::size_t{1} << 20;

std::size_t offset(void* address) {
  return std::size_t(static_cast<char*>(address) - static_cast<char*>(kBase));
}

TEST(Arena, TheSameKeyGivesTheSamePlacesInAnotherArena) {
  Arena a;
  Arena b;
  a.adopt(kBase, 1024 * kMiB);
  b.adopt(kBase, 1024 * kMiB);
  for (const std::uint64_t key : {7u, 8u}) {
    a.place(key);
    b.place(key);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(a.allocate(4096), b.allocate(4096));
  }
}

TEST(Arena, RoomAroundAnAllocationEndsBeforeTheBandsOfItsNeighbours) {
  Arena arena;
  arena.adopt(kBase, kMiB);
  arena.place(7);
  std::vector<char*> places;
  for (int i = 0; i < 20; ++i) places.push_back(static_cast<char*>(arena.allocate(4096)));
  for (char* place : places) {
    const std::span<char> room = arena.room_around(place);
    char* const end = room.data() + room.size();
    EXPECT_LE(room.data(), place - Arena::kGuardBytes);
    EXPECT_GE(end, place + 4096 + Arena::kGuardBytes);
    EXPECT_GE(room.data(), static_cast<char*>(kBase));
    EXPECT_LE(std::size_t(place - room.data()), Arena::kFarBytes);
    EXPECT_LE(std::size_t(end - place - 4096), Arena::kFarBytes);
    for (const char* other : places) {
      if (other == place) continue;
      EXPECT_TRUE(other + 4096 + Arena::kGuardBytes <= room.data() ||
                  other - Arena::kGuardBytes >= end);
    }
  }
  arena.release(places.front());
  EXPECT_TRUE(arena.room_around(places.front()).empty());
}

TEST(Arena, PartsAreApartAndAFullOneTakesNothingFromAnother) {
  Arena arena;
  arena.adopt(kBase, 64 * kMiB);
  arena.place(7);
  for (int part = 0; part < 4; ++part) {
    arena.confine(part, 4);
    int count = 0;
    for (void* place = arena.allocate(kMiB); place != nullptr; place = arena.allocate(kMiB)) {
      ++count;
      EXPECT_GE(offset(place), std::size_t(part) * 16 * kMiB);
      EXPECT_LE(offset(place) + kMiB, std::size_t(part + 1) * 16 * kMiB);
    }
    EXPECT_GE(count, 7);
  }
}

TEST(Arena, AnotherKeyGivesOtherPlaces) {
  Arena arena;
  arena.adopt(kBase, 1024 * kMiB);
  std::set<void*> places;
  for (std::uint64_t key = 0; key < 100; ++key) {
    arena.place(key);
    void* place = arena.allocate(4096);
    places.insert(place);
    arena.release(place);
  }
  EXPECT_GE(places.size(), 99u);
}

TEST(Arena, LaunchesRepeatTheirPlacesWhileInputsStay) {
  Arena arena;
  arena.adopt(kBase, 64 * kMiB);
  arena.place(3);
  void* input = arena.allocate(kMiB);
  std::set<void*> outputs;
  for (int launch = 0; launch < 4; ++launch) {
    arena.begin_launch();
    void* output = arena.allocate(kMiB);
    outputs.insert(output);
    EXPECT_NE(output, input);
    arena.release(output);
  }
  EXPECT_EQ(outputs.size(), 1u);
}

TEST(Arena, AlignsAsLibTorchDoes) {
  Arena arena;
  arena.adopt(kBase, 1024 * kMiB);
  for (std::uint64_t key = 0; key < 50; ++key) {
    arena.place(key);
    EXPECT_EQ(offset(arena.allocate(100)) % 512, 0u);
    void* large = arena.allocate(10 * kMiB);
    ASSERT_NE(large, nullptr);
    EXPECT_EQ(offset(large) % (2 * kMiB), 0u);
    arena.release(large);
  }
}

TEST(Arena, LiveAllocationsNeverOverlapAndItFillsToTheLastByte) {
  Arena arena;
  arena.adopt(kBase, 4 * kMiB);
  arena.place(1);
  std::set<std::size_t> offsets;
  for (std::size_t i = 0; i < 4 * kMiB / 65536; ++i) {
    void* place = arena.allocate(65536);
    if (place == nullptr) break;  // hashed places leave gaps that are too small
    offsets.insert(offset(place));
  }
  std::size_t end = 0;
  for (const std::size_t begin : offsets) {
    EXPECT_GE(begin, end);
    end = begin + 65536;
  }
  EXPECT_LE(end, 4 * kMiB);
  EXPECT_GE(offsets.size(), 30u);
  EXPECT_EQ(arena.live_bytes(), offsets.size() * 65536);
}

TEST(Arena, ThousandsOfSmallAllocationsLeaveRoomForALargeOne) {
  Arena arena;
  arena.adopt(kBase, 1024 * kMiB);
  arena.place(5);
  arena.begin_launch();
  std::vector<void*> small;
  for (int i = 0; i < 5000; ++i) small.push_back(arena.allocate(65536));
  const std::set<void*> distinct(small.begin(), small.end());
  EXPECT_EQ(distinct.size(), 5000u);
  EXPECT_EQ(distinct.count(nullptr), 0u);
  EXPECT_NE(arena.allocate(32 * kMiB), nullptr);
}

TEST(Arena, ScatteredAllocationsLeaveRoomForALargeOne) {
  for (const std::uint64_t key : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    Arena arena;
    arena.adopt(kBase, 1024 * kMiB);
    arena.place(key);
    for (std::size_t i = 0; i < Arena::kMostScattered; ++i) arena.allocate(65536);
    for (int i = 0; i < 4; ++i) EXPECT_NE(arena.allocate(100 * kMiB), nullptr) << key << ' ' << i;
  }
}

TEST(Arena, LargeAllocationsOfOneSizeFillItAndLieAtOtherPlacesInAnotherPlacement) {
  std::set<void*> places;
  for (std::uint64_t key = 1; key <= 50; ++key) {
    Arena arena;
    arena.adopt(kBase, 840 * kMiB);
    arena.place(key);
    for (int i = 0; i < 10; ++i) {
      void* const place = arena.allocate(80 * kMiB);
      EXPECT_NE(place, nullptr) << key << ' ' << i;
      if (i == 0) places.insert(place);
    }
  }
  EXPECT_GE(places.size(), 5u);
}

TEST(Arena, WhatIsPackedBeginsAtTheSamePlaceInEveryLaunchAndAtAnotherInAnotherPlacement) {
  Arena arena;
  arena.adopt(kBase, 1024 * kMiB);
  for (std::size_t i = 0; i < Arena::kMostScattered; ++i) arena.allocate(4096);
  std::set<std::pair<void*, void*>> places;
  for (const std::uint64_t key : {1u, 1u, 2u}) {
    arena.place(key);
    for (int launch = 0; launch < 3; ++launch) {
      arena.begin_launch();
      void* first = arena.allocate(4096);
      void* second = arena.allocate(4096);
      EXPECT_EQ(offset(second) - offset(first), 4096 + Arena::kGuardBytes);
      places.emplace(first, second);
      arena.release(first);
      arena.release(second);
    }
  }
  EXPECT_EQ(places.size(), 2u);
}

TEST(Arena, AFullArenaSaysSoAndAReleasedPlaceIsFreeAgain) {
  Arena arena;
  arena.adopt(kBase, kMiB + 2 * Arena::kGuardBytes);
  arena.place(1);
  void* all = arena.allocate(kMiB);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(arena.allocate(1), nullptr);
  EXPECT_EQ(arena.allocate(2 * kMiB), nullptr);
  arena.release(all);
  EXPECT_NE(arena.allocate(kMiB), nullptr);
}

}  // namespace
}  // namespace plumbline
