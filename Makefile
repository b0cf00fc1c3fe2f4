# Two commands do all the set-up they need: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench system clean

demo: $(VENV)/installed
	$(BIN)/grouser demo

test: system check
	$(BIN)/python -m pytest -n auto

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

# Pictures of scenes need OpenGL without a screen. Whoever may not install it tests without.
system:
	@/sbin/ldconfig -p 2>/dev/null | grep -q libEGL.so.1 || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && \
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends \
	libegl1 libgl1-mesa-dri >/dev/null; } || \
	echo 'tests draw no pictures: there is no EGL (Debian: libegl1 libgl1-mesa-dri)'

clean:
	rm -rf $(VENV) out dist

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@
