#include "workflow/submit/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "workflow/submit/job_script.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfName = 50;  // a Job's name has at most 63 characters, with what we add

/// A text as YAML: JSON's form, which every YAML reader takes.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A name as Kubernetes allows it (RFC 1123): a-z, 0-9 and '-', with a letter or digit at both
/// ends.
std::string label_of(const std::string& text) {
  std::string label;
  for (const char c : text.substr(0, kMostOfName)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain)
      label += c;
    else if (c >= 'A' && c <= 'Z')
      label += char(c - 'A' + 'a');
    else if (!label.empty() && label.back() != '-')
      label += '-';
  }
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "suite" : label;
}

std::string indented(const std::string& text, std::size_t columns) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += std::string(columns, ' ') + text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

bool is_below(const std::string& path, const std::string& folder) {
  const fs::path relative = fs::path(path).lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

struct JobShape {
  std::string name, head;  // further lines of `spec`, indented
  std::string part;        // of ci/slurm/
  std::int64_t gpus = 0;
};

std::string job_text(const JobShape& job, const Submission& submission,
                     const KubernetesSettings& settings) {
  const std::string resources =
      job.gpus == 0
          ? std::string()
          : fmt::format(
                "          resources:\n            limits:\n              nvidia.com/gpu: {}\n",
                job.gpus);
  const std::string in_namespace =
      settings.job_namespace.empty() ? "" : "  namespace: " + quoted(settings.job_namespace) + "\n";
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {0}\n{1}  labels:\n    app: plumbline\n"
      "spec:\n{2}  template:\n    metadata:\n      labels:\n        app: plumbline\n    spec:\n"
      "      restartPolicy: Never\n      terminationGracePeriodSeconds: 120\n      containers:\n"
      "        - name: plumbline\n          image: {3}\n          command: [\"/bin/bash\", "
      "\"-c\"]\n"
      "          env:\n            - name: NODE_NAME\n              valueFrom:\n"
      "                fieldRef:\n                  fieldPath: spec.nodeName\n{4}"
      "          volumeMounts:\n            - name: work\n              mountPath: {5}\n"
      "          args:\n            - |\n{6}      volumes:\n        - name: work\n"
      "          persistentVolumeClaim:\n            claimName: {7}\n",
      quoted(job.name), in_namespace, job.head, quoted(settings.image), resources,
      quoted(settings.mount), indented(job_script(job.part, submission), 14),
      quoted(settings.claim));
}

}  // namespace

std::string kubernetes_manifest(const Submission& submission, const KubernetesSettings& settings) {
  for (const std::string& path : {submission.work, submission.folder, submission.run})
    if (!is_below(path, settings.mount))
      throw Error(
          fmt::format("--mount {}: {} does not lie below it; pods have only what the claim "
                      "holds, at the same path as here",
                      settings.mount, path));
  const std::string name = "plumbline-" + label_of(submission.name);
  const std::int64_t at_once = submission.at_once > 0 ? submission.at_once : submission.shards;
  // The script counts tries that finish no visit; pods that are evicted do not count.
  constexpr int kPodsOfShard = 100;
  const JobShape tasks{
      name,
      fmt::format("  completionMode: Indexed\n  completions: {}\n  parallelism: {}\n"
                  "  backoffLimit: {}\n  podFailurePolicy:\n    rules:\n      - action: Ignore\n"
                  "        onPodConditions:\n          - type: DisruptionTarget\n"
                  "            status: \"True\"\n",
                  submission.shards, std::min(at_once, submission.shards),
                  kPodsOfShard * submission.shards),
      "task.sh", settings.gpus};
  const JobShape judge{name + "-judge", "  backoffLimit: 3\n", "judge.sh", 0};
  return job_text(tasks, submission, settings) + "---\n" + job_text(judge, submission, settings);
}

}  // namespace plumbline
