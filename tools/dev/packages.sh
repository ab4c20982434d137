# SPDX-License-Identifier: Apache-2.0
# Installs the packages of tools/packages.txt that are missing. Sourced by farlink-dev.

# The packages of the groups named.
packages_of() {
    awk -v groups=" $* " -v machine="$(dpkg --print-architecture)" '
        /^#/ || !NF { next }
        { split($2, where, "/") }
        index(groups, " " where[1] " ") && (where[2] == "" || where[2] == machine) { print $1 }
    ' tools/packages.txt | sort -u
}

# The named packages that are neither installed nor provided by an installed one: a nodejs from
# another source may provide npm.
missing_of() {
    comm -23 <(printf '%s\n' "$@" | sort -u) <(
        dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' |
            sed -nE 's/^installed //; T; s/\([^)]*\)|,/ /g; s/ +/\n/g; p' | sort -u
    )
}

install_packages() {
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get -q -y -o DPkg::Lock::Timeout=300)
    # Without the network the packages may still be in apt's cache.
    "${apt[@]}" update || true
    "${apt[@]}" install --no-install-recommends "$@"
}

# need GROUP...: installs the groups' packages. Does not use the network when all are installed.
need() {
    [ -z "${FARLINK_SKIP_PACKAGES:-}" ] || return 0
    command -v dpkg-query >/dev/null ||
        fail "this is not Debian: install the packages of tools/packages.txt by hand, then set" \
            "FARLINK_SKIP_PACKAGES=1"
    local missing
    mapfile -t missing < <(missing_of $(packages_of "$@"))
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        # sudo can prompt for a password only at a terminal.
        { command -v sudo && { sudo -n true || { [ -t 0 ] && sudo -v; }; }; } >/dev/null 2>&1 ||
            fail "these packages are missing, and installing them takes root or sudo:" \
                "${missing[*]}"
    fi
    step "packages (${#missing[@]})" packages install_packages "${missing[@]}"
}
