# shellcheck shell=bash
# The Python of the tests that drive real binaries. Sourced, not run.

# Creates or updates the virtual environment; sets `python`, its interpreter.
# Usage: use_python TOP, the checkout's directory
use_python() {
    local venv=$1/.build/end-to-end requirements=$1/Tests/EndToEnd/requirements
    # shellcheck disable=SC2034  # read by the script that sources this file
    python=$venv/bin/python
    # The stamp records a finished installation and its requirements.
    cat "$requirements.txt" "$requirements-alone.txt" | cmp -s - "$venv/installed.txt" && return
    python3 -m venv "$venv" || {
        echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2
        return 1
    }
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$requirements-alone.txt"
    cat "$requirements.txt" "$requirements-alone.txt" >"$venv/installed.txt"
}
