#include "store/verdict/bisect_json.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "store/file.h"

namespace plumbline {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

}  // namespace

void write_bisect_record(const BisectRecord& record, const std::string& path) {
  Json steps = Json::array(), skipped = Json::array();
  for (const BisectRecord::Step& step : record.steps)
    steps.push_back({{"baseline", step.baseline},
                     {"candidate", step.candidate},
                     {"log_ratios", step.log_ratios},
                     {"folder", step.folder}});
  for (const BisectRecord::Skipped& one : record.skipped)
    skipped.push_back({{"position", one.position}, {"reason", one.reason}});
  Json json{{"format", kFormat},         {"versions", record.versions},  {"case", record.case_id},
            {"metric", record.metric},   {"device", record.device},      {"asked", record.asked},
            {"steps", std::move(steps)}, {"skipped", std::move(skipped)}};
  if (record.threshold) json["threshold"] = *record.threshold;
  write_atomically(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<BisectRecord> read_bisect_record(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Json json = Json::parse(read_text(path));
    if (json.at("format") != kFormat)
      throw Error(path + ": found format " + json.at("format").dump() +
                  ", which another version of plumbline wrote");
    BisectRecord record;
    record.versions = json.at("versions");
    record.case_id = json.at("case");
    record.metric = json.at("metric");
    record.device = json.at("device");
    record.asked = json.at("asked");
    if (json.contains("threshold")) record.threshold = json["threshold"].get<double>();
    for (const Json& step : json.at("steps"))
      record.steps.push_back(
          {step.at("baseline"), step.at("candidate"), step.at("log_ratios"), step.at("folder")});
    for (const Json& one : json.at("skipped"))
      record.skipped.push_back({one.at("position"), one.at("reason")});
    return record;
  } catch (const Json::exception& error) {
    throw Error(path + ": found no record of a search: " + error.what());
  }
}

}  // namespace plumbline
