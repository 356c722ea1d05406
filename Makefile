# make gemm    installs what is missing, builds, compiles kernels/gemm.wk
# make test    the whole suite
# make bench-gpu  kernels/hopper_gemm.wk against cuBLASLt on this machine's GPU (docs/measuring.md)
# make vsix    the extension for Visual Studio Code, editors/vscode/warpcc.vsix
# make pictures  the README's pictures, made again
# make deps, make build, make format, make clean
BUILD := build

.PHONY: deps build gemm test bench-gpu vsix pictures format clean
.DEFAULT_GOAL := build

deps:
	@tools/deps.sh

$(BUILD)/build.ninja: | deps
	cmake -S . -B $(BUILD) -G Ninja

build: deps $(BUILD)/build.ninja
	ninja -C $(BUILD) warpcc

gemm: build
	$(BUILD)/bin/warpcc kernels/gemm.wk -o gemm.cubin

test: deps $(BUILD)/build.ninja
	@tools/editor_deps.sh
	ninja -C $(BUILD)
	@tests/run.py $(BUILD)

bench-gpu: build
	ninja -C $(BUILD) gpu_bench
	bench/gpu/table.py --warpcc $(BUILD)/bin/warpcc --bench $(BUILD)/bin/gpu_bench --out $(BUILD)/bench

vsix:
	@tools/editor_deps.sh
	cd editors/vscode && PATH="$(CURDIR)/.venv/bin:$$PATH" npm run -s package

pictures: build
	@tools/editor_deps.sh
	tools/pictures.sh $(BUILD)/bin/warpcc docs/pictures
	for name in kernel expansion timeline; do \
	  .venv/bin/node editors/vscode/scripts/png.mjs docs/pictures/$$name.svg editors/vscode/pictures/$$name.png; done

format:
	@tools/deps.sh clang-format-19
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

clean:
	rm -rf $(BUILD)
