"""Where a step of a lesson stands, and the run that is opened for it."""

from __future__ import annotations

from dataclasses import dataclass

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.forks.changes import Course
from slotscope.model.policies import is_file, source_of
from slotscope.model.policies.choice import policy_choice
from slotscope.model.running.origin import Moment, Origin, opening_line


@dataclass(frozen=True)
class StepPlace:
    """Where a step of a lesson stands, with files found from the folder of the lesson's own."""

    origins: tuple[Origin, ...]  #: one for each policy that runs
    moment: Moment

    def is_of(self, run: Run) -> bool:
        """Whether *run* began as the line says, and was not changed since."""
        return self.origins == tuple(lane.origin for lane in lanes_of(run))

    @property
    def line(self) -> str:
        """The command that opens it."""
        return opening_line(self.origins, self.moment)

    def open(self, kernel: bool = True) -> Run:
        """A run that has this moment, at its start.

        Raises UserError if there is no such scenario, policy or trace, or nobody has allowed a policy's file to run.
        """
        self.check_files()
        first, *others = self.origins
        if not others:
            return Session.open(first.source, first.policy, first.seed, first.trace, kernel)
        policies = [one.policy for one in self.origins]
        return Comparison.open(first.source, policies, first.seed, first.trace, kernel)

    def check_files(self) -> None:
        """Refuse policies' files that nobody has allowed: a lesson may come from anywhere.

        Raises PolicyError if there is no such file, or it may not run.
        """
        from slotscope.model.policies.own.file import read_policy  # which few lessons need
        from slotscope.model.policies.own.trust import check_allowed

        for origin in self.origins:
            course = Course.read(origin.policy)
            for text in (course.policy, *(change.policy for change in course.changes)):
                if text and is_file(name := policy_choice(text).name):
                    check_allowed(name, read_policy(source_of(name)[0]))
