# What the scripts of this folder share; sourced, never run. Needs `me`, the name that messages begin with.
# shellcheck shell=bash

root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# A fresh clone in another folder finds what an earlier one compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

die() {
  printf '%s: %s\n' "${me:?}" "$*" >&2
  exit 1
}

# packages GROUP...: the names that packaging/dependencies lists for them.
packages() {
  local name group rest wanted
  while read -r name group rest; do
    for wanted in "$@"; do
      [[ $group == "$wanted" ]] && printf '%s\n' "$name"
    done
  done <"$root/packaging/dependencies"
  return 0
}

# install_packages GROUP...: installs what is missing, or says in one line what to install.
install_packages() {
  local package wanted log
  local -a missing=() as_root=()
  command -v dpkg-query >/dev/null || die "needs Debian 12's dpkg; packaging/dependencies names what to install"
  mapfile -t wanted < <(packages "$@")
  for package in "${wanted[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  if ((EUID != 0)); then
    # A password may be asked for only where somebody can answer.
    if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      die "missing packages; as root, run: apt-get install ${missing[*]}"
    fi
  fi
  printf '%s: installing %s\n' "$me" "${missing[*]}"
  log=$(mktemp)
  # A stale list may still do, so only the installation decides.
  "${as_root[@]}" apt-get update >"$log" 2>&1 </dev/null || true
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get could not install: ${missing[*]}"
  fi
  rm -f "$log"
}
