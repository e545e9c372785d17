#!/usr/bin/env bash
# ci/github/install.sh: installs Plumbline for a job of GitHub Actions, into an environment of its own
# that stays on a runner of one's own. Adds it to PATH and sets PLUMBLINE for the steps that follow.
#
# INSTALL_PACKAGE  what pip installs: plumbline-gpu[torch]==0.2.0, or wheels, which may be patterns as
#                  dist/*.whl; several are separated by blanks
# INSTALL_PYTHON   the Python; default: python3
set -euo pipefail

fail() {
  echo "::error title=Plumbline::$*" >&2
  exit 2
}

main() {
  local word file words=() python=${INSTALL_PYTHON:-python3} key folder
  [[ -n ${INSTALL_PACKAGE:-} ]] || fail "INSTALL_PACKAGE is not set"
  for word in $INSTALL_PACKAGE; do  # patterns are resolved here
    [[ $word != -* ]] || fail "package: found the option $word; allowed are names of packages, and files"
    words+=("$word")
  done
  # The environment is for these words, the content of files among them, and this Python.
  key=$({
    printf '%s\n' "${words[@]}"
    "$python" -c 'import sys; print(sys.executable, sys.version)'
    for word in "${words[@]}"; do
      file=${word%%[*}
      [[ ! -f $file ]] || sha256sum <"$file"
    done
  } | sha256sum | cut -c 1-16) || fail "$python does not start"
  folder=${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:?}}/plumbline/$key
  if [[ ! -e $folder/installed ]]; then
    rm -rf "$folder"
    "$python" -m venv "$folder" || fail "$python cannot make an environment: it needs the module venv (python3-venv)"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${words[@]}" ||
      fail "pip cannot install $INSTALL_PACKAGE; see above"
    : >"$folder/installed"
  fi
  [[ -x $folder/bin/plumbline ]] || fail "$INSTALL_PACKAGE brings no program plumbline"
  "$folder/bin/plumbline" --version
  echo "$folder/bin" >>"${GITHUB_PATH:?}"
  echo "PLUMBLINE=$folder/bin/plumbline" >>"${GITHUB_ENV:?}"
}

main "$@"
