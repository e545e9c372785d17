#include "reports/site/commit_links.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "reports/cells.h"
#include "reports/site/frame.h"
#include "reports/site/verdict_order.h"

namespace plumbline {
namespace {

constexpr std::string_view kBegin = "<!--site-->", kEnd = "<!--/site-->";

/// The cases of a run, each with its worst verdict; worst cases first.
PageData cases_data(const SiteRun& run) {
  struct Shown {
    const SiteRow* row;
    std::string_view word;
    std::size_t rank;
  };
  std::map<std::pair<std::string_view, std::string_view>, Shown> cases;
  for (const SiteRow& row : run.rows) {
    const std::string_view word = has_samples(row.status) ? row.verdict : name_of(row.status);
    const std::size_t rank = has_samples(row.status) ? rank_of(word) : 0;
    const auto [known, is_first] =
        cases.try_emplace({row.suite, row.case_id}, Shown{&row, word, rank});
    if (!is_first && rank < known->second.rank) known->second = {&row, word, rank};
  }
  std::vector<Shown> sorted;
  for (const auto& [name, shown] : cases) sorted.push_back(shown);
  std::ranges::stable_sort(sorted, {}, &Shown::rank);
  PageData data = PageData::array();
  for (const Shown& shown : sorted) {
    PageData row = case_data(shown.row->case_id);
    row["link"] = "../" + case_page_name(shown.row->suite, shown.row->case_id);
    row["verdict"] = verdict_data(shown.word);
    data.push_back(std::move(row));
  }
  return data;
}

PageData neighbour_data(const KeyedRun* run) {
  return run == nullptr ? PageData() : run_data(*run->run, run->key + ".html");
}

}  // namespace

std::vector<Neighbours> neighbours_of(const std::vector<KeyedRun>& runs) {
  std::vector<Neighbours> neighbours(runs.size());
  std::map<std::string_view, std::size_t> newest;  // by device class
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto [known, is_first] = newest.try_emplace(runs[i].run->device_class, i);
    if (is_first) continue;
    neighbours[i].earlier = &runs[known->second];
    neighbours[known->second].later = &runs[i];
    known->second = i;
  }
  return neighbours;
}

std::string with_site_links(std::string page, const KeyedRun& run, const Neighbours& neighbours) {
  const std::size_t head_end = page.find("</head>");
  if (head_end == page.npos) return page;
  const std::size_t main = page.find("<main", head_end);
  const std::size_t at = main == page.npos ? main : page.find('>', main);
  if (at == page.npos) return page;
  const std::string_view rest = std::string_view(page).substr(at + 1);
  const std::size_t old = rest.starts_with(kBegin) ? rest.find(kEnd) + kEnd.size() : 0;
  PageData cases = cases_data(*run.run);
  const std::size_t count = cases.size();
  const std::string links =
      rendered("site/commit_links", {{"earlier", neighbour_data(neighbours.earlier)},
                                     {"later", neighbour_data(neighbours.later)},
                                     {"count", count},
                                     {"cases", std::move(cases)}});
  page.replace(at + 1, old, std::string(kBegin) + links + std::string(kEnd));
  return page;
}

}  // namespace plumbline
