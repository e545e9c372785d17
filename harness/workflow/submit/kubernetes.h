/// Writes a submission for Kubernetes: an Indexed Job whose pods measure the shards, and a Job that
/// waits for them, merges and judges. Nothing is sent to a cluster.
#pragma once

#include <cstdint>
#include <string>

#include "workflow/submit/submission.h"

namespace plumbline {

struct KubernetesSettings {
  std::string image;          // holds plumbline and its worker
  std::string claim, mount;   // a PersistentVolumeClaim, and where pods have it
  std::string job_namespace;  // "" = kubectl's
  std::int64_t gpus = 1;      // of a pod; 0: none
};

/// Two Jobs of batch/v1, as YAML. Throws Error if the submission's folder, or the project, does not
/// lie below the mount: pods could not reach it.
std::string kubernetes_manifest(const Submission& submission, const KubernetesSettings& settings);

}  // namespace plumbline
