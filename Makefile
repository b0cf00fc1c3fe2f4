# Two commands do all the set-up they need: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench system clean

demo: $(VENV)/installed
	$(BIN)/grouser drive

# A browser needs both cores: its tests come by themselves.
test: system check
	$(BIN)/python -m pytest -n auto --ignore tests/browser
	$(BIN)/python -m pytest tests/browser

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

# Pictures of scenes need OpenGL without a screen, pages need a browser.
system:
	@{ /sbin/ldconfig -p 2>/dev/null | grep -q libEGL.so.1 && command -v chromium >/dev/null; } || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && \
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends \
	libegl1 libgl1-mesa-dri chromium fonts-dejavu-core >/dev/null; } || \
	echo 'tests lack EGL or chromium (Debian: libegl1 libgl1-mesa-dri chromium)'

clean:
	rm -rf $(VENV) out dist

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@
