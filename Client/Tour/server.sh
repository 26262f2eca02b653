# shellcheck shell=bash
# A server that runs as long as a script. Sourced, not run.

server_pid=
server_url=

# Starts satcheld on loopback and waits until it listens; sets `server_url`.
# Usage: start_server BINARIES DIRECTORY. The port of the last run is used again if it is free, since clients
# remember the address.
start_server() {
    local directory=$2 port=0
    [[ -s $directory/port ]] && port=$(<"$directory/port")
    launch_server "$1" "$directory" "$port" || { ((port)) && launch_server "$1" "$directory" 0; } || {
        tail -n 5 "$directory/server.log" >&2
        fail "the server didn't start; its log is $directory/server.log"
    }
    printf '%s\n' "${server_url##*:}" >"$directory/port"
}

# One attempt. The server has a session of its own, so that Ctrl-C in the terminal reaches only the client.
launch_server() {
    local binaries=$1 directory=$2 port=$3 output=$2/server.out
    : >"$output"
    setsid "$binaries/satcheld" serve --host 127.0.0.1 --port "$port" --data "$directory/server" \
        </dev/null >"$output" 2>>"$directory/server.log" &
    server_pid=$!
    until server_url=$(sed -n 's/^satcheld: listening on //p' "$output") && [[ -n $server_url ]]; do
        kill -0 "$server_pid" 2>/dev/null || { server_pid=; return 1; }
        sleep 0.1
    done
}

# Stops the server that this script has started, if any, and waits for its end.
stop_server() {
    [[ -n $server_pid ]] || return 0
    kill -TERM "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
    server_pid=
}
