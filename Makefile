# make gemm    installs what is missing, builds, compiles kernels/gemm.wk
# make test    the whole suite
# make deps, make build, make format, make clean
BUILD := build

.PHONY: deps build gemm test format clean
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

format:
	@tools/deps.sh clang-format-19
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

clean:
	rm -rf $(BUILD)
