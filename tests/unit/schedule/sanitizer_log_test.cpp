#include "schedule/sanitizer_log.h"

#include <gtest/gtest.h>

#include "core/sanitizer.h"

namespace plumbline {
namespace {

TEST(SanitizerLog, AWriteOutOfBoundsIsNamedWithKernelPlaceThreadAndAddress) {
  const auto report = parse_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at planted::overrun(const float *, float *, long)+0x90 in kernels.cu:34\n"
      "=========     by thread (64,0,0) in block (3,0,0)\n"
      "=========     Address 0x7f1a40000400 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f1a40000000 of size 1,024 "
      "bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========         Host Frame: main [0x1754] in worker\n"
      "=========\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.findings.size(), 1u);
  const SanitizerFinding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(finding.kernel, "planted::overrun(const float *, float *, long)");
  EXPECT_EQ(finding.location, "kernels.cu:34");
  EXPECT_EQ(finding.thread, "(64,0,0)");
  EXPECT_EQ(finding.block, "(3,0,0)");
  EXPECT_EQ(finding.address,
            "0x7f1a40000400 is out of bounds and is 1 bytes after the nearest allocation at "
            "0x7f1a40000000 of size 1,024 bytes");
  EXPECT_NE(finding.text.find("Host Frame: main [0x1754] in worker"), std::string::npos);
  EXPECT_EQ(report.errors, 1);
  EXPECT_TRUE(report.is_complete);
  EXPECT_FALSE(report.is_clean());
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(in_words("memcheck", report),
            "memcheck: Invalid __global__ write of size 4 bytes at planted::overrun(const float *, "
            "float *, long) in kernels.cu:34 by thread (64,0,0) in block (3,0,0), " +
                finding.address + " (1 error)");
}

TEST(SanitizerLog, ErrorsOfManyThreadsAtOnePlaceAreOneFindingAndTheToolsCountIsKept) {
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (const char* thread : {"0", "1", "2"})
    text += std::string("========= Invalid __global__ read of size 4 bytes\n") +
            "=========     at scale(float *)+0x50\n=========     by thread (" + thread +
            ",0,0) in block (0,0,0)\n=========     Address 0x10 is out of bounds\n=========\n";
  text +=
      "========= ERROR SUMMARY: 769 errors\n"
      "========= ERROR SUMMARY: 669 errors were not printed. Use --print-limit option to adjust "
      "the number of printed errors\n";
  const auto report = parse_sanitizer_log(text);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 3);
  EXPECT_EQ(report.findings[0].thread, "(0,0,0)");
  EXPECT_EQ(report.errors, 769);
  EXPECT_NE(in_words("memcheck", report).find("(769 errors)"), std::string::npos);
}

TEST(SanitizerLog, OlderVersionsPutTheOffsetBeforeTheKernel) {
  const auto report = parse_sanitizer_log(
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at 0x3c8 in /src/exercise.cu:42:decrypt(int*,int*)\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Address 0x4 is out of bounds\n"
      "=========\n"
      "========= Invalid __global__ write of size 1 bytes\n"
      "=========     at 0x60 in Iota(unsigned char*)\n"
      "=========\n");
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].kernel, "decrypt(int*,int*)");
  EXPECT_EQ(report.findings[0].location, "/src/exercise.cu:42");
  EXPECT_EQ(report.findings[1].kernel, "Iota(unsigned char*)");
  EXPECT_FALSE(report.is_complete);
  EXPECT_EQ(report.errors, 2);
}

TEST(SanitizerLog, AMisalignedAccessKeepsWhatIsSaidOfItsAddress) {
  const auto report = parse_sanitizer_log(
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at misaligned(char *, int)+0x380 in memory.cu:61\n"
      "=========     by thread (65,0,0) in block (0,0,0)\n"
      "=========     Access to 0x7bd889c03041 is misaligned\n"
      "=========     and is inside the nearest allocation at 0x7bd889c03000 of size 1,024 bytes\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].address,
            "0x7bd889c03041 is misaligned and is inside the nearest allocation at 0x7bd889c03000 "
            "of size 1,024 bytes");
}

TEST(SanitizerLog, AnErrorInADeviceFunctionIsOfTheKernelThatCalledIt) {
  const auto report = parse_sanitizer_log(
      "========= Barrier error detected. Invalid arguments.\n"
      "=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110\n"
      "=========     by thread (32,0,0) in block (0,0,0)\n"
      "=========         Device Frame: middle(float *)+0x30 in k.cu:5\n"
      "=========         Device Frame: broken_sync(float *, unsigned long)+0xb0 in k.cu:12\n"
      "========= ERROR SUMMARY: 17 errors\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "Barrier error detected. Invalid arguments.");
  EXPECT_EQ(report.findings[0].kernel, "broken_sync(float *, unsigned long)");
  EXPECT_EQ(report.findings[0].location, "sm_30_intrinsics.hpp:110");
  EXPECT_EQ(report.errors, 17);
}

TEST(SanitizerLog, ARaceIsNamedWithBothItsAccessesAndCountsItsHazards) {
  const auto report = parse_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at sum(int *, int *)+0x90 in b.cu:41\n"
      "=========     and Read access at sum(int *, int *)+0x100 in b.cu:51 [508 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  ASSERT_EQ(report.findings.size(), 1u);
  const SanitizerFinding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, "Error: Race reported between Write access and Read access");
  EXPECT_EQ(finding.kernel, "sum(int *, int *)");
  EXPECT_EQ(finding.location, "b.cu:41");
  EXPECT_EQ(finding.address, "with Read access at sum(int *, int *)+0x100 in b.cu:51");
  EXPECT_EQ(finding.count, 508);
  EXPECT_EQ(report.errors, 1);
}

TEST(SanitizerLog, ASingleHazardHasItsKernelFromItsThreads) {
  const auto report = parse_sanitizer_log(
      "========= Warning: (Warp Level Programming) Potential RAW hazard detected at __shared__ "
      "0x8c in block (0,0,0) :\n"
      "=========     Write Thread (35,0,0) at sum(int *, int *)+0x90 in w.cu:44\n"
      "=========     Read Thread (32,0,0) at sum(int *, int *)+0x120 in w.cu:56\n"
      "=========     Current Value : 35\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kernel, "sum(int *, int *)");
  EXPECT_EQ(report.findings[0].location, "w.cu:44");
  EXPECT_EQ(report.findings[0].address, "__shared__ 0x8c in block (0,0,0) :");
  EXPECT_EQ(report.errors, 1);
}

TEST(SanitizerLog, AnUninitializedReadIsAFinding) {
  const auto report = parse_sanitizer_log(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at add(int *)+0x70 in memset_error.cu:41\n"
      "=========     by thread (31,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f3c7ec000fc\n"
      "========= ERROR SUMMARY: 257 errors\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "Uninitialized __global__ memory read of size 4 bytes");
  EXPECT_EQ(report.findings[0].address, "0x7f3c7ec000fc");
  EXPECT_EQ(report.errors, 257);
}

TEST(SanitizerLog, LeaksAreFindingsEachEvenWithoutABacktrace) {
  const auto report = parse_sanitizer_log(
      "========= Leaked 1,024 bytes at 0x7879c0800000\n"
      "=========     Saved host backtrace up to driver entry point at allocation time\n"
      "=========     Host Frame: main [0xae5c] in memcheck_demo\n"
      "=========\n"
      "========= Leaked 64 bytes at 0x7879c0900000\n"
      "========= LEAK SUMMARY: 1088 bytes leaked in 2 allocations\n"
      "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].kind, "Leaked 1,024 bytes");
  EXPECT_EQ(report.findings[0].address, "0x7879c0800000");
  EXPECT_EQ(report.findings[1].address, "0x7879c0900000");
  EXPECT_EQ(report.errors, 2);
}

TEST(SanitizerLog, ACallThatFailedIsAFinding) {
  const auto report = parse_sanitizer_log(
      "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch "
      "failure\" on CUDA API call to cudaDeviceSynchronize.\n"
      "=========     Saved host backtrace up to driver entry point at error\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(report.findings[0].kind.starts_with("Program hit cudaErrorLaunchFailure"));
}

TEST(SanitizerLog, ACleanLogIsClean) {
  for (const char* text :
       {"========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
        "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, "
        "0 warnings)\n"}) {
    const auto report = parse_sanitizer_log(text);
    EXPECT_TRUE(report.is_clean()) << text;
    EXPECT_EQ(in_words("memcheck", report), "");
  }
}

TEST(SanitizerLog, ALogWithoutItsEndIsNotClean) {
  const auto report = parse_sanitizer_log("========= COMPUTE-SANITIZER\n");
  EXPECT_FALSE(report.is_clean());
  EXPECT_EQ(in_words("memcheck", report), "memcheck: it did not come to its end");
  EXPECT_FALSE(parse_sanitizer_log("").is_clean());
}

TEST(SanitizerLog, WhatKeepsTheToolFromLookingIsNoFindingAndNotClean) {
  const auto report = parse_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Internal Sanitizer Error: The Sanitizer encountered an error while launching k "
      "and didn't track the launch. Errors might go undetected.\n"
      "========= Error: process didn't terminate successfully\n"
      "=========     The application may have hit an error.\n"
      "========= Error: Target application terminated before first instrumented API call\n"
      "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.notes.size(), 4u);
  EXPECT_EQ(report.notes[2], "The application may have hit an error.");
  EXPECT_FALSE(report.is_clean());
  EXPECT_NE(in_words("memcheck", report).find("it could not check all"), std::string::npos);
  EXPECT_NE(in_words("memcheck", report).find("Errors might go undetected"), std::string::npos);
}

TEST(SanitizerLog, ALineThatIsCutOffIsRead) {
  const auto report = parse_sanitizer_log(
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     by thread ");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].thread, "");
}

TEST(SanitizerLog, UnknownLinesAreKeptAndUnknownHeadingsWithDetailsAreFindings) {
  const auto report = parse_sanitizer_log(
      "kernel says hello\n"
      "========= A sentence that no version prints today\n"
      "========= Deadlock found\n"
      "=========     at wait(int *)+0x10 in d.cu:3\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "Deadlock found");
  EXPECT_EQ(report.findings[0].kernel, "wait(int *)");
  EXPECT_EQ(report.notes, (std::vector<std::string>{"kernel says hello",
                                                    "A sentence that no version prints today"}));
}

}  // namespace
}  // namespace plumbline
