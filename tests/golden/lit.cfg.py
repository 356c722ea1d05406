# Golden tests: what warpcc says and writes, one folder an area. README.md here says how to run one.
import ctypes
import glob
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "warpcc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".wk", ".sass", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

source = os.path.dirname(os.path.dirname(config.test_source_root))
build = os.path.abspath(os.environ.get("WARPCC_BUILD", os.path.join(source, "build")))
warpcc = os.path.join(build, "bin", "warpcc")
if not os.path.exists(warpcc):
    lit_config.fatal(f"{warpcc} is missing: make build, or name another folder with WARPCC_BUILD")
config.test_exec_root = os.path.join(build, "golden")

llvm = "/usr/lib/llvm-19/bin"
if not os.path.exists(os.path.join(llvm, "FileCheck")):
    lit_config.fatal("FileCheck is missing: make deps installs it (llvm-19-tools)")
config.environment["PATH"] = llvm + os.pathsep + os.environ["PATH"]
config.environment["FILECHECK_OPTS"] = "--dump-input-context=8"

# The settings of whoever runs the tests must not reach them: only ptxas of the project's environment is used, wherever the build is.
cuobjdump = [os.environ.get("WARPCC_CUOBJDUMP"), os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/cuobjdump")]
for name in ("WARPCC_PATH", "WARPCC_PTXAS", "CUDA_HOME", "CUDA_PATH"):
    config.environment.pop(name, None)
ptxas = glob.glob(os.path.join(source, ".venv/lib/python3*/site-packages/nvidia/*/bin/ptxas"))
if ptxas:
    config.environment["WARPCC_PTXAS"] = ptxas[0]
    config.available_features.add("ptxas")

# A disassembler is used where there is one: WARPCC_CUOBJDUMP, the project's environment, CUDA_HOME, PATH. cuobjdump runs the nvdisasm
# beside it or on PATH.
cuobjdump[1:1] = glob.glob(os.path.join(source, ".venv/lib/python3*/site-packages/nvidia/*/bin/cuobjdump"))
cuobjdump = [each for each in cuobjdump + [shutil.which("cuobjdump")] if each and os.access(each, os.X_OK)
             and (shutil.which("nvdisasm") or os.access(os.path.join(os.path.dirname(each), "nvdisasm"), os.X_OK))]
if ptxas and cuobjdump:
    config.available_features.add("disassembler")

# The editor's grammars are tested where tools/editor_deps.sh has been run.
node = os.path.join(source, ".venv/bin/node")
editors = os.path.join(source, "editors")
if os.access(node, os.X_OK) and os.path.isdir(os.path.join(editors, "vscode/node_modules")):
    config.available_features.add("node")

venv_python = os.path.join(source, ".venv/bin/python")
if glob.glob(os.path.join(source, ".venv/lib/python3*/site-packages/tree_sitter")) and shutil.which("cc"):
    config.available_features.add("tree-sitter")

vim = shutil.which("vim")
if vim and "+syntax" in subprocess.run([vim, "--version"], stdout=subprocess.PIPE, text=True).stdout:
    config.available_features.add("vim")

# Tests of the host library compile programs, and some must find no driver.
cxx, cmake = os.environ.get("CXX") or shutil.which("c++"), shutil.which("cmake")
if cxx:
    config.available_features.add("compiler")
if cxx and cmake:
    config.available_features.add("cmake")
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    config.available_features.add("no-gpu")

config.substitutions += [
    ("%cxx", cxx or "false"),
    ("%cmake", cmake or "false"),
    ("%build", build),
    ("%examples", os.path.join(source, "examples")),
    ("%node", node),
    ("%editors", editors),
    ("%trees", f"{venv_python} {os.path.join(source, 'tests/tools/wk_trees.py')} {os.path.join(editors, 'tree-sitter-wk')}"),
    ("%ptxas", ptxas[0] if ptxas else "false"),
    ("%cuobjdump", cuobjdump[0] if cuobjdump else "false"),
    ("%warpcc", warpcc),
    ("%lib", os.path.join(build, "lib")),
    ("%refused", f"{sys.executable} {os.path.join(config.test_source_root, 'refused.py')}"),
    ("%python", sys.executable),
    ("%session", f"{sys.executable} {os.path.join(source, 'tests/tools/lsp_session.py')} {warpcc}"),
    ("%kernels", os.path.join(source, "kernels")),
]
