"""Ends a read that takes too long: from another thread, or by cancelling the task.

An alarm is set before each read and stopped after it. That costs an attribute: whoever watches
looks when the time of an earlier read is over, and again when that of the present one is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

NEVER = inf


class Alarm:
    """For a Reader. ``ring`` is called in another thread, and ends the read."""

    __slots__ = ("_is_watched", "_rang", "_ring", "at")

    def __init__(self, ring: Callable[[], object] | None) -> None:
        self._ring: Any = ring
        self._rang = False
        self._is_watched = False
        self.at = NEVER
        """When to ring, by ``time.monotonic()``."""

    def set(self, at: float) -> None:
        """Ring at ``at``, unless stopped before. Nothing rings where nothing can end the read."""
        if self._ring is None or at == NEVER:
            return
        self.at = at
        if not self._is_watched or at < _watch.looks_at:
            self._is_watched = True
            _watch.add(self)

    def stop(self) -> bool:
        """Do not ring; whether it has rung."""
        self.at = NEVER
        rang, self._rang = self._rang, False
        return rang

    def ring(self) -> None:
        """It is time."""
        self._rang = True
        self.at = NEVER
        with suppress(Exception):  # in this moment the response was closed
            self._ring()

    def end(self) -> None:
        """It is never set again."""
        if self._is_watched:
            _watch.remove(self)


class _Watch:
    """One thread for all alarms of the process; it is there while there are any."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Watch nothing. A child of fork has none of its parent's threads, and perhaps a lock
        that nobody will release."""
        self._alarms: set[Alarm] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self.looks_at = NEVER
        """When the thread looks next. Who sets an alarm to an earlier time has to wake it."""

    def add(self, alarm: Alarm) -> None:
        with self._changed:
            self._alarms.add(alarm)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="untorn", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, alarm: Alarm) -> None:
        with self._changed:
            self._alarms.discard(alarm)
            if not self._alarms:
                self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while self._alarms:
                now = monotonic()
                for alarm in list(self._alarms):  # a copy: one may end here, as garbage
                    if alarm.at <= now:
                        alarm.ring()
                # In this order: an alarm that is set meanwhile is seen here, or wakes us.
                self.looks_at = NEVER
                self.looks_at = min([alarm.at for alarm in list(self._alarms)], default=NEVER)
                self._changed.wait(min(self.looks_at - now, threading.TIMEOUT_MAX))
            self._thread = None
            self.looks_at = NEVER


_watch = _Watch()

with suppress(AttributeError):  # there is none on Windows
    os.register_at_fork(after_in_child=_watch.begin_anew)


class TaskAlarm:
    """For an AsyncReader: cancels the task that reads.

    As with ``asyncio.timeout``, somebody else's cancellation is not taken for this one.
    """

    __slots__ = ("_asyncio", "_at", "_before", "_looks_at", "_rang", "_task", "_timer")

    def __init__(self) -> None:
        import asyncio  # who reads synchronously need not load it

        self._asyncio = asyncio
        self._task: Any = None  # the one that reads
        self._timer: asyncio.TimerHandle | None = None
        self._at = self._looks_at = NEVER
        self._before = 0
        self._rang = False

    def set(self, at: float) -> None:
        """Ring at ``at``, unless stopped before."""
        self._at = at
        self._task = self._asyncio.current_task()
        self._before = self._task.cancelling()
        if at < self._looks_at:
            self._look_at(at, monotonic())

    def stop(self) -> bool:
        """Do not ring; whether it has rung, and nobody else has cancelled the task."""
        self._at = NEVER
        task, self._task = self._task, None
        rang, self._rang = self._rang, False
        return bool(rang and task.uncancel() <= self._before)

    def end(self) -> None:
        """It is never set again."""
        if self._timer is not None:
            self._timer.cancel()

    def _look_at(self, at: float, now: float) -> None:
        self.end()
        self._looks_at = at
        if at < NEVER:
            self._timer = self._asyncio.get_running_loop().call_later(at - now, self._look)

    def _look(self) -> None:
        now = monotonic()
        if self._at > now:
            self._look_at(self._at, now)
        else:
            self._at = self._looks_at = NEVER
            self._rang = True
            self._task.cancel()
