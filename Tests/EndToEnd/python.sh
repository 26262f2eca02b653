# shellcheck shell=bash
# The Python of the tests that drive real binaries. Sourced, not run.

# Makes the virtual environment, or brings it up to what is required; sets `python`, its interpreter.
# Usage: use_python TOP, the checkout's directory
use_python() {
    local venv=$1/.build/end-to-end requirements=$1/Tests/EndToEnd/requirements
    # shellcheck disable=SC2034  # read by the script that sources this file
    python=$venv/bin/python
    # The stamp tells that an installation was finished, and of what.
    cat "$requirements.txt" "$requirements-alone.txt" | cmp -s - "$venv/installed.txt" && return
    python3 -m venv "$venv" || {
        echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2
        return 1
    }
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$requirements-alone.txt"
    cat "$requirements.txt" "$requirements-alone.txt" >"$venv/installed.txt"
}
