#!/usr/bin/env python3
"""Runs schemathesis against the OpenAPI document that a satcheld of its own serves. Tests/fuzz --schemathesis starts it."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "EndToEnd"))

from harness.server import Server  # noqa: E402


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=int, default=600, help="how long requests are sent; 600 by default")
    options.add_argument("--seed", type=int, help="the seed of the requests; another one each time by default")
    options.add_argument("--report", help="a file for the results in JSON")
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="satchel-api-") as directory:
        server = Server(Path(directory))
        try:
            server.start()
            code = check(server, Path(directory), options)
            if server.process.poll() is not None:
                code = 1
                print(f"the server ended with {server.process.returncode}; its log ends so:")
                print(server.log.read_text(errors="replace")[-4000:])
        finally:
            server.close()
    return code


def check(server, directory, options):
    """Runs schemathesis; returns its exit code."""
    # The configuration names the hooks by their absolute path.
    configuration = directory / "schemathesis.toml"
    hooks = f"hooks = {json.dumps(str(HERE / 'hooks.py'))}\n"
    configuration.write_text(hooks + (HERE / "schemathesis.toml").read_text())
    environment = dict(os.environ, SATCHEL_API=server.url)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration), "--no-color", "run",
        server.url + "/v1/openapi.json", "--max-time", str(options.seconds)]
    if options.seed is not None:
        command += ["--seed", str(options.seed)]
    report = options.report or directory / "report.json"
    command += ["--report-json-path", os.path.abspath(report)]
    # Beyond the time that schemathesis keeps to: a request that hangs isn't waited for.
    code = subprocess.run(
        command, env=environment, cwd=directory, timeout=options.seconds + 120, check=False).returncode
    print(summary(json.loads(Path(report).read_text())))
    return code


def summary(report):
    cases = report["test_cases"]
    failed = cases["with_failures"] + cases["errored"]
    return f"{cases['generated'] - failed} passed, {failed} failed"


if __name__ == "__main__":
    sys.exit(main())
