"""Servers, devices and networks for the end-to-end tests. Nothing here depends on a test."""

from .api import API, Answer
from .bad_network import BadNetwork, Fate
from .certificates import Certificates
from .device import Device, Result
from .disk import ReadOnly, SmallDisk
from .environment import binary, clock, plain_environment, wait_until
from .household import Household, in_step
from .json_lines import JSONLines
from .postgres import Cluster, ClusterDatabase, Database
from .programs import program
from .proxy import Proxy
from .server import Server
from .stream import Stream
from . import taskwarrior

__all__ = [
    "API", "Answer", "BadNetwork", "Certificates", "Cluster", "ClusterDatabase", "Database", "Device", "Fate", "Household",
    "JSONLines", "Proxy", "ReadOnly", "Result", "Server", "SmallDisk", "Stream", "binary", "clock", "in_step",
    "plain_environment", "program", "taskwarrior", "wait_until",
]
