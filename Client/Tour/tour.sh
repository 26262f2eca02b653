# shellcheck shell=bash
# shellcheck disable=SC2154  # server_url is set in server.sh
# The tour: a demonstration of Satchel. Sourced, not run; needs platform.sh and server.sh.
#
# Every step is checked: a command with an unexpected exit code or output ends the tour with an error. All files of the
# tour are in a temporary directory, which is removed at the end.

tour_directory=
tour_binaries=
tour_output=

# Usage: run_tour BINARIES SAMPLE.
run_tour() {
    tour_binaries=$1
    tour_directory=$(mktemp -d)
    trap end_tour EXIT
    (umask 077 && printf 'correct horse battery staple' >"$tour_directory/password")
    cp "$2" "$tour_directory/sample.json"
    # The tour syncs explicitly, and shows what is unsent until then.
    export SATCHEL_SYNC=manual
    cd "$tour_directory" || fail "can't enter $tour_directory"

    chapter "A new server, and its first account"
    open_server
    import_sample
    work_offline
    add_second_device
    edit_on_both_devices
    compare_devices
    stop_server
    printf '\nThe tour is complete: every step had the expected result.\n'
}

end_tour() {
    stop_server
    rm -rf "$tour_directory"
}

open_server() {
    start_server "$tour_binaries" "$tour_directory"
    printf 'satcheld listens on %s\n' "$server_url"
    on desk register ada --server "$server_url" --password-file password
}

import_sample() {
    chapter "Tasks from Taskwarrior, imported and sent to the server"
    on desk import taskwarrior sample.json
    expect "40"
    on desk sync
    on desk list
    expect "Update a comment to match the code"
    on desk list project:docs
    expect "AUTHORS: Add Scott Mcdermott among authors"
}

work_offline() {
    chapter "The server is stopped. Only sync is affected"
    stop_server
    on desk add "Buy milk" +shop due:tomorrow
    on desk edit bd5a1982 --title "Add Scott McDermott to AUTHORS"
    on desk "done" 9bdb0160
    on desk status
    on_failing desk sync

    chapter "The server runs again: the edits are sent"
    start_server "$tour_binaries" "$tour_directory"
    on desk sync
}

add_second_device() {
    chapter "A second device"
    on laptop login ada --server "$server_url" --password-file password
    on laptop sync
    on laptop list +shop
    expect "Buy milk"
    on laptop show bd5a1982
    expect "Add Scott McDermott to AUTHORS"
}

edit_on_both_devices() {
    chapter "Both devices edit one task without syncing: different fields are merged, the same field is a conflict"
    on desk edit bd5a1982 --title "Thank Scott McDermott in AUTHORS"
    on laptop edit bd5a1982 --title "Name Scott McDermott among the authors"
    on laptop tag bd5a1982 +release
    on desk sync
    on laptop sync
    on laptop conflicts
    expect "Thank Scott McDermott in AUTHORS"
    expect "Name Scott McDermott among the authors"
    on laptop resolve 1 mine
    on laptop show bd5a1982
    expect "Name Scott McDermott among the authors"
    expect "release"
    on laptop sync
    on desk sync
}

occurrences() { grep -o "\"collection\":\"$1\"" desk.json | wc -l; }

compare_devices() {
    chapter "Both devices have the same records, byte for byte"
    export_from desk
    export_from laptop
    cmp desk.json laptop.json || fail "the two devices differ"
    sha256sum desk.json laptop.json
    # The resolved conflict is a record, too, and contains the collection of its task.
    (($(occurrences tasks) - $(occurrences conflicts) == 41)) || fail "there should be 41 tasks"
}

chapter() { printf '\n== %s\n' "$*"; }

# Runs a command of the client on a device, and prints the command and its output; it must succeed.
on() {
    local device=$1
    shift
    run_client "$device" "$@" || fail "the command should have succeeded (exit code $?)"
}

# The same for a command that must fail.
on_failing() {
    local device=$1 code=0
    shift
    run_client "$device" "$@" || code=$?
    ((code != 0)) || fail "the command should have failed"
    printf '(exit code %s)\n' "$code"
}

run_client() {
    local device=$1 code=0
    shift
    show_command "$device" "$@"
    tour_output=$(SATCHEL_HOME=$tour_directory/$device "$tour_binaries/satchel" "$@" 2>&1 </dev/null) || code=$?
    printf '%s\n' "$tour_output"
    return "$code"
}

# Prints a command as it would be typed.
show_command() {
    local word
    printf '\n%s$ satchel' "$1"
    for word in "${@:2}"; do
        if [[ $word == *" "* ]]; then printf ' "%s"' "$word"; else printf ' %s' "$word"; fi
    done
    printf '\n'
}

export_from() {
    printf '\n%s$ satchel export >%s.json\n' "$1" "$1"
    SATCHEL_HOME=$tour_directory/$1 "$tour_binaries/satchel" export >"$1.json"
}

# Fails unless the last output contains a text.
expect() {
    grep -qF -- "$1" <<<"$tour_output" || fail "the output should contain: $1"
}
