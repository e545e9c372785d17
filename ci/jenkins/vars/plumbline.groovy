// A step of Jenkins: plumbline(suites: 'bench', threshold: '3%') in a stage of any Jenkinsfile. Make
// this repository a shared library with the library path ci/jenkins. The agent needs plumbline on its
// PATH, or the variable PLUMBLINE_CI, the folder of judge.sh.
//
// Settings, all of them texts: baseline (merge-base, accepted, or a branch), suites, device, build,
// threshold, margin, sandbox, options, runs. A regression fails the build; what cannot be judged makes it
// unstable. Needs the plugin JUnit.
def call(Map settings = [:]) {
  def known = ['baseline', 'suites', 'device', 'build', 'threshold', 'margin', 'sandbox', 'options', 'runs']
  def unknown = settings.keySet() - known
  if (unknown) {
    error("plumbline: found ${unknown.join(', ')}; allowed: ${known.join(', ')}")
  }
  def runs = settings.runs ?: "runs/${env.BUILD_NUMBER}"
  def variables = (settings + [runs: "${env.WORKSPACE}/${runs}"]).collect { name, value -> "JUDGE_${name.toUpperCase()}=${value}" }
  def code = 2
  withEnv(variables) {
    code = sh(returnStatus: true, script: '''"${PLUMBLINE_CI:-$(dirname "$(readlink -f "$(command -v plumbline)")")/../share/plumbline/ci}/judge.sh"''')
  }
  junit allowEmptyResults: true, testResults: "${runs}/**/junit.xml"
  archiveArtifacts allowEmptyArchive: true, artifacts: "${runs}/**/report.html, ${runs}/verdict.md"
  if (code == 3) {
    unstable('plumbline: it could not be judged; verdict.md says why')
  } else if (code == 1) {
    error('plumbline: a regression; verdict.md has it')
  } else if (code != 0) {
    error("plumbline: nothing was measured (exit code ${code}); the log has the reason")
  }
  return code
}
