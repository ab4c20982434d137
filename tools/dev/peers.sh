# SPDX-License-Identifier: Apache-2.0
# Installs the other implementations in tools/peers.txt, each once. Sourced by farlink-dev.
#
# The folder has `installed/PEER` with the version, or `missing/PEER` with the reason; the tests
# read both. Builds have low priority and one job at a time.

peers=${FARLINK_PEERS:-$HOME/.cache/farlink-peers}

# install_peers WHEN...: the peers of these groups. Continues after a failure; returns whether all
# peers are installed for which this machine has a toolchain.
install_peers() {
    local name version needs when rest status=0 lacking
    mkdir -p "$peers/installed" "$peers/missing"
    peers=$(cd "$peers" && pwd)
    while read -r name version needs when rest; do
        [[ " $* " == *" $when "* ]] || continue
        [ "$(peer_stamp "$name")" != "$(peer_version "$name" "$version")" ] || continue
        lacking=$(lacking_tool "$needs")
        if [ -n "$lacking" ]; then
            printf 'this machine has no %s\n' "$lacking" >"$peers/missing/$name"
            printf '%-28s%10s\n' "peer $name $version" "no $lacking"
        # Twice, since a registry may be overloaded for a moment.
        elif install_peer "$name" "$version" "$needs" ||
            install_peer "$name" "$version" "$needs"; then
            rm -f "$peers/missing/$name"
            peer_version "$name" "$version" >"$peers/installed/$name"
        else
            printf 'its installation failed: build/log/peer-%s.log\n' "$name" \
                >"$peers/missing/$name"
            rm -f "$peers/installed/$name"
            show_fault "$logs/peer-$name.log"
            status=1
        fi
    done < <(grep -v '^ *\(#\|$\)' tools/peers.txt)
    return "$status"
}

install_peer() {
    try_step "peer $1 $2" "peer-$1" "install_by_${3%%-*}" "$1" "$2"
}

peer_stamp() {
    cat "$peers/installed/$1" 2>/dev/null || true
}

# The version in the tests' spelling. A program of farlink is built again when its source changes.
peer_version() {
    local own=tests/interop/${1}_peer
    if [ -d "$own" ]; then
        printf '%s (%.8s)\n' "$2" "$(find "$own" -type f -print0 | sort -z | xargs -0 cat |
            sha256sum)"
    else
        printf '%s\n' "$2"
    fi
}

# The part of `TOOL-VERSION` that this machine lacks.
lacking_tool() {
    local tool=${1%%-*} least=${1#*-} have
    case $tool in
    pip) return ;;
    go) have=$(go env GOVERSION 2>/dev/null || true) ;;
    *) tool=cargo have=$(cargo --version 2>/dev/null || true) ;;
    esac
    [[ $have =~ [0-9]+(\.[0-9]+)+ ]] || { echo "$tool" && return; }
    printf '%s\n' "$least" "${BASH_REMATCH[0]}" | sort --check --version-sort 2>/dev/null ||
        echo "$tool $least"
}

install_by_pip() {
    [ -x "$peers/python/bin/python" ] || python3 -m venv "$peers/python"
    nice -n 19 "$peers/python/bin/python" -m pip install --quiet "$1==$2"
}

install_by_cargo() {
    nice -n 19 env CARGO_BUILD_JOBS=1 cargo install "$1" --version "$2" --locked --force \
        --root "$peers/$1" --target-dir "$peers/build/$1" &&
        rm -rf "$peers/build/$1"
}

# farlink's lock file does not name the registry; the configuration of cargo does.
install_by_crate() {
    local at=$peers/build/$1 own=tests/interop/${1}_peer registry
    rm -rf "$at/source" && mkdir -p "$at" "$peers/$1/bin" && cp -r "$own" "$at/source" &&
        rm -f "$at/source/Cargo.lock" &&
        (cd "$at/source" && cargo generate-lockfile --quiet) &&
        registry=$(sed -n '/^source = /{s/^source = "\(.*\)"$/\1/p;q}' "$at/source/Cargo.lock") &&
        sed "s|^source = \"registry\"$|source = \"$registry\"|" "$own/Cargo.lock" \
            >"$at/source/Cargo.lock" &&
        nice -n 19 env CARGO_BUILD_JOBS=1 cargo build --release --locked \
            --manifest-path "$at/source/Cargo.toml" --target-dir "$at/target" &&
        cp "$at/target/release/$1-peer" "$peers/$1/bin/" &&
        rm -rf "$at"
}

# The module's own list of checksums is kept with the tests.
install_by_go() {
    local at=$peers/build/$1 own=tests/interop/${1//-/_}_module
    rm -rf "$at" && mkdir -p "$at" "$peers/$1/bin" && cp "$own"/go.mod "$own"/go.sum "$at/" &&
        (cd "$at" && nice -n 19 env GOFLAGS=-p=1 go build -mod=mod -ldflags=-checklinkname=0 \
            -o "$peers/$1/bin/" "github.com/dtn7/dtn7-go/cmd/dtnd") &&
        rm -rf "$at"
}
