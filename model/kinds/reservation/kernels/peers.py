"""Drives the kernels of DRA's peers."""

from __future__ import annotations

from typing import Any, cast

from model.kinds.reservation.kernels import best_fit, power_of_d, static_reservation
from model.kinds.reservation.kernels.driver import Kernel
from model.kinds.reservation.policies.best_fit import Reference as BestFit
from model.kinds.reservation.policies.power_of_d import Reference as PowerOfD
from model.kinds.reservation.policies.static_reservation import Reference as StaticReservation
from model.kinds.reservation.state import ReservationState


class BestFitKernel(Kernel):
    """The compiled twin of :class:`model.kinds.reservation.policies.best_fit.Reference`."""

    function = staticmethod(best_fit.advance)

    def build(self, state: ReservationState) -> Any:
        """Loads, and the tournaments of all types."""
        policy = cast(BestFit, self.system.policy)
        return best_fit.build_index(self.numbers, policy.loads, state)


class PowerOfDKernel(Kernel):
    """The compiled twin of :class:`model.kinds.reservation.policies.power_of_d.Reference`."""

    function = staticmethod(power_of_d.advance)

    def build(self, state: ReservationState) -> Any:
        """Loads, and what the sampling needs."""
        policy = cast(PowerOfD, self.system.policy)
        return power_of_d.build_index(self.numbers, policy.loads, state, policy.choices, policy.key)


class StaticReservationKernel(Kernel):
    """The compiled twin of :class:`..policies.static_reservation.Reference`."""

    function = staticmethod(static_reservation.advance)

    def build(self, state: ReservationState) -> Any:
        """Which servers have an empty slot of which type."""
        policy = cast(StaticReservation, self.system.policy)
        return static_reservation.build_index(self.numbers, policy.plan, state)
