#include "analysis/code/compared_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/code/disassembly.h"

namespace plumbline {
namespace {

/// Text as nvdisasm prints it, of instructions with places in them as "{3}": the fourth one.
std::string printed(const std::vector<std::string>& instructions) {
  std::string text = "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90\"\n";
  const auto hex = [](std::size_t value) {
    char digits[20];
    std::snprintf(digits, sizeof digits, "%04zx", value);
    return std::string(digits);
  };
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    std::string one = instructions[i];
    if (const auto open = one.find('{'); open != one.npos) {
      const std::size_t place = std::stoul(one.substr(open + 1));
      one.replace(open, one.find('}') + 1 - open,
                  "0x" + hex(place * 16).substr(hex(place * 16).find_first_not_of('0')));
    }
    text += "        /*" + hex(i * 16) + "*/                   " + one + " ;\n";
  }
  return text;
}

std::string lines_of(const std::string& text, std::string CodeLine::*member = &CodeLine::text) {
  std::string all;
  for (const CodeLine& line : code_lines(text)) all += line.*member + '|';
  return all;
}

CodeChange compared(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  CodeChange change;
  compare_code_texts(printed(before), printed(after), change);
  return change;
}

bool has(const CodeChange& change, const std::string& line) {
  return std::ranges::find(change.diff, line) != change.diff.end();
}

TEST(Disassembly, BranchesLeadToLabelsInTheOrderOfTheirPlaces) {
  EXPECT_EQ(lines_of(printed({"MOV R1, c[0x0][0x28]", "@!P0 BRA {4}", "FADD R1, R1, 1",
                              "@P1 BRA !P2, {2}", "EXIT"})),
            "  MOV R1, c[0x0][0x28]|  @!P0 BRA L2|L1:|  FADD R1, R1, 1|  @P1 BRA !P2, L1|L2:|  "
            "EXIT|");
}

TEST(Disassembly, KnowsCallsTheirReturnsAndTables) {
  EXPECT_EQ(lines_of(printed({"MOV R15, {2}", "CALL.REL.NOINC {4}", "BSSY.RECONVERGENT B0, {3}",
                              "MOV R2, 0x40", "BRX R2 -0x50"})),
            "L1:|  MOV R15, L2|  CALL.REL.NOINC L4|L2:|  BSSY.RECONVERGENT B0, L3|L3:|  MOV R2, "
            "0x40|L4:|  BRX R2 L1|");
}

TEST(Disassembly, LeavesOutEncodingsSchedulingAndWhatFillsUpTheEnd) {
  const std::string text =
      "        /*0000*/                   FADD R1, R1, 1            &req={1}    ?trans5;  /* 0x123 "
      "*/\n"
      "                                                             /* 0x000fe2 */\n"
      "        /*0010*/                   BRA 0x10;\n"
      "        /*0020*/                   NOP;\n        /*0030*/                   NOP;\n";
  EXPECT_EQ(lines_of(text), "  FADD R1, R1, 1|L1:|  BRA L1|");
  EXPECT_EQ(instructions_in(code_lines(text)), 2U);
}

TEST(Disassembly, OpcodesEndAtTheFirstDot) {
  EXPECT_EQ(opcode_of("  @!UP0 FFMA.FTZ.SAT R1, R2"), "FFMA");
  EXPECT_EQ(opcode_of("EXIT"), "EXIT");
  EXPECT_EQ(opcode_of("@P0"), "");
  EXPECT_EQ(opcode_of(""), "");
}

TEST(Disassembly, SkipsWhateverIsNoInstruction) {
  EXPECT_EQ(lines_of("</script><img src=x>\n/*zz*/ FADD;\n/*0000*/\n/*0000 FADD ;\n/*0010*/ ;\n"),
            "");
  EXPECT_EQ(lines_of(std::string(100'000, '*')), "");
}

const std::vector<std::string> kLoop{
    "S2R R0, SR_TID.X", "LDG.E R2, [R4]", "FMUL R2, R2, 2", "@P0 BRA {6}",
    "FADD R2, R2, 1",   "BRA {1}",        "STG.E [R4], R2", "EXIT"};

TEST(ComparedCode, OneMoreInstructionChangesNoBranch) {
  std::vector<std::string> after = kLoop;
  after.insert(after.begin() + 1, "FFMA R7, R7, R7, R7");
  after[4] = "@P0 BRA {7}";
  after[6] = "BRA {2}";
  const CodeChange change = compared(kLoop, after);
  EXPECT_EQ(change.before.instructions, 8U);
  EXPECT_EQ(change.after.instructions, 9U);
  ASSERT_EQ(change.mix.size(), 1U);
  EXPECT_EQ(change.mix[0].opcode, "FFMA");
  EXPECT_EQ(change.mix[0].before, 0U);
  EXPECT_EQ(change.mix[0].after, 1U);
  EXPECT_TRUE(has(change, "+  FFMA R7, R7, R7, R7"));
  EXPECT_EQ(std::ranges::count_if(change.diff, [](const auto& l) { return l[0] == '-'; }), 0);
  EXPECT_EQ(change.left_out, 0U);
  EXPECT_FALSE(change.is_partial);
}

TEST(ComparedCode, AMoreLabelChangesNoOtherBranch) {
  std::vector<std::string> after{"@P3 BRA {2}", "NOP"};
  after.insert(after.end(), kLoop.begin(), kLoop.end());
  after[5] = "@P0 BRA {8}";
  after[7] = "BRA {3}";
  const CodeChange change = compared(kLoop, after);
  EXPECT_TRUE(has(change, "+  @P3 BRA L1"));
  EXPECT_EQ(std::ranges::count_if(change.diff, [](const auto& l) { return l[0] == '-'; }), 0);
}

TEST(ComparedCode, ABranchToAnotherPlaceIsADifference) {
  const std::vector<std::string> before{"@P1 BRA {3}", "@P0 BRA {4}", "FADD R1, R1, 1",
                                        "FMUL R1, R1, 2", "EXIT"};
  std::vector<std::string> after = before;
  after[0] = "@P1 BRA {4}";
  after[1] = "@P0 BRA {3}";
  const CodeChange change = compared(before, after);
  EXPECT_TRUE(change.mix.empty());
  EXPECT_TRUE(has(change, "-  @P1 BRA L1"));
  EXPECT_TRUE(has(change, "+  @P1 BRA L2"));
}

TEST(ComparedCode, ListsTheLargestDifferenceFirst) {
  std::vector<std::string> before(5, "LDG.E R1, [R2]"), after(6, "LDG R1, [R2]");
  before.insert(before.end(), 4, "FADD R1, R1, R1");
  after.insert(after.end(), 30, "FFMA R1, R1, R1, R1");
  const CodeChange change = compared(before, after);
  ASSERT_EQ(change.mix.size(), 3U);
  EXPECT_EQ(change.mix[0].opcode, "FFMA");
  EXPECT_EQ(change.mix[1].opcode, "FADD");
  EXPECT_EQ(change.mix[2].opcode, "LDG");
}

TEST(ComparedCode, LimitsTheDiffAndSaysSo) {
  std::vector<std::string> before, after;
  for (int i = 0; i < 400; ++i) {
    before.push_back("FADD R" + std::to_string(i) + ", R1, R1");
    after.push_back("FMUL R" + std::to_string(i) + ", R1, R1");
  }
  CodeChange change = compared(before, after);
  EXPECT_EQ(change.diff.size(), kMostDiffLines);
  EXPECT_EQ(change.left_out, 1 + 800 - kMostDiffLines);
  EXPECT_FALSE(change.is_partial);
  for (int i = 400; i < 2400; ++i) {
    before.push_back("FADD R" + std::to_string(i) + ", R1, R1");
    after.push_back("FMUL R" + std::to_string(i) + ", R1, R1");
  }
  change = compared(before, after);
  EXPECT_TRUE(change.is_partial);
  EXPECT_EQ(change.mix[0].before + change.mix[0].after, 2400U) << "counts are of all instructions";
}

}  // namespace
}  // namespace plumbline
