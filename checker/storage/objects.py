"""`Objects`: whole objects below an address of an object store or of HDFS, through pyarrow. None is ever renamed.

An object is there once it has been written to its end, and replaced as a whole. A store that does not answer is asked
again for a while.
"""

from __future__ import annotations

import atexit
import io
import re
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar, cast

from checker.core.problems import EnvironmentProblem

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

Found = TypeVar("Found")

PATIENCE_S: Final = 120.0
"""How long a store may not answer."""
_AT_FIRST_S: Final = 10.0
"""How long it may not answer at first: perhaps the address is wrong."""
_FIRST_WAIT_S: Final = 0.2
_LONGEST_WAIT_S: Final = 5.0
_ASKS_EACH_S: Final = 0.2
_BUFFER: Final = 1 << 16
_FINAL: Final = ("ACCESS_DENIED", "NO_SUCH_BUCKET", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH")
"""Errors of S3 that are the same a minute later."""


def pyarrow_fs() -> Any:
    """The module. Raises `EnvironmentProblem` without pyarrow."""
    try:
        from pyarrow import fs
    except ImportError:
        raise EnvironmentProblem(
            "an address needs pyarrow, which is not installed", "pip install 'fizzpy[export]', or name a folder"
        ) from None
    return fs


class Objects:
    """The objects below an address. Raises `EnvironmentProblem` if it cannot be used.

    `known`: the driver has used it already.
    """

    def __init__(self, address: str, known: bool = False) -> None:
        self.address = address.rstrip("/")
        fs = pyarrow_fs()
        self._kinds: Any = fs
        try:
            # What Hadoop calls s3a is s3 for all others.
            plain = re.sub("^s3a:", "s3:", self.address, flags=re.IGNORECASE)
            found = fs.FileSystem.from_uri(plain)
        except (OSError, ValueError, NotImplementedError) as failure:
            raise self.unusable(failure) from None
        self._files: FileSystem = found[0]
        self._path: str = found[1].rstrip("/")
        if not known and plain.lower().startswith("s3:"):
            bucket = self._path.partition("/")[0]
            there = self.trying(lambda: self._files.get_file_info(bucket), lambda: None, _AT_FIRST_S)
            if there.type == fs.FileType.NotFound:
                raise self.unusable(FileNotFoundError(f"there is no bucket '{bucket}'"))

    def below(self, name: str) -> Objects:
        """The objects one folder below."""
        found = Objects.__new__(Objects)
        found.address, found._kinds, found._files = f"{self.address}/{name}", self._kinds, self._files
        found._path = f"{self._path}/{name}"
        return found

    def unusable(self, failure: Exception) -> EnvironmentProblem:
        """The problem with a store that refuses, or does not answer."""
        lines = str(failure).strip().splitlines()
        reason = lines[0][:300] if lines else type(failure).__name__
        return EnvironmentProblem(
            f"{self.address} cannot be used: {reason}",
            "hdfs: needs libhdfs and Java (ARROW_LIBHDFS_DIR, JAVA_HOME, CLASSPATH)"
            if self.address.lower().startswith("hdfs:")
            else "check the bucket, its region (AWS_REGION, AWS_ENDPOINT_URL) and the credentials",
        )

    def trying(self, call: Callable[[], Found], ask: Callable[[], None], patience_s: float = PATIENCE_S) -> Found:
        """The result of a call, which is repeated while the store does not answer; `ask` is called meanwhile.

        Raises `FileNotFoundError` for an object that is not there, `EnvironmentProblem` if there is no answer in time.
        """
        begun, wait = time.monotonic(), _FIRST_WAIT_S
        while True:
            ask()
            try:
                return _answered(call, ask)
            except FileNotFoundError:
                raise
            except OSError as failure:
                over = time.monotonic() - begun + wait > patience_s
                if over or any(word in str(failure) for word in _FINAL):
                    raise self.unusable(failure) from failure
            end = time.monotonic() + wait
            while (left := end - time.monotonic()) > 0:
                ask()
                time.sleep(min(left, _ASKS_EACH_S))
            wait = min(2 * wait, _LONGEST_WAIT_S)

    # --- one object -------------------------------------------------------------------------------------------------

    def put(self, name: str, pieces: Iterable[bytes], ask: Callable[[], None]) -> None:
        """Write an object. Attempts that write it twice, or after each other, leave it whole: their bytes are equal."""
        # One write and then the end: a stream that is left in between would leave half of it as an object.
        data = b"".join(pieces)

        def written() -> None:
            target: Any = self._files.open_output_stream(f"{self._path}/{name}")
            target.write(data)
            target.close()

        if not self._has_buckets:
            self.trying(lambda: self._files.create_dir(self._path, recursive=True), ask)
        self.trying(written, ask)

    @property
    def _has_buckets(self) -> bool:
        """Is it a store without folders?"""
        return str(self._files.type_name) == "s3"

    def open(self, name: str) -> BinaryIO:
        """An object, to be read in any order. Raises `OSError`."""
        return cast("BinaryIO", io.BufferedReader(self._files.open_input_file(f"{self._path}/{name}"), _BUFFER))

    def get(self, name: str, ask: Callable[[], None]) -> bytes:
        """All of an object."""

        def read() -> bytes:
            with self.open(name) as file:
                return file.read()

        return self.trying(read, ask)

    def has(self, name: str, ask: Callable[[], None]) -> bool:
        info = self.trying(lambda: self._files.get_file_info(f"{self._path}/{name}"), ask)
        return bool(info.type == self._kinds.FileType.File)

    def remove(self, name: str, ask: Callable[[], None]) -> None:
        """Remove an object, if it is there."""
        with suppress(FileNotFoundError):
            self.trying(lambda: self._files.delete_file(f"{self._path}/{name}"), ask)

    def names(self, ask: Callable[[], None]) -> list[str]:
        """The objects that there are, but for those in folders below."""
        wanted = self._kinds.FileSelector(self._path, allow_not_found=True)
        found = self.trying(lambda: self._files.get_file_info(wanted), ask)
        return sorted(info.base_name for info in found if info.type == self._kinds.FileType.File)


def _answered(call: Callable[[], Found], ask: Callable[[], None]) -> Found:
    """What a request comes to. It may take half a minute to fail, and what `ask` raises does not wait for that."""
    future: Future[Found] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as failure:  # noqa: BLE001 - the caller that waits for the result gets it
            future.set_exception(failure)

    threading.Thread(target=run, name="request", daemon=True).start()
    while True:
        try:
            return future.result(timeout=_ASKS_EACH_S)
        except NotYet:
            if future.done():
                raise
            try:
                ask()
            except BaseException:
                # At its end, pyarrow would wait for the request.
                atexit.unregister(getattr(pyarrow_fs(), "ensure_s3_finalized", _answered))
                raise
