# shellcheck shell=bash
# What the scripts of this project require: Swift, and Debian packages. Sourced, not run.

# The oldest Swift that can read Package.swift.
readonly SWIFT_MINIMUM=6.2

# What a build needs besides Swift: the system libraries of Package.swift, what SwiftPM and the linker call, and what
# Swift's own programs are linked to.
# shellcheck disable=SC2034  # read by the scripts that source this file
readonly BUILD_PACKAGES=(
    ca-certificates g++ git pkg-config
    libargon2-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libcurl4-openssl-dev libedit-dev libncurses-dev libpq-dev
    libsqlite3-dev libxml2-dev tzdata zlib1g-dev
)

# How programs are built to be installed, as in the README; the page Contributing says why with the toolset.
# shellcheck disable=SC2034  # read by the scripts that source this file
readonly RELEASE_FLAGS=(
    -c release --static-swift-stdlib --toolset "$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/release.json"
)

# Builds programs as they are installed, unless SATCHEL_BIN names the directory of programs; exports SATCHEL_BIN.
# Usage: use_release_programs TOP PRODUCT...; TOP is the checkout's directory
use_release_programs() {
    local -r flags=(--package-path "$1" "${RELEASE_FLAGS[@]}")
    local product
    if [[ -z ${SATCHEL_BIN:-} ]]; then
        for product in "${@:2}"; do swift build "${flags[@]}" --product "$product" >&2; done
        SATCHEL_BIN=$(swift build "${flags[@]}" --show-bin-path)
    fi
    SATCHEL_BIN=$(cd "$SATCHEL_BIN" && pwd)
    export SATCHEL_BIN
}

# Says what went wrong and ends the script.
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Puts Swift on the PATH, or says how to get it.
use_swift() {
    local place
    for place in "$(command -v swift || true)" "$HOME/.local/share/swiftly/bin/swift" /opt/swift/usr/bin/swift \
        /usr/local/swift/usr/bin/swift; do
        if is_recent_swift "$place"; then
            PATH="$(dirname "$place"):$PATH"
            return
        fi
    done
    fail "Swift $SWIFT_MINIMUM or newer is needed and was not found.
Install it from https://www.swift.org/install/linux/ (swiftly, or the archive for Debian 12), check that
\`swift --version\` works, and run this script again."
}

# Whether a file is a Swift toolchain's driver and new enough. (OpenStack has a program of that name, too.)
is_recent_swift() {
    local version
    [[ -x $1 ]] || return
    version=$("$1" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    [[ -n $version && $(printf '%s\n' "$SWIFT_MINIMUM" "$version" | sort -V | head -n 1) == "$SWIFT_MINIMUM" ]]
}

# Installs those of the given Debian packages that are missing, or prints their names.
install_packages() {
    local -a missing
    if ! command -v apt-get dpkg-query >/dev/null; then
        printf 'This system is not Debian. The build requires these packages, by their Debian names: %s\n' "$*" >&2
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    can_be_root || fail "these packages are missing: ${missing[*]}
Install them, and run this script again:
  sudo apt-get update && sudo apt-get install -y ${missing[*]}"
    printf 'Installing from apt: %s\n' "${missing[*]}"
    as_root apt-get -qq update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Prints those of the given packages that are not installed.
missing_packages() {
    local package
    for package; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
    done
}

# Whether commands can run as root: by sudo without a password, or by asking for it if there is a terminal.
can_be_root() {
    ((EUID == 0)) || { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Passes on the output of swift build. Progress is shown in one line that is overwritten, or, without a terminal, in a
# line every few seconds. Warnings about files of other packages are left out.
show_progress() {
    local line next=0
    while IFS= read -r line; do
        case $line in
            "warning: "*" file(s) which are unhandled; "* | *"/.build/checkouts/"*) ;;
            "["[0-9]*/[0-9]*"]"* | Fetch* | Comput* | Creating* | Working* | Updat*)
                if [[ -t 1 ]]; then
                    printf '\r\033[K%.79s' "$line"
                elif ((SECONDS >= next)); then
                    printf '  %s\n' "$line"
                    next=$((SECONDS + 5))
                fi
                ;;
            *) if [[ -t 1 ]]; then printf '\r\033[K%s\n' "$line"; else printf '  %s\n' "$line"; fi ;;
        esac
    done
}
