#include "schedule/process/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

namespace plumbline {
namespace {

TEST(ChildProcess, OutputAndExitCodeOfAProgramAreKept) {
  const ProgramOutput output = run_program({"sh", "-c", "echo out; echo err >&2; exit 7"}, 60);
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.end.exit_code, 7);
  EXPECT_FALSE(output.timed_out);
}

TEST(ChildProcess, AProgramThatDoesNotEndIsKilled) {
  const ProgramOutput output = run_program({"sh", "-c", "while :; do sleep 1000; done"}, 0.05);
  EXPECT_TRUE(output.timed_out);
  EXPECT_EQ(output.end.signal, SIGKILL);
  EXPECT_TRUE(output.end.by_us);
}

TEST(ChildProcess, ItsInputIsEmptyAndItInheritsNoOtherDescriptor) {
  const Pipe ours = make_pipe();
  // Without a pipeline, whose ends the shell would also hold. A command after ls prevents the shell
  // from becoming ls, which has the folder open.
  const ProgramOutput output = run_program({"sh", "-c", "cat; ls /proc/$$/fd; true"}, 60);
  EXPECT_EQ(output.out, "0\n1\n2\n");
}

TEST(ChildProcess, AProgramThatIsNotThereIsNamed) {
  try {
    run_program({"/no/such/program"}, 60);
    FAIL() << "started";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot start '/no/such/program': No such file or directory");
  }
}

/// Reads from the pipe until it ends: only then have all holders of its other end died.
void expect_end(const Pipe& pipe) {
  char byte;
  pollfd watched{pipe.read_end.get(), POLLIN, 0};
  ASSERT_EQ(poll(&watched, 1, 60'000), 1) << "somebody still lives";
  EXPECT_EQ(read(pipe.read_end.get(), &byte, 1), 0);
}

TEST(ChildProcess, WhatTheChildStartedDiesWithIt) {
  Pipe alive = make_pipe();
  {
    Pipe ready = make_pipe();
    ChildProcess child({"sh", "-c", "sleep 1000 & echo x >&6; wait"},
                       {{alive.write_end.get(), 5}, {ready.write_end.get(), 6}});
    char byte;
    ASSERT_EQ(read(ready.read_end.get(), &byte, 1), 1);
    alive.write_end.reset();
  }
  expect_end(alive);
}

TEST(ChildProcess, TheChildDiesWithItsParent) {
  Pipe alive = make_pipe(), ready = make_pipe();
  const pid_t parent = fork();
  if (parent == 0) {
    ChildProcess child({"sh", "-c", "echo x >&6; exec sleep 1000"},
                       {{alive.write_end.get(), 5}, {ready.write_end.get(), 6}});
    while (true) pause();
  }
  char byte;
  ASSERT_EQ(read(ready.read_end.get(), &byte, 1), 1);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  alive.write_end.reset();
  expect_end(alive);
}

TEST(ChildProcess, TheDescriptorOfItsEndBecomesReadable) {
  ChildProcess child({"true"}, {});
  if (child.end_descriptor() < 0) GTEST_SKIP() << "this kernel has no pidfd_open";
  pollfd watched{child.end_descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 60'000), 1);
  ASSERT_TRUE(child.poll_end());
  EXPECT_EQ(child.poll_end()->words(), "exited with code 0");
}

}  // namespace
}  // namespace plumbline
