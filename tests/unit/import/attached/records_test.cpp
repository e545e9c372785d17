#include "import/attached/records.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/places.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

const std::string kWhole =
    "plumbline-attach\t1\t42\t/opt/app\n"
    "cupti\t130001\n"
    "started\t1000\n"
    "device\t0\tGPU-1\tFake GPU\t4\t1024\t512\n"
    "name\t0\t_Z5scalePf\n"
    "kernel\t0\t2000\t2500\t8\t2\t1\t32\t1\t1\t0\t7\t40\t128\t256\t16\n"
    "name\t1\tmemcpy HtoD\n"
    "copy\t1\t1500\t1600\t4096\t0\t7\n"
    "name\t2\tstep\\0a1\n"
    "name\t3\tmine\n"
    "opened\t9\t1400\t2\t-\n"
    "opened\t10\t1400\t2\t3\n"
    "ended\t9\t2600\n"
    "something new\t1\n"
    "lost\t2\nlost\t3\nunfinished\t1\n"
    "missing\tcopies: refused\n"
    "closed\t3000\n";

class AttachedRecords : public testing::Test {
 protected:
  AttachedProcess read(const std::string& text) {
    write_file(file_, text);
    return read_attached(file_);
  }
  std::string mistake(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return "no mistake";
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "42-1.records";
};

TEST_F(AttachedRecords, AWholeFileIsRead) {
  const AttachedProcess process = read(kWhole);
  EXPECT_EQ(process.pid, 42);
  EXPECT_EQ(process.program, "/opt/app");
  EXPECT_TRUE(process.is_started);
  EXPECT_TRUE(process.is_closed);
  ASSERT_EQ(process.activities.size(), 2u);
  const AttachedActivity& copy = process.activities[0];  // it began earlier
  EXPECT_FALSE(copy.is_kernel);
  EXPECT_EQ(copy.bytes, 4096);
  const AttachedActivity& kernel = process.activities[1];
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_EQ(process.names[kernel.name], "_Z5scalePf");
  EXPECT_EQ(kernel.end_ns - kernel.start_ns, 500);
  EXPECT_EQ(kernel.grid, (std::array<std::int64_t, 3>{8, 2, 1}));
  EXPECT_EQ(kernel.block, (std::array<std::int64_t, 3>{32, 1, 1}));
  EXPECT_EQ(kernel.registers, 40);
  EXPECT_EQ(kernel.shared_dynamic, 256);
  ASSERT_EQ(process.ranges.size(), 1u);
  EXPECT_EQ(process.ranges[0].name, "step\n1");
  EXPECT_EQ(process.ranges[0].end_ns, 2600);
  EXPECT_EQ(process.open_ranges, 1u);
  EXPECT_EQ(process.lost, 5u);
  EXPECT_EQ(process.unfinished, 1u);
  EXPECT_EQ(process.missing, std::vector<std::string>{"copies: refused"});
  EXPECT_EQ(process.devices.at(0).uuid, "GPU-1");
}

TEST_F(AttachedRecords, EveryPrefixOfAKilledProgramIsValid) {
  std::size_t most = 0;
  for (std::size_t size = 0; size <= kWhole.size(); ++size) {
    const AttachedProcess process = read(kWhole.substr(0, size));
    EXPECT_GE(process.activities.size(), most);
    most = process.activities.size();
  }
  EXPECT_EQ(most, 2u);
}

TEST_F(AttachedRecords, ADomainIsPartOfARangesName) {
  const AttachedProcess process = read(kWhole + "ended\t10\t2700\n");
  EXPECT_EQ(process.ranges.at(1).name, "mine:step\n1");
}

TEST_F(AttachedRecords, AMistakeIsToldWithItsPlace) {
  EXPECT_EQ(mistake("a,b\n"),
            ":1: found 'a,b', expected plumbline-attach. The file is damaged, or no file of "
            "plumbline attach");
  EXPECT_EQ(mistake("plumbline-attach\t2\t1\t/a\n").substr(0, 40),
            ":1: found version 2, expected version 1.");
  const std::string head = "plumbline-attach\t1\t42\t/opt/app\n";
  EXPECT_EQ(mistake(head + "kernel\t0\n").substr(0, 37), ":2: found 0, expected a name that an ");
  EXPECT_EQ(mistake(head + "name\t0\ta\ncopy\t0\t5\tx\n").substr(0, 29),
            ":3: found 'x', expected an en");
  EXPECT_EQ(mistake(head + "name\t0\ta\ncopy\t0\t5\t4\t1\t0\t0\n").substr(0, 42),
            ":3: found 4, expected an end after the sta");
  EXPECT_EQ(mistake(head + "name\t7\ta\n").substr(0, 29), ":2: found 7, expected name 0.");
}

}  // namespace
}  // namespace plumbline
