#include "worker/subjects/plain_case.h"

#include "backends/libtorch/workspaces.h"
#include "worker/subjects/plain_launches.h"
#include "worker/subjects/stock_sampler.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {

PlainCase::PlainCase(Session& session, const MeasureRequest& request)
    : session_(session),
      device_(session.device()),
      request_(request),
      instance_(request.subject, device_, session.is_cuda(), request.seed) {}

void PlainCase::place(std::int64_t placement) {
  prepared_ = {};
  instance_.workload().drop_inputs();
  drop_workspaces();
  device_.place(placement_key(request_, placement));
  instance_.workload().make_inputs();
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
  const PlaceSubject at = [this](std::int64_t placement) -> Launch {
    place(placement);
    prepare();
    return [prepared = prepared_] {
      prepared.clear();  // the launch before: its results' places are this one's
      prepared.launch();
    };
  };
  if (session_.plain_launches() > 0) return launch_plainly(device_, at, session_.plain_launches());
  const Workload& workload = instance_.workload();
  if (session_.profile() != Profile::stock || !session_.is_cuda())
    return sample_visit(device_, at, request_.policy, workload.is_host_timed());
  const StockSubject subject{at, [this] { prepared_.clear(); },
                             [&] {  // replays change the inputs of what is mutating again and again
                               if (!workload.is_mutating()) judge_results(judge, "");
                             }};
  return sample_stock(device_, subject, request_.policy, [this] { return device_.energy_j(); });
}

}  // namespace plumbline
