#include "suite/cluster_settings.h"

#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

/// As written: sbatch takes numbers, too.
std::string read_word(const YamlNode& node, const std::string& what) {
  const bool is_number = std::holds_alternative<std::int64_t>(node.value);
  return node.kind == YamlNode::Kind::scalar && is_number ? node.text : read_text(node, what);
}

std::vector<std::string> read_texts(const YamlPtr& node, const std::string& what) {
  std::vector<std::string> texts;
  for (const YamlPtr& item : read_items(node, what)) texts.push_back(read_text(*item, what));
  return texts;
}

}  // namespace

SlurmSettings read_slurm_settings(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map)
    fail_on_kind(node, "'slurm'", "a map such as {partition: gpu, gres: 'gpu:1'}");
  std::vector<YamlKey> keys;
  for (const SlurmSetting& setting : kSlurmSettings) keys.push_back({setting.key, setting.doc});
  check_keys(node, keys, "'slurm'");
  SlurmSettings settings;
  for (const SlurmSetting& setting : kSlurmSettings) {
    const YamlEntry* const entry = find_entry(node, setting.key);
    if (!entry) continue;
    const std::string what = "'slurm." + std::string(setting.key) + "'";
    if (const auto* text = std::get_if<std::string SlurmSettings::*>(&setting.member))
      settings.*(*text) = read_word(*entry->value, what);
    else
      settings.*std::get<1>(setting.member) = read_texts(entry->value, what);
  }
  return settings;
}

SlurmSettings with_defaults(SlurmSettings first, const SlurmSettings& others) {
  for (const SlurmSetting& setting : kSlurmSettings)
    std::visit(
        [&](auto member) {
          if ((first.*member).empty()) first.*member = others.*member;
        },
        setting.member);
  return first;
}

}  // namespace plumbline
