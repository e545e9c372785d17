#include "worker/subjects/plain_case.h"

#include "backends/libtorch/workspaces.h"
#include "worker/subjects/counter_sampler.h"
#include "worker/subjects/plain_launches.h"
#include "worker/subjects/stock_sampler.h"
#include "worker/verify/tensor_memory.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {

PlainCase::PlainCase(Session& session, const MeasureRequest& request)
    : session_(session),
      device_(session.device()),
      request_(request),
      instance_(request.subject, device_, session.is_cuda(), request.seed),
      timed_launches_({.instance = instance_,
                       .renew = [this](std::uint64_t contents) { renew(contents); },
                       .remake = [this](std::uint64_t contents) { remake(contents); },
                       .launch = [this] { launch(); },
                       .settle = [this] { session_.settle(); },
                       .results = [this] { return results(); },
                       .prepared = [this]() -> const Prepared& { return prepared_; }},
                      device_, request.draw) {}

void PlainCase::place(std::int64_t placement) {
  place_at(placement, placement == kVerificationBlock ? contents_of(ContentsOf::verification, 0)
                                                      : contents_of(ContentsOf::placement, 0));
}

void PlainCase::place_at(std::int64_t placement, std::uint64_t contents) {
  prepared_ = {};
  instance_.workload().drop_inputs();
  drop_workspaces();
  placement_ = placement;
  make_inputs(contents);
  timed_launches_.are_on(contents);
}

void PlainCase::make_inputs(std::uint64_t contents) {
  device_.place(placement_key(request_, placement_));
  instance_.use_seed(contents_seed(request_.seed, request_.draw, contents));
  instance_.workload().make_inputs();
}

void PlainCase::renew(std::uint64_t contents) {
  instance_.use_seed(contents_seed(request_.seed, request_.draw, contents));
  if (!prepared_.keeps_no_values || !instance_.workload().refill()) remake(contents);
}

/// At the same places as before: placement and order of allocations are the same.
void PlainCase::remake(std::uint64_t contents) {
  prepared_ = {};
  instance_.workload().drop_inputs();
  make_inputs(contents);
  prepare();
}

Launch PlainCase::timed_launch() {
  return [this] {
    prepared_.clear();  // the previous launch: this one's results take its place
    prepared_.launch();
  };
}

void PlainCase::launch() {
  prepared_.clear();
  device_.begin_launch();
  prepared_.launch();
  device_.synchronize();
}

void PlainCase::judge_results(const Judge& judge, const std::string& when) {
  judge(instance_, results(), when);
}

void PlainCase::look_for_races(const Judge&) {
  if (const std::string race = instance_.race(session_.race_site()); !race.empty())
    throw VisitFailure{Status::wrong, race};
}

VisitSamples PlainCase::sample(const Judge& judge) {
  const PlaceSubject at = [this](std::int64_t placement, std::uint64_t contents) {
    place_at(placement, contents);
    prepare();
    return timed_launch();
  };
  if (session_.plain_launches() > 0) return launch_plainly(device_, at, session_.plain_launches());
  if (session_.profile() == Profile::counters)
    return sample_counters(device_, *session_.counters(), at, timed_launches_.scrutiny());
  const Workload& workload = instance_.workload();
  if (session_.profile() != Profile::stock || !session_.is_cuda())
    return sample_visit(device_, at, request_.policy, timed_launches_.scrutiny(),
                        workload.host_timed());
  const StockSubject subject{at, [this] { prepared_.clear(); },
                             [&] {  // replays change the inputs of mutating launches repeatedly
                               if (!workload.is_mutating()) judge_results(judge, "");
                             },
                             workload.uncapturable(), workload.keeps_memory()};
  return sample_stock(device_, subject, request_.policy, [this] { return device_.energy_j(); });
}

}  // namespace plumbline
