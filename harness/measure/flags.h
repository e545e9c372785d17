/// Doubts that a visit can have about its own measurement. Each has a fixed name in results.csv.
#pragma once

namespace plumbline {

inline constexpr const char* kFlagHoldExpired = "enqueue longer than the hold";
inline constexpr const char* kFlagUnstableClock = "unstable clock";
inline constexpr const char* kFlagBelowTimer = "below the timer's floor";
inline constexpr const char* kFlagImprecise = "precision not reached";
inline constexpr const char* kFlagAllocation = "allocation inside the window";
inline constexpr const char* kFlagBimodal = "bimodal";
inline constexpr const char* kFlagTrend = "trend inside the visit";
inline constexpr const char* kFlagTimerGrid = "on the timer grid";
inline constexpr const char* kFlagForeignProcess = "foreign process on the GPU";
inline constexpr const char* kFlagNotFinite = "not finite";
inline constexpr const char* kFlagTimersDisagree = "timers disagree";
inline constexpr const char* kFlagGuardTouched = "guard band touched";
inline constexpr const char* kFlagLeak = "leak between launches";
inline constexpr const char* kFlagSetAside = "blocks set aside";
/// All launches had the same inputs (data=zeros). A result that was kept, left over or computed on
/// the wrong stream looks right then.
inline constexpr const char* kFlagSameInputs =
    "same inputs in every launch: kept results not ruled out";
/// Launches had the values of a file, the same ones or one of a few recordings.
inline constexpr const char* kFlagRecordedInputs =
    "inputs from a file repeat: kept results not ruled out";
/// Results were right within the spacing of the type's smallest numbers, which have few digits.
inline constexpr const char* kFlagSubnormal = "near the type's smallest numbers: tolerance widened";
/// Results were right within this problem's rounding error, but not within the op's tolerance.
inline constexpr const char* kFlagWidened = "ill-conditioned: tolerance widened";

}  // namespace plumbline
