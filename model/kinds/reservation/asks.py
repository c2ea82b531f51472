"""Exercise questions on a loss system with slots: servers, migrations, configurations, the order of ranks."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from string import ascii_uppercase
from typing import Mapping, NamedTuple

from slotscope.model.exercises.deciding import At, RoomAsks, from_candidates
from slotscope.model.exercises.posed import Posed, Reader, initials, line_of, numbers_in, refused, vector
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import shown
from slotscope.model.reporting.inspection import SERVER
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, Configuration, Reassign, Record

#: Kinds of sub-step that give away how many servers have room.
_COUNTS = frozenset({"servers_scanned", "sampled_with_room", "servers_compared"})


def _server(at: At) -> Posed | None:
    """The question to which server an arriving job goes."""
    subject = at.subject() if at.happened.event.kind == ARRIVAL else None
    if subject is None:
        return None
    return from_candidates(
        at,
        "server",
        at.tables(subject)[0],
        subject,
        Phrase("The {job} arrives. Which server takes it, or none?", job=_job(at)),
        lambda server: str(server + 1),
        SERVER,
        Phrase("it is rejected"),
        at.before_counted(subject, _COUNTS),
    )


def _job(at: At) -> Phrase:
    event = at.happened.event
    name = at.system.numbers.type_names[event.type]
    return Phrase("{type} job {number}", type=name, number=at.system.job_name(event.job))


def _migration(at: At) -> Posed | None:
    """The question from which server a job migrates into the slot that became empty."""
    event = at.happened.event
    subject = at.subject() if event.kind == DEPARTURE else None
    if subject is None:
        return None
    return from_candidates(
        at,
        "migration",
        at.tables(subject)[0],
        subject,
        Phrase(
            "The {job} leaves server {server}. From which one does a job migrate into its slot, or from none?",
            job=_job(at),
            server=event.server + 1,
        ),
        lambda server: str(server + 1),
        SERVER,
        Phrase("no job migrates"),
    )


#: A layer of pictures that shows GPA's configurations by rank; those of the last CRA may give the answer away.
GREEDY = "greedy configurations"


def _configuration(at: At) -> Posed | None:
    """The question which configuration an empty server gets, or GPA finds."""
    found = next(
        (one for one in at.coming(Record) if isinstance(one[1], Reassign) or one[1].kind == "configuration_found"), None
    )
    if found is None or len(at.system.numbers.pools) > 1:  # with several pools, candidates depend on the pool
        return None
    place, record = found
    reassigned = isinstance(record, Reassign)
    right: Configuration = record.configuration if isinstance(record, Reassign) else record.values["configuration"]
    line, names = line_of(at.system.policy, record.line), ", ".join(at.system.numbers.type_names)
    allowed = Phrase("slots of each type ({types}), such as {example}", types=names, example=shown([0] * len(right)))

    def fault(answer: str) -> str:
        given = numbers_in(answer)
        if given == tuple(right):
            return ""
        if reassigned or at.system.policy.may_fail:
            return f"{at.narrated(record)} ({line})."
        return _not_best(at, record, given, tuple(right), line)

    words = Phrase("Which configuration is k[{i}]? ({types})", i=record.values.get("i", 0), types=names)
    if isinstance(record, Reassign):
        words = Phrase(
            "Empty server {server} is reassigned. Which configuration does it get? ({types})",
            server=record.server + 1,
            types=names,
        )
    return Posed(
        ask="configuration",
        place=place,
        decided=place + 1,
        words=words,
        allowed=allowed,
        read=vector(len(right), allowed),
        fault=fault,
        taken=shown(right),
        reason=f"{at.narrated(record)} ({line}).",
        effort=record.values.get("i", 1),
        veils="" if reassigned else GREEDY,
    )


def _not_best(at: At, record: Record, given: Configuration, right: Configuration, line: str) -> str:
    """Why GPA does not find the *given* configuration; empty if its reward is as large."""
    numbers = at.system.numbers
    space = numbers.space
    if not (all(count >= 0 for count in given) and space.contains(given)):
        return f"{shown(given)} does not fit a server ({line})."
    candidates = record.values["candidates"]
    for j, count in enumerate(given):
        if count and not candidates >> j & 1:
            return f"{numbers.type_names[j]} is exhausted already ({line})."
    less, more = _reward(at, given), _reward(at, right)
    if less >= more:
        return ""
    return f"{shown(given)} earns {float(less):g}, {shown(right)} earns {float(more):g} ({line})."


def _reward(at: At, configuration: Configuration) -> Fraction:
    """The reward rate of a server whose slots of the configuration are all used."""
    rewards = zip(at.system.numbers.rewards, configuration, strict=True)
    return sum((u * k for u, k in rewards if k), Fraction(0))  # with many types, most have no slot


class _Ranking(NamedTuple):
    """Configurations in the order in which GPA finds them, which is the order of their ranks.

    Under a user-written policy the order is that in which the policy finds them, whatever their rewards.
    """

    in_order: tuple[Configuration, ...]
    earns: Mapping[Configuration, Fraction]
    line: str  #: the line of the paper, or of the policy's file
    own: bool  #: whether the policy is user-written

    @property
    def lettered(self) -> dict[str, Configuration]:
        """The configurations by the letters of the question, which are independent of the order."""
        return dict(zip(ascii_uppercase, sorted(self.in_order), strict=False))

    def read(self, text: str, allowed: Phrase) -> str:
        """Read an answer, which must contain each letter exactly once."""
        letters = [one for one in text.upper() if one.isalpha()]
        if sorted(letters) != [*self.lettered]:
            raise refused(text, allowed)
        return " ".join(letters)

    def fault(self, answer: str) -> str:
        """Which configuration the answer has too late in the order, as text; empty if none."""
        given = tuple(self.lettered[name] for name in answer.split())
        if self.own:
            return "" if given == self.in_order else f"the policy's file finds them in another order ({self.line})."
        for one, other in pairwise(given):
            less, more = self.earns[one], self.earns[other]
            if less < more:
                return (
                    f"{shown(other)} earns {float(more):g} and comes before {shown(one)}, which earns "
                    f"{float(less):g} ({self.line})."
                )
        return ""


def _ranks(at: At) -> Posed | None:
    """The question in which order GPA finds configurations."""
    found = [(place, record) for place, record in at.coming(Record) if record.kind == "configuration_found"]
    if not found or found[0][1].values["i"] != 1 or len(at.system.numbers.pools) > 1:
        return None
    in_order = tuple(dict.fromkeys(tuple(record.values["configuration"]) for _, record in found))
    if not 2 <= len(in_order) <= len(ascii_uppercase):
        return None
    earns = {one: _reward(at, one) for one in in_order}
    own = at.system.policy.may_fail
    ranking = _Ranking(in_order, earns, line_of(at.system.policy, found[0][1].line), own)
    lettered = ranking.lettered
    letter = {one: name for name, one in lettered.items()}
    told = ", ".join(f"{name} {shown(one)}" for name, one in lettered.items())
    rewards = ", ".join(f"{float(earns[one]):g}" for one in in_order)
    allowed = Phrase(
        "the letters {letters} in order, such as {example}", letters=", ".join(lettered), example=" ".join(lettered)
    )
    return Posed(
        ask="ranks",
        place=found[0][0],
        decided=found[-1][0] + 1,
        words=Phrase("In which order do these configurations get their ranks? {configurations}", configurations=told),
        allowed=allowed,
        read=Reader(lambda text: ranking.read(text, allowed), initials(*lettered)),
        fault=ranking.fault,
        taken=" ".join(letter[one] for one in in_order),
        reason=f"{'they earn' if own else 'they come by their rewards,'} {rewards} ({ranking.line}).",
        alike=int(not own and len(set(earns.values())) < len(earns)),
        effort=len(in_order),
        veils=GREEDY,
    )


ASKS = RoomAsks(
    {"server": _server, "migration": _migration, "configuration": _configuration, "ranks": _ranks},
    {
        "count": "X̂ of k[{i}], the servers wanted",
        "jobs_left": "r, the jobs left of each type",
        "servers_left": "N, the servers left",
        "held": "X of k[{i}], the servers that hold it",
        "i_star": "I*",
        "missing": "the number of missing servers of k[{i}]",
    },
)
