"""Runs parts on a cluster, through Dask's distributed engine (an optional package)."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Iterator, Sequence
from uuid import uuid4

from slotscope.model.errors import UserError
from slotscope.model.lab.executor import PATIENCE, Cancelled, ExecutorError, Finished, settled
from slotscope.model.lab.parts import Attempt, Part, attempt, program_version

#: The address that means a temporary cluster on this machine.
LOCAL = "local"

#: The protocols that an address can begin with.
PROTOCOLS = ("tcp", "tls", "ws", "wss", "ucx")

#: Seconds to wait for a scheduler's answer.
TIMEOUT = 10.0

#: States of a future whose outcome was lost with its worker, and that the cluster computes again.
_AGAIN = ("lost", "pending")

ALLOWED = f"'{LOCAL}' for a cluster on this machine, or the address of a Dask scheduler such as tcp://10.0.0.1:8786"


class DaskCluster:
    """Runs parts on the workers of a Dask cluster; see :class:`model.lab.executor.Executor`.

    - *address*: That of the scheduler, or :data:`LOCAL`.
    - *workers*: The number of processes of a local cluster; a cluster at an address has its own.

    Raises UserError if Dask is not installed, or the address is invalid.
    """

    def __init__(self, address: str, workers: int) -> None:
        self._address = address
        self._workers = workers
        self.abreast = 1  # how many workers are free for these parts is not known
        self._distributed = _distributed()
        if address != LOCAL and address.partition("://")[0] not in PROTOCOLS:
            raise UserError(f"found '{address}', allowed: {ALLOWED}", where="--cluster")

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """The parts with their outcomes, as they finish; the longest parts are started first."""
        if not parts:
            return
        finished: SimpleQueue[Any] = SimpleQueue()
        with self._client() as client:
            part_of = {}
            for part in sorted(parts, key=lambda part: -part.length):
                # A unique key, so that results which another client asked for are not reused.
                future = client.submit(attempt, part, key=f"{part.key}-{uuid4().hex}", pure=False)
                part_of[future] = part
                future.add_done_callback(finished.put)
            while part_of and not cancelled():
                try:
                    future = finished.get(timeout=PATIENCE)
                except Empty:
                    self._check(client)
                    continue
                if future.status in _AGAIN:
                    future.add_done_callback(finished.put)
                    continue
                part = part_of.pop(future)
                yield part, settled(part, self._answer(future, part))

    @contextmanager
    def _client(self) -> Iterator[Any]:
        # Otherwise their messages would appear between the output lines of the command.
        for name in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with self._scheduler() as scheduler, self._connected(scheduler) as client:
            try:
                yield client
            finally:
                client.cancel(list(client.futures), force=True)

    @contextmanager
    def _scheduler(self) -> Iterator[Any]:
        if self._address != LOCAL:
            yield self._address
            return
        with self._distributed.LocalCluster(
            n_workers=self._workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster:
            yield cluster

    def _connected(self, scheduler: Any) -> Any:
        try:
            return self._distributed.Client(scheduler, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError, TypeError):
            raise UserError(
                f"no Dask scheduler answers at '{self._address}'; allowed: {ALLOWED}", where="--cluster"
            ) from None

    def _check(self, client: Any) -> None:
        if client.status not in {"running", "connecting"}:
            raise ExecutorError(
                f"the Dask scheduler at '{self._address}' is gone; what is finished is kept, and "
                "the same command goes on from there",
                where="--cluster",
            )

    def _answer(self, future: Any, part: Part) -> Attempt:
        if future.status == "finished":
            answer: Attempt = future.result()
            if self._address != LOCAL and answer.version != program_version():
                raise ExecutorError(
                    "the cluster's workers run another version of slotscope, numpy or numba than "
                    "this process; install the same there as here",
                    where="--cluster",
                )
            return answer
        raise ExecutorError(
            f"the cluster could not carry it out ({_reason(future)}); is slotscope installed on "
            "its workers? what is finished is kept, and the same command goes on from there",
            where=part.label,
        )


def _reason(future: Any) -> str:
    if future.status != "error":
        return str(future.status)
    error = future.exception()
    return f"{type(error).__name__}: {error}"[:200]


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise UserError(
            "a cluster needs the package dask[distributed], which is not installed; pip install 'slotscope[cluster]'",
            where="--cluster",
        ) from None
    return distributed
