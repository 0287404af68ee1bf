"""A Spark session: the running one of this process, or a new one, started quietly when it is needed."""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from pyspark import Broadcast, SparkConf, SparkContext, java_gateway
from pyspark.accumulators import AccumulatorTCPServer, AccumulatorUnixServer
from pyspark.java_gateway import launch_gateway

from checker.core.effort import Effort, effort_of, processes_with
from checker.core.patience import Patience, Stop
from checker.core.problems import EnvironmentProblem
from checker.search.spark.interruption import interruptions
from checker.search.spark.java import java_home
from checker.search.spark.master import in_one_process, on_this_machine, with_retries
from checker.search.spark.scratch import Scratch, sweep
from checker.search.spark.troubles import JAVA_DIED, MASTER_REFUSED, explained, root_cause

Found = TypeVar("Found")

DEFAULT_MASTER: Final = "local[*]"
_OURS: Final = "spark.fizzpy."
_READ_HERE: Final = ("spark.default.parallelism", "spark.master")
"""Settings that count whatever the session was started with."""
_TICK_S: Final = 0.1
_PATIENCE_S: Final = 10.0
_MOST: Final = 300
_ARRIVAL_S: Final = 15.0
"""How long to wait for executors."""
_STEADY_S: Final = 2.0
"""No more executors are expected if none has come for so long."""
_QUIET: Final = {
    "spark.port.maxRetries": "100",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # What is shuffled here is deflated already, but for keys, which are random.
    "spark.shuffle.compress": "false",
    # Any executor can do any task at about the same cost, so none is worth three seconds of waiting.
    "spark.locality.wait": "100ms",
}
# Java processes only move bytes. Without its second compiler one starts, and answers, in half the time.
_LIGHT: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_NIMBLE: Final = {"spark.driver.extraJavaOptions": _LIGHT, "spark.executor.extraJavaOptions": _LIGHT}
# With network sockets, small tasks spend most of their time waiting for acknowledgements.
_BY_FILE_SOCKETS: Final = {"spark.python.unix.domain.socket.enabled": "true"}
_AT_HOME: Final = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


class JobThread:
    """The thread that starts Spark and runs all jobs, so that the main thread is free to be interrupted.

    There is one for all jobs: py4j keeps a connection and a Java thread for every thread that ever called.
    """

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="spark-jobs", daemon=True).start()

    def put(self, function: Callable[[], Found]) -> Future[Found]:
        """Call a function after those put before; its future result."""
        future: Future[Found] = Future()
        self._waiting.put((function, future))
        return future

    def close(self) -> None:
        """End the thread after what is waiting."""
        self._waiting.put(None)

    def _serve(self) -> None:
        while (call := self._waiting.get()) is not None:
            function, future = call
            try:
                future.set_result(function())
            except BaseException as failure:  # noqa: BLE001 - the caller that waits for the result gets it
                future.set_exception(failure)


@dataclass(slots=True)
class SparkConnection:
    """A Spark context that jobs can be run on. `started`: its Java process, if this run started it.

    `web_ui`: the address of Spark's web UI, if it has one.
    """

    context: SparkContext
    started: JavaProcess | None = None
    job_thread: JobThread = field(default_factory=lambda: JobThread())
    web_ui: str | None = field(init=False)

    _before: dict[int, float] = field(default_factory=dict)
    """The CPU seconds of Java processes when this run began, if they were there already."""

    def __post_init__(self) -> None:
        self.web_ui = self.context.uiWebUrl
        if self.started is None:
            self._before = {process: effort_of(process).cpu_s for process in self._java_here()}

    @property
    def in_one_process(self) -> bool:
        """Do the workers see what the driver sees?"""
        return in_one_process(str(self.context.master))

    @property
    def on_this_machine(self) -> bool:
        """Do all workers see the folders of this machine?"""
        return on_this_machine(str(self.context.master))

    def broadcast(self, value: bytes) -> Broadcast[bytes]:
        """Send a value to all workers."""
        try:
            return self.context.broadcast(value)
        except Exception as failure:
            raise self.trouble(failure) from failure

    def run(
        self, group: str, title: str, work: Callable[[bytes], bytes], items: Sequence[bytes], tick: Callable[[], None]
    ) -> list[bytes]:
        """One job with one task per item, in order. `tick` is called while it runs; an interruption cancels it."""

        def job(context: SparkContext) -> list[bytes]:
            return context.parallelize(items, len(items)).map(work).collect()

        return self.perform(group, title, job, tick)

    def perform(self, group: str, title: str, job: Callable[[SparkContext], Found], tick: Callable[[], None]) -> Found:
        """What a function makes of the context in the thread of jobs. `tick` is called meanwhile, as for `run`."""

        def grouped() -> Found:
            self.context.setJobGroup(group, title)
            return job(self.context)

        future = self.job_thread.put(grouped)
        try:
            while True:
                try:
                    return future.result(timeout=_TICK_S)
                except NotYet:
                    if future.done():
                        raise
                    tick()
        except (KeyboardInterrupt, Stop):
            self.cancel(group)
            raise
        except Exception as failure:
            raise self.trouble(failure) from failure

    def cancel(self, group: str) -> None:
        """Cancel the jobs of a group."""
        self.context.cancelJobGroup(group)

    @property
    def is_over(self) -> bool:
        """Whether no job will be run any more: the Java process is dead, or the master has turned the run away."""
        return (self.started is not None and self.started.dead) or bool(self._scala.isStopped())

    def trouble(self, failure: Exception) -> Exception:
        """What to raise for a failure of Spark."""
        if self.started is not None and self.started.dead:
            return JAVA_DIED
        return MASTER_REFUSED if self._scala.isStopped() else explained(failure, self._local_dir)

    @property
    def _local_dir(self) -> str | None:
        """The folder of Spark's own files, if this run chose it."""
        return None if self.started is None else str(self.started.folder)

    @property
    def _scala(self) -> Any:
        """The context as Spark itself sees it."""
        return self.context._jsc.sc()

    @property
    def has_no_executor(self) -> bool:
        """Is there no executor on other machines yet, where tasks need one?"""
        return not self.in_one_process and len(self._scala.statusTracker().getExecutorInfos()) < 2

    def cores(self, asked: int | None) -> int:
        """How many tasks can run at a time, once the executors that were asked for are there.

        Executors take seconds to come, and until then Spark reports two cores. Waits until there are as many cores as
        were asked for, or until no more come.
        """
        steady, before = 0.0, 0
        begun = time.monotonic()
        while not self.in_one_process and time.monotonic() - begun < _ARRIVAL_S and steady < _STEADY_S:
            executors = len(self._scala.statusTracker().getExecutorInfos()) - 1
            if asked is not None and executors > 0 and self.context.defaultParallelism >= asked:
                break
            steady = steady + _TICK_S if executors == before and executors > 0 else 0.0
            before = executors
            time.sleep(_TICK_S)
        if before == 0 and asked is not None and not self.in_one_process:
            # No executor yet: assume that those asked for will come.
            return asked
        return max(1, int(self.context.defaultParallelism))

    def effort(self) -> Effort:
        """What the Java processes on this machine have spent for this run: the driver's and those of executors.

        Of a session that was there before, what was spent before is left out, and memory is that of all its runs.
        """
        found = Effort()
        for process in self._java_here():
            spent = effort_of(process)
            found += Effort(max(0.0, spent.cpu_s - self._before.get(process, 0.0)), spent.memory_mb)
        return found

    def unseen(self) -> str | None:
        """What `effort` lacks, in words; None if nothing."""
        if self.in_one_process or self.is_over:
            return None
        elsewhere = len(self._scala.statusTracker().getExecutorInfos()) - 1 - len(processes_with(self._app_option))
        return f"Java of {elsewhere} executors on other machines" if elsewhere > 0 else None

    def _java_here(self) -> list[int]:
        """The process that the driver talks to, and the executors of this application that run on this machine."""
        driver = getattr(SparkContext._gateway, "proc", None)
        return [*([] if driver is None else [driver.pid]), *processes_with(self._app_option)]

    @property
    def _app_option(self) -> tuple[str, str]:
        """What the command line of each executor has."""
        return "--app-id", str(self.context.applicationId)

    def close(self, patience: Patience | None = None) -> None:
        """Stop the session, if this run started it; at once if the patience is over."""
        patience = patience or Patience()
        if self.started is None:
            self.job_thread.close()
            return
        stopping = self.job_thread.put(self._stop)
        self.job_thread.close()
        while not stopping.done():
            if patience.over is not None:
                self.started.give_up()
            wait([stopping], _TICK_S)
        stopping.result()
        self.started.close(patience)

    def _stop(self) -> None:
        try:
            with warnings.catch_warnings():
                # Spark warns if its process has ended before.
                warnings.simplefilter("ignore")
                self.context.stop()
        except Exception as failure:
            if not isinstance(failure, OSError) and not (self.started is not None and self.started.dead):
                raise
            # The process is gone. The second call skips stopping it, and forgets the rest.
            self.context.stop()


class JavaProcess:
    """The Java process that Spark runs in, with a folder and a log of its own."""

    def __init__(self) -> None:
        # A session that was stopped leaves its process behind, for the next one.
        self.inherited = SparkContext._gateway is not None
        sweep()
        self._scratch = Scratch("spark")
        self.folder = self._scratch.path
        # A file without a name: the terminal is for the report.
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - the process writes to it as long as it lives
        self._gateway: Any = None
        """pyspark's connection to the process, if this run started it."""
        self._process: subprocess.Popen[bytes] | None = None
        """The process itself, as soon as it exists."""
        self._unwanted = False

    def start(self, master: str, conf: Mapping[str, str]) -> SparkContext:
        chosen = {"spark.app.name": "fizzpy", "spark.local.dir": str(self.folder), **_QUIET, **_NIMBLE}
        if on_this_machine(master):
            chosen |= _AT_HOME
            if sys.platform == "linux":
                chosen |= _BY_FILE_SOCKETS
        settings = SparkConf(loadDefaults=False)
        for key, value in (chosen | dict(conf) | {"spark.master": with_retries(master)}).items():
            settings.set(key, value)
        gateway = None
        if not self.inherited:
            _end_quietly()
            with self._seen():
                gateway = launch_gateway(  # type: ignore[no-untyped-call]
                    settings, {"stdout": self.log, "stderr": self.log}
                )
            self._gateway = gateway
            if self._unwanted:
                raise KeyboardInterrupt
        return SparkContext(conf=settings, gateway=gateway)

    def give_up(self) -> None:
        """Kill the process, so that calls under way end soon."""
        self._unwanted = True
        if self._process is not None:
            self._process.kill()

    @property
    def dead(self) -> bool:
        return self._gateway is not None and self._gateway.proc.poll() is not None

    def effort(self) -> Effort:
        """What the process has spent so far; none if this run did not start it."""
        return Effort() if self._gateway is None else effort_of(self._gateway.proc.pid)

    @contextmanager
    def _seen(self) -> Iterator[None]:
        """Get the process as soon as pyspark has started it, and not when it has answered, which takes a second."""

        def started(*arguments: Any, **given: Any) -> subprocess.Popen[bytes]:
            self._process = subprocess.Popen(*arguments, **given)
            return self._process

        java_gateway.Popen = started  # type: ignore[assignment,attr-defined]
        try:
            yield
        finally:
            java_gateway.Popen = subprocess.Popen  # type: ignore[attr-defined]

    def close(self, patience: Patience | None = None) -> None:
        """End the process if this run started it, and make pyspark forget it.

        Once the patience is over it is not waited for.
        """
        if self._gateway is not None:
            SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
            if not self.dead:
                self._gateway.shutdown()
            _end(self._gateway.proc, patience or Patience())
        self.log.close()
        self._scratch.close()

    def last_line(self) -> str:
        """The last line that the process wrote."""
        self.log.seek(0)
        said = [line.strip() for line in self.log.read().decode(errors="replace").splitlines() if line.strip()]
        return said[-1] if said else ""


def _end_quietly() -> None:
    """Print nothing of pyspark's servers: a Java process that ends first breaks its connections with them."""
    for server in (AccumulatorTCPServer, AccumulatorUnixServer):
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
    # py4j logs that, and raises it too.
    logging.getLogger().addFilter(_not_of_py4j)


def _not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _end(process: subprocess.Popen[bytes], patience: Patience) -> None:
    """End a Java process, which lives as long as the pipe to it is open."""
    if process.stdin is not None:
        process.stdin.close()
    end = time.monotonic() + _PATIENCE_S
    while process.poll() is None:
        if patience.over is not None or time.monotonic() >= end:
            process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TICK_S)


def open_session(
    master: str,
    conf: Mapping[str, str],
    java: Path,
    patience: Patience | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> SparkConnection:
    """The running session of this process, with any master; else a new one.

    `say` hears if a session that runs is not what was asked for. Raises `EnvironmentProblem` if Spark does not start,
    `Stop` if the patience is over first.
    """
    running = SparkContext._active_spark_context
    if running is not None:
        _say_what_is_used(running, master, conf, say)
        return SparkConnection(running)
    job_thread = JobThread()
    patience = patience or Patience()
    with interruptions() as interruption:
        process = JavaProcess()
        try:
            with _surroundings(master, java_home(java, process.folder)):
                starting = job_thread.put(lambda: process.start(master, conf))
                while not starting.done():
                    wait([starting], _TICK_S)
                    if interruption.asked or patience.over is not None:
                        process.give_up()
            context = starting.result()
            interruption.heed()
            patience.ask()
        except BaseException as failure:
            reason = _reason(failure, process)
            job_thread.close()
            process.close()
            interruption.heed()
            patience.ask()
            if not isinstance(failure, Exception):
                raise
            raise EnvironmentProblem(
                f"Spark does not start with the master '{master}': {reason}",
                "check --master, --conf and the Java in use; --engine embedded needs none of them",
            ) from failure
    return SparkConnection(context, process, job_thread)


def _say_what_is_used(running: SparkContext, master: str, conf: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Say so if the session of a notebook is used although another master, or settings, were asked for."""
    own = (DEFAULT_MASTER, running.master)
    unused = ["--master"] if master not in own else []
    set_already = running.getConf()
    unused += [
        f"--conf {key}"
        for key, value in conf.items()
        if not key.startswith(_OURS) and key not in _READ_HERE and set_already.get(key) != value
    ]
    if unused:
        names = ", ".join(unused)
        say(f"the Spark session of this process is used, whose master is {running.master}; not used: {names}")


@contextmanager
def _surroundings(master: str, home: Path) -> Iterator[None]:
    """Set the environment variables that Spark reads while it starts."""
    wanted = {"JAVA_HOME": str(home)}
    if on_this_machine(master):
        wanted |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _reason(failure: BaseException, process: JavaProcess) -> str:
    """What went wrong at the start, in one line: the root of Java's exception, or the last line of its process."""
    return root_cause(str(failure)) or process.last_line()[:_MOST] or str(failure)[:_MOST]
