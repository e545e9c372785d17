#include "reports/units.h"

#include <gtest/gtest.h>

#include "core/run/run.h"

namespace plumbline {
namespace {

TEST(Units, BothSidesShareTheUnitAndTheDigitsOfTheInterval) {
  const QuantityPair pair = quantity_pair(12.4123e-6, 12.8911e-6, "s", 0.004);
  EXPECT_EQ(pair.before, "12.41");
  EXPECT_EQ(pair.after, "12.89");
  EXPECT_EQ(pair.unit, "µs");
}

TEST(Units, AWideIntervalTakesDigitsAway) {
  EXPECT_EQ(quantity_pair(12.4123e-6, 12.8911e-6, "s", 0.1).after, "12.9");
  EXPECT_EQ(quantity_pair(12.4123e-6, 12.8911e-6, "s", 0.9).after, "13");
}

TEST(Units, NoNumberHasMoreThanFourSignificantDigits) {
  EXPECT_EQ(quantity_pair(1.23456789e-3, 1.3456789e-3, "s", 1e-9).after, "1.346");
  EXPECT_EQ(quantity_pair(123.456789e-3, 134.56789e-3, "s", 1e-9).after, "134.6");
}

TEST(Units, ThousandsHaveAThinSpaceAndMinusIsATrueMinus) {
  EXPECT_EQ(number_text(1234567.25, 1), "1\u2009234\u2009567.2");
  EXPECT_EQ(number_text(-1234, 0), "\u22121\u2009234");
  EXPECT_EQ(number_text(-0.0001, 2), "0.00");
}

TEST(Units, NumbersBeyondTheNormalRangeAreToldByTheirPowerOfTen) {
  EXPECT_EQ(quantity_text(5e-324, "s"), "4.94e-315\u00A0ns");
  EXPECT_EQ(quantity_text(-5e-324, "1", 5e-324), "\u22124.94e-324");
  EXPECT_EQ(quantity_text(1.5e300, "s"), "1.50e300\u00A0s");
  EXPECT_EQ(quantity_text(2.5e14, "1"), "250\u2009000\u2009000\u2009000\u2009000");
  const QuantityPair pair = quantity_pair(2e-3, 5e-324, "s", 0.01);
  EXPECT_EQ(pair.before, "2.00e6");
  EXPECT_EQ(pair.after, "4.94e-315");
  EXPECT_EQ(quantity_pair(0.0, 5e-324, "s", {}).before, "0");
  EXPECT_EQ(change_text(1e300, 1e299, 2e300).change, "+1.00e302");
}

TEST(Units, UnknownIsADashAndNeverZero) {
  EXPECT_EQ(number_text(kUnknown, 2), "–");
  EXPECT_EQ(quantity_text(kUnknown, "s"), "–");
  EXPECT_EQ(quantity_pair({}, 2e-3, "s", {}).before, "–");
  EXPECT_EQ(change_text({}, {}, {}).whole(), "–");
}

TEST(Units, AChangeHasItsSignAndItsInterval) {
  EXPECT_EQ(change_text(0.039, 0.034, 0.043).whole(), "+3.9\u00A0% [+3.4, +4.3]");
  EXPECT_EQ(change_text(-0.0904, -0.101, -0.079).whole(),
            "\u22129.0\u00A0% [\u221210.1, \u22127.9]");
  EXPECT_EQ(change_text(0.5, 0.2, 0.8).whole(), "+50\u00A0% [+20, +80]");
}

TEST(Units, AHugeChangeIsAPowerOfTenAndNothingIsShownAsZero) {
  EXPECT_EQ(change_text(3361409.86, 3360409, 3442457.77).whole(),
            "+3.36e8\u00A0% [+3.36e8, +3.44e8]");
  EXPECT_EQ(change_text(3361409.86, {}, {}).whole(), "+3.36e8\u00A0%");
  EXPECT_EQ(change_text(12.3456, {}, {}).whole(), "+1\u2009235\u00A0%");
  EXPECT_EQ(change_text(99.9996, {}, {}).whole(), "+1.00e4\u00A0%");
  EXPECT_EQ(change_text(0.1, -0.9, 78933.48).whole(), "+10\u00A0% [\u221290, +7.89e6]");
  EXPECT_EQ(share_text(78933.48), "7.89e6\u00A0%");
  const QuantityPair pair = quantity_pair(116e-6, 395, "s", {});
  EXPECT_EQ(pair.before + " → " + pair.after, "0.000116 → 395");
}

TEST(Units, PrefixesStayAmongThosePeopleUse) {
  EXPECT_EQ(scale_for("s", 3e-13).unit, "ns");
  EXPECT_EQ(scale_for("s", 4200).unit, "s");
  EXPECT_EQ(scale_for("B/s", 4.2e12).unit, "TB/s");
  EXPECT_EQ(scale_for("FLOP/s", 8e14).unit, "TFLOP/s");
  EXPECT_EQ(scale_for("allocations", 12).unit, "allocations");
  EXPECT_EQ(quantity_text(5.5e-6, "s", 1e-8), "5.500\u00A0µs");
}

TEST(Units, DurationsReadAsWords) {
  EXPECT_EQ(duration_text("2026-05-01T02:00:00Z", "2026-05-01T02:21:40Z"), "21 min 40 s");
  EXPECT_EQ(duration_text("2026-04-30T23:59:30Z", "2026-05-01T00:00:10Z"), "40 s");
  EXPECT_EQ(duration_text("2026-05-01T02:00:00Z", ""), "");
}

}  // namespace
}  // namespace plumbline
