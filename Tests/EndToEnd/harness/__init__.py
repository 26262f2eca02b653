"""Servers, devices and networks for the end-to-end tests. Nothing here knows what is tested."""

from .api import API, Answer
from .device import Device, Result
from .environment import binary, clock, plain_environment, wait_until
from .json_lines import JSONLines
from .proxy import Proxy
from .server import Server
from . import taskwarrior

__all__ = [
    "API", "Answer", "Device", "JSONLines", "Proxy", "Result", "Server",
    "binary", "clock", "plain_environment", "taskwarrior", "wait_until",
]
