# Two commands do all the set-up they need: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
QUIETLY := --quiet --disable-pip-version-check

.PHONY: demo test suite browser check docs bench fuzz foxglove packages soak learn firmware ros \
	system clean

demo: $(VENV)/compiled
	$(BIN)/grouser drive

# Whatever waits for a download, a socket or a picture leaves its core to another: installations,
# then checks, then the tests of the browser and all others at once.
SHARED := $(MAKE) --no-print-directory --output-sync=target -j 2
test:
	+@$(SHARED) system $(VENV)/installed
	+@$(SHARED) $(VENV)/peers ros check docs firmware $(VENV)/compiled
	+@$(MAKE) --no-print-directory suite
	+@$(MAKE) --no-print-directory browser

# A third of the time these tests wait for boards, pages and real time, hence one worker more than
# cores. A browser that draws without a graphics card needs all cores: its tests come by themselves.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
suite: $(VENV)/peers ros firmware $(VENV)/compiled
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal \
	--ignore tests/browser --ignore tests/learn

browser: system $(VENV)/compiled
	$(BIN)/python -m pytest tests/browser

check: $(VENV)/peers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

# The site, in out/docs/site; every warning is an error.
docs: $(VENV)/installed
	$(BIN)/python -m docs.site

bench: $(VENV)/installed
	$(BIN)/grouser bench

# Bad inputs for every reader: `make fuzz CASES=1000000 SEED=2`.
CASES ?= 100000
SEED ?= 1
fuzz: $(VENV)/installed
	$(BIN)/python -m tests.fuzz --cases $(CASES) --seed $(SEED)

# The server for Foxglove, read by Foxglove's own client library; needs node and npm.
foxglove: $(VENV)/compiled
	$(BIN)/python -m tests.plugs.foxglove

# Wheel and source archive, each in a fresh environment without extras.
packages: $(VENV)/installed
	$(BIN)/python .ci/packages

# Endurance: page, boards and sweeps for an hour, or for SOAK_MINUTES.
SOAK_MINUTES ?= 60
soak: $(VENV)/installed
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES)

# Tests with the real Stable-Baselines3, in an environment of its own: torch is large, and
# `make test` does without. Name the build of torch for your machine by TORCH.
TORCH ?= torch==2.13.0
learn: $(VENV)-learn/installed
	$(VENV)-learn/bin/python -m pytest tests/learn

# The microcontroller's program and the board that simulates it.
firmware: system
	@$(MAKE) --no-print-directory -C firmware -j $$(nproc)

# Two distributions of ROS 2, for tests in which one talks to the other. They cannot share an
# environment; what is not theirs they take from $(VENV).
ROS := .venv-ros
ros: $(ROS)/jazzy/installed $(ROS)/kilted/installed

$(ROS)/%/installed: requirements-%.txt $(VENV)/installed
	$(PYTHON) -m venv --without-pip $(ROS)/$*
	$(BIN)/pip --python $(ROS)/$*/bin/python install $(QUIETLY) --no-deps --only-binary :all: \
	--require-hashes -r requirements-$*.txt
	$(BIN)/python -c "import site; print(site.getsitepackages()[0])" \
	>$$(ls -d $(ROS)/$*/lib/python3*/site-packages)/zz_grouser.pth
	touch $@

# Pictures of scenes need OpenGL without a screen, pages a browser, firmware its compiler, and the
# test of a cluster with TLS its certificates.
system:
	@{ /sbin/ldconfig -p 2>/dev/null | grep -q libEGL.so.1 && command -v chromium >/dev/null && \
	command -v avr-gcc >/dev/null && command -v pkg-config >/dev/null && \
	command -v openssl >/dev/null && \
	pkg-config --exists simavr libelf; } || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && \
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends \
	libegl1 libgl1-mesa-dri chromium fonts-dejavu-core openssl \
	gcc make libc6-dev gcc-avr avr-libc libsimavr-dev libelf-dev pkg-config >/dev/null; } || \
	echo 'tests lack EGL, chromium, openssl or the AVR tools (Debian: libegl1 libgl1-mesa-dri chromium openssl' \
	'gcc make gcc-avr avr-libc libsimavr-dev libelf-dev pkg-config)'

clean:
	rm -rf $(VENV) $(VENV)-learn $(ROS) out dist firmware/build

# What is downloaded must have the hashes of requirements.txt; nothing else is.
$(VENV)/installed: pyproject.toml requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $(QUIETLY) --no-deps --only-binary :all: --require-hashes -r requirements.txt
	$(BIN)/pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	touch $@

# torch and Stable-Baselines3 are not in requirements.txt: here no hash is compared.
$(VENV)-learn/installed: pyproject.toml requirements.txt
	$(PYTHON) -m venv $(VENV)-learn
	$(VENV)-learn/bin/pip install $(QUIETLY) --no-deps --only-binary :all: --require-hashes -r requirements.txt
	$(VENV)-learn/bin/pip install $(QUIETLY) --only-binary :all: -c constraints.txt $(TORCH)
	$(VENV)-learn/bin/pip install $(QUIETLY) --only-binary :all: -c constraints.txt stable-baselines3==2.9.2
	$(VENV)-learn/bin/pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	touch $@

# Other programs, which tests load exports, tables and notebooks with.
$(VENV)/peers: $(VENV)/installed requirements-peers.txt
	$(BIN)/pip install $(QUIETLY) --no-deps --only-binary :all: --require-hashes -r requirements-peers.txt
	touch $@

# Compiled once, so that nobody waits later, and tests that run at the same time do not all compile.
$(VENV)/compiled: $(VENV)/installed $(shell find src/grouser/models src/grouser/laws -name '*.py')
	$(BIN)/grouser compile
	touch $@
