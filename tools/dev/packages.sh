# SPDX-License-Identifier: Apache-2.0
# Installs what tools/packages.txt asks for and is not there yet. Sourced by farlink-dev.

# The packages of the groups named.
packages_of() {
    awk -v groups=" $* " -v machine="$(dpkg --print-architecture)" '
        /^#/ || !NF { next }
        { split($2, where, "/") }
        index(groups, " " where[1] " ") && (where[2] == "" || where[2] == machine) { print $1 }
    ' tools/packages.txt | sort -u
}

# Those of the packages named that are not installed, nor provided by one that is: a nodejs from
# elsewhere may bring npm along.
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
    # Without the network the packages may still lie in apt's cache.
    "${apt[@]}" update || true
    "${apt[@]}" install --no-install-recommends "$@"
}

# need GROUP...: makes sure that the groups' packages are installed. Does not touch the network
# when they are.
need() {
    [ -z "${FARLINK_SKIP_PACKAGES:-}" ] || return 0
    command -v dpkg-query >/dev/null ||
        fail "this is not Debian: install what tools/packages.txt names your way, then set" \
            "FARLINK_SKIP_PACKAGES=1"
    local missing
    mapfile -t missing < <(missing_of $(packages_of "$@"))
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        # A password can only be asked for at a terminal.
        { command -v sudo && { sudo -n true || { [ -t 0 ] && sudo -v; }; }; } >/dev/null 2>&1 ||
            fail "these packages are missing, and installing them takes root or sudo:" \
                "${missing[*]}"
    fi
    step "packages (${#missing[@]})" packages install_packages "${missing[@]}"
}
