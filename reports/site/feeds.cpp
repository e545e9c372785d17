/// The feeds of a site: an item for what began with a run, and one for what a run fixed.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/moment.h"
#include "core/run/case.h"
#include "core/words.h"
#include "reports/markup.h"
#include "reports/site/case_line.h"
#include "reports/site/frame.h"
#include "reports/site/regression_groups.h"
#include "reports/site/site.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostItems = 50;

struct FeedItem {
  Moment when;
  std::string id, title, link;
  std::vector<std::string> lines;
};

/// A URN that depends only on the name: a UUID with its own layout (RFC 9562, version 8).
std::string stable_id(const std::string& name) {
  std::string hex = stable_hash_text(name) + stable_hash_text("plumbline " + name);
  hex[12] = '8';
  hex[16] = 'a';
  return fmt::format("urn:uuid:{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4),
                     hex.substr(12, 4), hex.substr(16, 4), hex.substr(20, 12));
}

std::string_view kind_word(RegressionKind kind) {
  switch (kind) {
    case RegressionKind::drift:
      return "drift";
    case RegressionKind::broken:
      return "broken";
    default:
      return "step";
  }
}

/// The title, then one line for each case.
std::vector<std::string> lines_of(const std::string& title, const KeyedRun& run,
                                  const RegressionGroup& group) {
  std::vector<std::string> lines{title + (run.run->subject.empty() ? "" : ": " + run.run->subject)};
  for (const RegressionGroup::Member& member : group.members)
    lines.push_back(member.line->case_id +
                    (member.found->kind == RegressionKind::broken
                         ? ""
                         : ": " + change_text(member.found->change, {}, {}).change + " %, " +
                               quantity_text(member.found->before, member.line->unit) + " → " +
                               quantity_text(member.found->after, member.line->unit)));
  return lines;
}

/// `event`, run and kind identify the item permanently.
void add_item(const RegressionGroup& group, const KeyedRun& run, std::string_view event,
              const std::string& title, const std::string& url, std::vector<FeedItem>& items) {
  const auto when = moment_of(run.run->started_at);
  if (!when) return;
  items.push_back(
      {*when, stable_id(fmt::format("{} {} {}", run.key, event, kind_word(group.first().kind))),
       title, url + commit_page_name(run.key), lines_of(title, run, group)});
}

std::vector<FeedItem> items_of(const std::vector<KeyedRun>& runs,
                               const std::vector<CaseLine>& cases, const std::string& url) {
  std::vector<FeedItem> items;
  for (const RegressionGroup& group : begun_groups(cases)) {
    const KeyedRun& run = runs[group.first().from];
    add_item(group, run, "begun", group_sentence(group) + " since " + short_name(*run.run), url,
             items);
  }
  for (const RegressionGroup& group : fixed_groups(cases)) {
    const KeyedRun& run = runs[*group.first().back];
    add_item(group, run, "fixed", "Fixed with " + short_name(*run.run) + ": " + group_name(group),
             url, items);
  }
  std::ranges::stable_sort(items, std::ranges::greater(), &FeedItem::when);
  items.resize(std::min(items.size(), kMostItems));
  return items;
}

std::string site_id(const std::string& title) { return stable_id("site " + title); }

/// When the newest run began: a feed must say when it last changed.
std::string updated_text(const std::vector<KeyedRun>& runs) {
  return utc_text(moment_of(runs.back().run->started_at).value_or(Moment{}));
}

}  // namespace

std::string render_atom_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url) {
  PageData items = PageData::array();
  for (const FeedItem& item : items_of(runs, cases, url))
    items.push_back({{"id", item.id},
                     {"title", item.title},
                     {"when", utc_text(item.when)},
                     {"link", item.link},
                     {"lines", item.lines}});
  return rendered("site/atom_feed", {{"id", site_id(title)},
                                     {"title", title},
                                     {"updated", updated_text(runs)},
                                     {"url", url},
                                     {"items", std::move(items)}}) +
         "\n";
}

std::string render_json_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url) {
  nlohmann::ordered_json feed{{"version", "https://jsonfeed.org/version/1.1"}, {"title", title}};
  if (!url.empty()) {
    feed["home_page_url"] = url + "index.html";
    feed["feed_url"] = url + "feed.json";
  }
  feed["items"] = nlohmann::ordered_json::array();
  for (const FeedItem& item : items_of(runs, cases, url)) {
    nlohmann::ordered_json shown{{"id", item.id}};
    if (!url.empty()) shown["url"] = item.link;
    shown["title"] = item.title;
    std::string text;
    for (const std::string& line : item.lines) text += (text.empty() ? "" : "\n") + line;
    shown["content_text"] = text;
    shown["date_published"] = utc_text(item.when);
    feed["items"].push_back(std::move(shown));
  }
  return script_json(feed) + "\n";
}

}  // namespace plumbline
