"""Logs in without a pause until a line arrives: flood.py PORT FIRST PASSWORD NAME… Prints how many answers had which status.

Half of the log-ins have the right password of one of the names, half a wrong one for an unknown name. Each log-in names
another address as that of a proxy's client, since the server delays the addresses that try wrong passwords. The first log-in
has the number FIRST; floods of the same server need numbers of their own.
"""

import collections
import http.client
import itertools
import json
import sys
import threading

CONNECTIONS = 8


def log_in(port, password, names, first, statuses, is_over):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for number in itertools.count(first, CONNECTIONS):
        if is_over.is_set():
            return
        is_right = number // CONNECTIONS % 2 == 0
        name = names[number // 2 % len(names)] if is_right else f"unknown-{number}"
        body = {"username": name, "password": password if is_right else "a wrong password", "device": {"name": "flood"}}
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
        connection.request("POST", "/v1/sessions", json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        statuses[str(answer.status)] += 1


def main():
    port, start, password, *names = sys.argv[1:]
    statuses, is_over = collections.Counter(), threading.Event()
    threads = [threading.Thread(target=log_in, args=(int(port), password, names, int(start) + index, statuses, is_over))
               for index in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    print("began", flush=True)
    sys.stdin.readline()
    is_over.set()
    for thread in threads:
        thread.join()
    print(json.dumps(statuses))


if __name__ == "__main__":
    main()
