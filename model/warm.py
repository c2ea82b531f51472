"""Runs the kernels of a kind of system for a few events, so that they are compiled and cached."""

from __future__ import annotations

from typing import Iterable, Iterator


def warm(system: str, policies: Iterable[str] = ()) -> Iterator[str]:
    """Compile the kernels of *policies*, or of all policies of a kind of system; yields each name when it is done.

    Kernels in the cache are only loaded.
    """
    from slotscope.model.api import Session
    from slotscope.model.kinds.spec import kind_named

    kind = kind_named(system)
    for policy in policies or kind.kernels:
        session = Session.open(kind.example, policy=policy)
        session.run(events=2000)
        session.run(events=10, stop=tuple(kind.vocabulary.event_kinds))
        yield policy


def warm_questions(system: str, policies: Iterable[str]) -> None:
    """Compile the code by which questions about servers and jobs learn what events change, under each of *policies*."""
    from slotscope.model.kinds.spec import kind_named
    from slotscope.model.questions.counting import prepare_counting
    from slotscope.model.scenario.load import load_scenario
    from slotscope.model.session.bench import open_bench

    prepare_counting()
    kind = kind_named(system)
    for policy in policies:
        open_bench(load_scenario(kind.example), policy).prepare(questions=True)
