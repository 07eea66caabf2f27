# Sourced by the scripts of this folder: goes to the top of the checkout, and gives Bazel the home that it needs where
# there is none (containers, cron).
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
if [[ -z ${HOME:-} || ! -w $HOME ]]; then
  HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
  [[ -n $HOME && -w $HOME ]] || HOME=${TMPDIR:-/tmp}
  export HOME
fi
