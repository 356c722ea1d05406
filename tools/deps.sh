#!/bin/sh
# Installs what building, testing and assembling need, and only what is missing: Debian packages (12 or 13), and NVIDIA's ptxas into
# .venv. Further packages can be named: deps.sh clang-format-19.
set -eu
cd "$(dirname "$0")/.."

# uuid-dev and libzstd-dev are undeclared needs of the ANTLR and LLVM packages.
packages="g++ cmake ninja-build ccache mold antlr4 libantlr4-runtime-dev uuid-dev llvm-19-dev llvm-19-tools zlib1g-dev
  libzstd-dev libfmt-dev doctest-dev python3 python3-venv $*"

missing=
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "make deps: these packages are missing; install them as root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086 # one word a package
  apt-get install -qq -y --no-install-recommends $missing >/dev/null
fi

# ptxas alone: the compilers that its wheel depends on are not used. The disassembler is for the tests that read machine code.
wheel() {  # wheel PACKAGE PROGRAM
  if [ -z "$(find .venv/lib -path "*/nvidia/*/bin/$2" 2>/dev/null)" ]; then
    echo "installing $1 13.4 into .venv"
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --no-deps "$1==13.4.*"
  fi
}
wheel nvidia-cuda-nvcc ptxas
wheel nvidia-cuda-cuobjdump cuobjdump
wheel nvidia-cuda-nvdisasm nvdisasm
