#include "workflow/results/variants.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/error.h"
#include "support/small_catalogue.h"

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

/// A run, written case by case.
class Measured {
 public:
  Measured() { run_.path = "runs/tuned"; }
  /// A case with two visits of `time` seconds; 0: UNSUPPORTED, "no such kernel".
  Measured& add(const std::string& id, double time, double flops = 1e9, double bytes = 1e6) {
    for (const std::int64_t round : {0, 1}) {
      ResultRow& row = run_.rows.emplace_back();
      row.suite = "s";
      row.case_id = id;
      row.op = id.substr(0, id.find('/'));
      row.revision = "1";
      row.round = round;
      row.flops = flops;
      row.bytes = bytes;
      if (time == 0) {
        row.status = Status::unsupported;
        row.reason = "no such kernel";
        continue;
      }
      row.metric = "gpu_time_cold";
      row.unit = "s";
      row.samples.add_block(std::array{time});
    }
    return *this;
  }
  Variants by(VariantsAsked asked) const { return variants_in(run_, asked, small_catalogue()); }
  std::string mistake(VariantsAsked asked) const {
    try {
      by(asked);
    } catch (const Error& error) {
      return error.what();
    }
    return "no mistake";
  }

 private:
  plumbline::Run run_;
};

/// The cases of a variant, each once.
Names ids_of(const Run& run) {
  Names ids;
  for (const ResultRow& row : run.rows)
    if (ids.empty() || ids.back() != row.case_id) ids.push_back(row.case_id);
  return ids;
}

Measured three_blocks() {
  return Measured()
      .add("mine/custom/block=256/rows=8", 1e-3)
      .add("mine/custom/block=64/rows=8", 3e-3)
      .add("mine/custom/block=1024/rows=8", 2e-3);
}

TEST(Variants, CasesThatAreEqualButForAParameterBecomeOneCaseOfEachVariant) {
  const Variants found = three_blocks().by({"block"});
  EXPECT_EQ(found.names, Names({"block=64", "block=256", "block=1024"}));
  EXPECT_EQ(found.reference, "block=64");
  EXPECT_TRUE(found.notes.empty());
  for (const plumbline::Run& run : found.runs) EXPECT_EQ(ids_of(run), Names{"mine/custom/rows=8"});
  EXPECT_EQ(found.runs[1].rows.size(), 2U);
  EXPECT_DOUBLE_EQ(found.runs[1].rows[0].samples.values()[0], 1e-3);
  EXPECT_EQ(found.runs[1].path, "runs/tuned");
}

TEST(Variants, ValuesAndCasesStandAsTheSuiteDeclaresThem) {
  const Variants found = three_blocks()
                             .add("mine/custom/block=64/rows=4", 1e-3)
                             .add("mine/custom/block=256/rows=4", 1e-3)
                             .by({.axis = "block",
                                  .declared = {{"s", "mine/custom/block=256/rows=8"},
                                               {"s", "mine/custom/block=256/rows=4"},
                                               {"s", "mine/custom/block=64/rows=8"},
                                               {"other", "mine/custom/block=1024/rows=8"}}});
  EXPECT_EQ(found.names, Names({"block=256", "block=64", "block=1024"}));
  EXPECT_EQ(found.reference, "block=256");
  EXPECT_EQ(ids_of(found.runs[0]), Names({"mine/custom/rows=8", "mine/custom/rows=4"}));
}

TEST(Variants, TheBackendIsAnAxisAndIdsLoseIt) {
  const Variants found = Measured()
                             .add("softmax/custom/rows=8", 1e-3)
                             .add("softmax/libtorch/rows=8", 1e-3)
                             .by({.axis = "backend", .reference = "custom"});
  EXPECT_EQ(found.names, Names({"libtorch", "custom"}));
  EXPECT_EQ(found.reference, "custom");
  EXPECT_EQ(ids_of(found.runs[0]), Names{"softmax/rows=8"});
}

TEST(Variants, WhatAnIdLeavesOutIsAtItsDefault) {
  const Variants layout = Measured()
                              .add("softmax/libtorch/layout=transposed/rows=8", 1e-3)
                              .add("softmax/libtorch/rows=8", 1e-3)
                              .by({"layout"});
  EXPECT_EQ(layout.names, Names({"layout=contiguous", "layout=transposed"}));
  EXPECT_EQ(layout.reference, "layout=contiguous");
  const Variants plan = Measured()
                            .add("mine/cudnn/plan=1", 1e-3)
                            .add("mine/cudnn/plan=autotune", 1e-3)
                            .add("mine/cudnn", 1e-3)
                            .by({"plan"});
  EXPECT_EQ(plan.names, Names({"plan=heuristic", "plan=1", "plan=autotune"}));
  EXPECT_EQ(ids_of(plan.runs[1]), Names{"mine/cudnn"});
}

TEST(Variants, AGroupOfParametersIsOneAxis) {
  const Variants found = Measured()
                             .add("softmax/libtorch/rows=8", 1e-3)
                             .add("softmax/libtorch/rows=8/stream.blocking=true", 1e-3)
                             .add(
                                 "softmax/libtorch/rows=8/stream.blocking=true/"
                                 "stream.priority=high",
                                 1e-3)
                             .by({"stream"});
  EXPECT_EQ(found.names, Names({"stream={}", "stream.blocking=true",
                                "stream.blocking=true, stream.priority=high"}));
  EXPECT_EQ(ids_of(found.runs[2]), Names{"softmax/libtorch/rows=8"});
}

TEST(Variants, TechniquesAreOneAxisAndNoneIsTheReference) {
  const Variants found =
      Measured()
          .add("net/custom/batch=8/memory_format=channels_last/precision=bfloat16/step=training",
               1e-3)
          .add("net/custom/batch=8/precision=bfloat16/step=training", 2e-3)
          .add("net/custom/batch=8/step=training", 4e-3)
          .add("net/custom/batch=8", 1e-3)
          .by({"technique"});
  EXPECT_EQ(found.names, Names({"none", "memory_format=channels_last, precision=bfloat16",
                                "precision=bfloat16"}));
  EXPECT_EQ(found.reference, "none");
  EXPECT_EQ(ids_of(found.runs[0]), Names{"net/custom/batch=8/step=training"});
  EXPECT_EQ(found.notes, Names{"1 case left out: no other case differs by 'technique' alone"});
}

/// `optimizer: adamw` of one network is what it computes, and no technique beside another
/// network's.
TEST(Variants, TechniquesThatAllVariantsShareBelongToTheCase) {
  const Variants found = Measured()
                             .add("bert/custom/optimizer=adamw", 4e-3)
                             .add("bert/custom/optimizer=adamw/precision=bfloat16", 2e-3)
                             .add("resnet/custom", 4e-3)
                             .add("resnet/custom/precision=bfloat16", 2e-3)
                             .by({"technique"});
  EXPECT_EQ(found.names, Names({"none", "precision=bfloat16"}));
  EXPECT_EQ(ids_of(found.runs[1]), Names({"bert/custom/optimizer=adamw", "resnet/custom"}));
  const Variants both = Measured()
                            .add("bert/custom", 4e-3)
                            .add("bert/custom/optimizer=adamw", 2e-3)
                            .by({"technique"});
  EXPECT_EQ(both.names, Names({"none", "optimizer=adamw"}));
}

TEST(Variants, TheReferenceIsTheFirstThatWasMeasuredOrTheOneAskedFor) {
  const Measured run =
      Measured().add("k/custom/b=1", 0).add("k/custom/b=2", 1e-3).add("k/custom/b=4", 1e-3);
  EXPECT_EQ(run.by({"b"}).reference, "b=2");
  EXPECT_EQ(run.by({"b", "4"}).reference, "b=4");
  EXPECT_EQ(run.by({"b", "b=4"}).reference, "b=4");
  EXPECT_EQ(run.by({"b"}).names, Names({"b=2", "b=4"}));
  EXPECT_EQ(run.by({"b"}).notes,
            Names{"b=1 left out: none of its cases can be compared with b=2; k/custom/b=1 "
                  "UNSUPPORTED: no such kernel"});
  EXPECT_EQ(run.mistake({"b", "8"}),
            "--reference 8: no case has that value of 'b'; allowed: b=1, b=2, b=4");
}

TEST(Variants, WhatHasNoPartnerOrIsOtherWorkIsLeftOutAndCounted) {
  const Variants found = three_blocks()
                             .add("mine/custom/block=64/rows=4", 1e-3)
                             .add("mine/custom/block=128/rows=2", 1e-3)
                             .add("mine/custom/block=256/rows=2", 1e-3)
                             .add("mine/custom/block=64/rows=1", 1e-3, 1e9)
                             .add("mine/custom/block=256/rows=1", 1e-3, 2e9)
                             .add("other/libtorch/rows=8", 1e-3)
                             .by({"block"});
  EXPECT_EQ(found.names, Names({"block=64", "block=256", "block=1024"}));
  for (const plumbline::Run& run : found.runs) EXPECT_EQ(ids_of(run), Names{"mine/custom/rows=8"});
  EXPECT_EQ(found.notes, Names({"1 case left out: no 'block'",
                                "1 case left out: no other case differs by 'block' alone",
                                "2 cases left out: none like them has block=64",
                                "1 case left out: their FLOPs or bytes are not those of block=64, "
                                "so that it is not the same work"}));
}

TEST(Variants, ChannelsThatWereRemovedAreATechniqueAndNoOtherWork) {
  const Variants found = Measured()
                             .add("net/custom/batch=4", 2e-3, 4e9)
                             .add("net/custom/batch=4/prune=structured", 1e-3, 1e9)
                             .by({"prune"});
  EXPECT_EQ(found.names.size(), 2u);
  EXPECT_EQ(found.notes, Names{});
}

TEST(Variants, ADtypeChangesTheBytesAndNotTheWork) {
  const Measured run = Measured()
                           .add("softmax/libtorch/dtype=float16/rows=8", 1e-3, 1e9, 1e6)
                           .add("softmax/libtorch/dtype=float32/rows=8", 1e-3, 1e9, 2e6);
  EXPECT_EQ(run.by({"dtype"}).runs.size(), 2U);
  const Measured rows = Measured()
                            .add("softmax/libtorch/rows=4", 1e-3, 0, 1e6)
                            .add("softmax/libtorch/rows=8", 1e-3, 0, 2e6);
  EXPECT_EQ(rows.mistake({"rows"}),
            "--variants rows: no two measured cases of runs/tuned differ by 'rows' alone; 1 case "
            "left out: their FLOPs or bytes are not those of rows=4, so that it is not the same "
            "work");
}

TEST(Variants, AnAxisThatNoCaseHasIsAMistakeThatNamesThoseThereAre) {
  EXPECT_EQ(three_blocks().mistake({"blok"}),
            "--variants blok: no case of runs/tuned has an axis 'blok'; did you mean 'block'?");
  EXPECT_EQ(three_blocks().mistake({"tile_of_the_matrix"}),
            "--variants tile_of_the_matrix: no case of runs/tuned has an axis "
            "'tile_of_the_matrix'; allowed: backend, block, rows");
  EXPECT_EQ(three_blocks().mistake({"plan"}),
            "--variants plan: no two measured cases of runs/tuned differ by 'plan' alone; 3 cases "
            "left out: no other case differs by 'plan' alone");
}

}  // namespace
}  // namespace plumbline
