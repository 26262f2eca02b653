# shellcheck shell=bash
# What the scripts of this project need of the machine: Swift, and packages of Debian's. Sourced, not run.

# The oldest Swift that takes Package.swift.
readonly SWIFT_MINIMUM=6.2

# What a build needs besides Swift: the system libraries of Package.swift, what SwiftPM and the linker call, and what
# Swift's own programs are linked to.
# shellcheck disable=SC2034  # read by the scripts that source this file
readonly BUILD_PACKAGES=(
    ca-certificates g++ git pkg-config
    libargon2-dev libcurl4-openssl-dev libedit-dev libncurses-dev libsqlite3-dev libxml2-dev tzdata zlib1g-dev
)

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
Get it from https://www.swift.org/install/linux/ (swiftly, or the archive for Debian 12), see that
\`swift --version\` answers, and start this again."
}

# Whether a file is a Swift toolchain's driver and new enough. (OpenStack has a program of that name, too.)
is_recent_swift() {
    local version
    [[ -x $1 ]] || return
    version=$("$1" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    [[ -n $version && $(printf '%s\n' "$SWIFT_MINIMUM" "$version" | sort -V | head -n 1) == "$SWIFT_MINIMUM" ]]
}

# Installs those of the given Debian packages that are missing; says so where it can't.
install_packages() {
    local -a missing
    if ! command -v apt-get dpkg-query >/dev/null; then
        printf 'This is no Debian. The build needs what Debian calls: %s\n' "$*" >&2
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    can_be_root || fail "these packages are missing: ${missing[*]}
Install them, and start this again:
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

# Whether root's rights can be had without waiting for an answer that nobody is there to give.
can_be_root() {
    ((EUID == 0)) || { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Passes swift build's output on, but progress in one line that is written over, or, where no terminal shows it, in a line
# every few seconds; and without its remarks about files in other people's packages.
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
