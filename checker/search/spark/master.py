"""The master's URL: it is read, and its address is tried before Spark spends a minute on it."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from checker.core.problems import EnvironmentProblem, UsageProblem

_LOCAL: Final = re.compile(r"local(\[(\*|\d+)(\s*,\s*\d+)?\])?")
_LOCAL_CLUSTER: Final = re.compile(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,\s*\d+\s*\]")
_DIGITS: Final = 10
_PORTS: Final = {"spark": 7077, "http": 80, "https": 443}
_PATIENCE_S: Final = 5.0
_ATTEMPTS: Final = 4


def in_one_process(master: str) -> bool:
    """Do driver and tasks run in one process on this machine?"""
    return _LOCAL.fullmatch(master) is not None


def with_retries(master: str) -> str:
    """The same master, in which a task is tried more than once: by itself Spark does not do so within one process."""
    found = _LOCAL.fullmatch(master)
    if found is None or found.group(3) is not None:
        return master
    return f"local[{found.group(2) or 1},{_ATTEMPTS}]"


def on_this_machine(master: str) -> bool:
    return in_one_process(master) or _LOCAL_CLUSTER.fullmatch(master) is not None


def cores_asked(master: str, conf: Mapping[str, str]) -> int | None:
    """How many cores a run asks for by its master or settings; None: as many as there are."""
    cluster = _LOCAL_CLUSTER.fullmatch(master)
    if cluster is not None:
        return max(1, int(cluster.group(1)) * int(cluster.group(2)))
    if in_one_process(master):
        return None
    each = _whole(conf, "spark.executor.cores")
    executors = _whole(conf, "spark.executor.instances")
    asked = [_whole(conf, "spark.cores.max"), (executors or 0) * (each or 1) or None]
    return min((number for number in asked if number), default=None)


def _whole(conf: Mapping[str, str], name: str) -> int | None:
    text = conf.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else None


def refuse_connect(master: str, conf: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> None:
    """Raise `Problem` where Spark Connect is asked for: its sessions have no RDDs, which tasks of this tool are."""
    asked = {
        f"the master '{master}'": master.startswith("sc://"),
        "--conf spark.remote": "spark.remote" in conf,
        "--conf spark.api.mode=connect": conf.get("spark.api.mode") == "connect",
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise UsageProblem(f"{what}: this engine does not run on Spark Connect", _INSTEAD_OF_CONNECT)
    if environment.get("SPARK_REMOTE"):
        where = f"SPARK_REMOTE is {environment['SPARK_REMOTE']}"
    elif environment.get("SPARK_CONNECT_MODE_ENABLED"):
        where = "this process has a session of Spark Connect"
    else:
        return
    raise EnvironmentProblem(f"{where}: this engine does not run on Spark Connect", _INSTEAD_OF_CONNECT)


_INSTEAD_OF_CONNECT: Final = (
    "name the master itself, as --master spark://HOST:7077, without SPARK_REMOTE in the environment; or take the "
    "embedded engine"
)


def check_master(master: str, environment: Mapping[str, str] = os.environ) -> None:
    """Raise `UsageProblem` if this is no master, `EnvironmentProblem` if none of its addresses answers."""
    if on_this_machine(master):
        return
    if master == "yarn":
        if not (environment.get("HADOOP_CONF_DIR") or environment.get("YARN_CONF_DIR")):
            raise EnvironmentProblem(
                "the master is 'yarn', but neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set",
                "set one of them to the folder with the cluster's configuration",
            )
        return
    addresses = list(_addresses(master))
    if not addresses:
        raise UsageProblem(
            f"'{master}' is no Spark master",
            "a master is local[N], local[*], local-cluster[N,CORES,MB], spark://HOST:PORT, yarn or k8s://HOST:PORT",
        )
    reasons = [reason for address in addresses if (reason := _silence(address)) is not None]
    if len(reasons) == len(addresses):
        raise EnvironmentProblem(
            f"the Spark master {master} cannot be reached: {reasons[0]}",
            "check the address and that the master runs; --master local[*] uses this machine alone",
        )


def _addresses(master: str) -> Iterator[tuple[str, int]]:
    """Hosts and ports of a master on other machines; none if the URL is not one of a master."""
    scheme, joint, rest = master.partition("://")
    if not joint or scheme not in ("spark", "k8s"):
        return
    for part in rest.split(",") if scheme == "spark" else [rest]:
        url = urlsplit(part if "://" in part else f"{'spark' if scheme == 'spark' else 'https'}://{part}")
        try:
            port = url.port
        except ValueError:
            return
        if url.hostname:
            yield url.hostname, port or _PORTS.get(url.scheme, 443)


def _silence(address: tuple[str, int]) -> str | None:
    """Why an address does not answer; None if it does."""
    try:
        with socket.create_connection(address, timeout=_PATIENCE_S):
            return None
    except OSError as failure:
        return failure.strerror or str(failure)
