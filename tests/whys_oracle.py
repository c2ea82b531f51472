"""Each condition of a decision, evaluated for one server or job at a time."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

from slotscope.model.reporting.records import Place
from slotscope.model.whys.decision import Setting

Predicate = Callable[[int], bool]


def failed(setting: Setting, table: Any) -> list[int]:
    """The index of the first condition that each candidate fails, found one candidate at a time."""
    known = _TABLES[table.what](setting)
    asked = [known[_key(condition.words, known)] for condition in table.conditions]
    found = []
    for number in table.number_of.tolist():
        place = 0
        while place < len(asked) and asked[place](number):
            place += 1
        found.append(place)
    return found


def _key(words: str, known: dict[str, Predicate]) -> str:
    return max((key for key in known if words.startswith(key)), key=len)


def _configurations(setting: Setting) -> dict[str, Predicate]:
    """The condition on weights, with waiting jobs counted one by one."""
    state, policy = setting.state, setting.system.policy
    lengths = [0] * len(state.queue_length)
    for number, server, came, queue in zip(
        state.job_number, state.job_server, state.job_arrival, state.job_queue, strict=True
    ):
        weighs = server < 0 and not (policy.before and came == state.clock[0])
        lengths[queue] += number >= 0 and (weighs or (server >= 0 and getattr(policy, "preemptive", False)))
    weights = [sum(int(k) * q for k, q in zip(row, lengths, strict=True)) for row in policy.configurations]
    first, end = policy.pool_configurations[setting.system.numbers.pool_of[setting.subject.on[0]]]
    return {"has the largest weight": lambda one: weights[one] == max(weights[first:end])}


def _servers(setting: Setting) -> dict[str, Predicate]:
    return _SERVERS[setting.system.name](setting)


# The loss system.


def _group(state: Any, server: int) -> tuple[bool, int]:
    """Whether a server is in the Reject Group, and its rank, by Definition 4 and CRA."""
    mine = state.configuration[server].tolist()
    same = [s for s in range(len(state.stamp)) if state.configuration[s].tolist() == mine]
    index = 1 + sum(state.stamp[s] > state.stamp[server] for s in same)
    surplus = rank = len(state.greedy_count) + 1
    length = int(state.number[6])
    for i in range(length):
        if state.greedy_configuration[i].tolist() == mine and index > len(same) - state.greedy_count[i]:
            rank = i + 1
    if not length:
        return False, rank
    if state.number[8]:
        return rank == surplus, rank
    return rank > state.number[5] and index == 1, rank


def _reservation(setting: Setting) -> dict[str, Predicate]:
    numbers, state, policy, j = setting.system.numbers, setting.state, setting.system.policy, setting.event.type
    known: dict[str, Predicate] = {
        "has an empty slot": lambda s: state.configuration[s][j] > state.placement[s][j],
        "is in the Accept Group": lambda s: not _group(state, s)[0],
        "is in the Reject Group": lambda s: _group(state, s)[0],
        "has a job of type": lambda s: state.placement[s][j] > 0,
        "may give a job": lambda _: not _group(state, setting.event.server)[0],
        "is among the servers sampled": lambda s: s in policy.sampled(setting.subject.job),
        "has room for the job": lambda s: numbers.space_of(s).contains(
            tuple(int(n) + (k == j) for k, n in enumerate(state.placement[s]))
        ),
    }
    for r, name in enumerate(numbers.resource_names):
        known[f"has enough free {name}"] = lambda s, r=r: (
            sum(int(n) * int(numbers.demand[k, r]) for k, n in enumerate(state.placement[s]))
            + int(numbers.demand[j, r])
            <= numbers.capacities[s][r]
        )
    return known


# Servers with a queue.


def _record(setting: Setting) -> int:
    return setting.state.job_number.tolist().index(setting.subject.job)


def _present(state: Any, server: int, queue: int) -> int:
    pairs = zip(state.job_server.tolist(), state.job_queue.tolist(), strict=True)
    return sum(pair == (server, queue) for pair in pairs)


def _queue(setting: Setting) -> dict[str, Predicate]:
    numbers, state, policy = setting.system.numbers, setting.state, setting.system.policy
    if setting.subject.job < 0:
        preemptive = getattr(policy, "preemptive", False)
        return {"is empty": lambda s: preemptive or s not in state.job_server.tolist()}
    record = _record(setting)
    queue, room = int(state.job_queue[record]), state.job_room[record].tolist()

    def wanted(server: int) -> int:
        active = int(state.active[server])
        return int(policy.configurations[active][queue]) if active >= 0 else 0

    known: dict[str, Predicate] = {
        "may take the job": lambda _: int(state.first_waiting[queue]) == record,
        "takes jobs": lambda s: not state.stalled[s],
        "had a departure": lambda s: int(state.last_departure[s]) == int(state.clock[0]),
        "has a configuration with": lambda s: wanted(s) > 0,
        "has fewer than": lambda s: _present(state, s, queue) < wanted(s),
        "has a share left": lambda s: _has_share(setting, s, queue, room[0]),
        "has its turn now or later": lambda s: s >= setting.decision.server,  # type: ignore[union-attr]
        "had its turn while": lambda s: _after_head(setting, s, queue),
    }
    for d in range(numbers.resources):
        name = f"has room for it in {numbers.resource_names[d]}" if numbers.resources > 1 else "has room for it"
        known[name] = lambda s, d=d: int(numbers.capacity[s, d]) - int(state.used[s, d]) >= room[d]
    return known


def _has_share(setting: Setting, server: int, queue: int, room: int) -> bool:
    """Whether the server's active configuration leaves the queue a share in which the job fits."""
    state, policy = setting.state, setting.system.policy
    active = max(int(state.active[server]), 0)
    odd, whole = int(policy.first_odd[active]), int(setting.system.numbers.capacity[server, 0])
    first = policy.configurations[active][odd] > 0
    if first and odd == queue and not _present(state, server, queue):
        return True
    taken = sum(
        int(state.job_room[n, 0])
        for n in range(len(state.job_number))
        if state.job_server[n] == server and state.job_queue[n] == queue
    )
    return int(policy.other[active]) == queue and room <= (whole // 3 if first else whole) - taken


def _after_head(setting: Setting, server: int, queue: int) -> bool:
    """Whether a sub-step of the server's turn comes after the last job taken from the same queue."""
    for one in reversed(setting.records):
        place = isinstance(one, Place)
        if place and one.values["queue"] == queue and one.server != server:
            return False
        if one.kind not in ("departure", "renew") and server in (getattr(one, "server", -1), one.values.get("server")):
            return not (place and one.values["queue"] == queue)
    return False


def _jobs(setting: Setting) -> dict[str, Predicate]:
    numbers, state, policy = setting.system.numbers, setting.state, setting.system.policy
    server = setting.server if setting.server >= 0 else setting.subject.on[0]

    def of(job: int) -> int:
        return int(state.job_number.tolist().index(job))

    def served(job: int) -> bool:
        queue, line = int(state.job_queue[of(job)]), getattr(setting.decision, "line", None)
        active = int(state.active[server])
        if active < 0:
            return False
        k = policy.configurations[active]
        if policy.serves_by == "exactly":
            return _present(state, server, queue) < int(k[queue])
        if line is None:
            return int(k[queue]) > 0
        of_first = line.number == (2 if policy.serves_by == "line" else 1)
        return queue == int(policy.first_odd[active] if of_first else policy.other[active])

    return {
        "fits": lambda job: all(
            int(state.job_room[of(job), d]) <= int(numbers.capacity[server, d]) - int(state.used[server, d])
            for d in range(numbers.resources)
        ),
        "is at the head": lambda job: int(state.first_waiting[int(state.job_queue[of(job)])]) == of(job),
        "has just arrived": lambda job: state.job_arrival[of(job)] == state.clock[0],
        "is of a queue": served,
    }


# Jobs with phases.


def _phases(setting: Setting) -> dict[str, Predicate]:
    system, state, policy, j = setting.system, setting.state, setting.system.policy, setting.event.type
    pool = getattr(setting.decision, "pool", 0)
    drawn = next((one.values["servers"] for one in setting.records if one.kind == "drawn"), ())

    def first_idle() -> int:
        return next(s for s in range(len(state.jobs_on)) if not state.jobs_on[s])

    def holds(server: int) -> bool:
        """Whether a busy server that the policy considers has room, by the policy's own account."""
        from slotscope.model.kinds.phases.view import PhaseView

        view = PhaseView(system.numbers, state, None)  # type: ignore[arg-type]
        return state.jobs_on[server] > 0 and (not drawn or server in drawn) and bool(policy.fitting(view, j, [server]))

    def some() -> bool:
        return any(holds(s) for s in range(len(state.jobs_on)))

    def in_draw() -> bool:
        return policy.share * int(state.number[5]) > 0 or not some()

    known: dict[str, Predicate] = {
        "is of pool": lambda s: int(policy.pool_of[s]) == pool,
        "has a token out": lambda s: sum(state.tokens[s].tolist()) > 0,
        "has a token of type": lambda s: s in state.token_server[pool, j, : state.token_count[pool, j]].tolist(),
        "is busy, or the idle one": lambda s: state.jobs_on[s] > 0 or s == first_idle(),
        "was drawn": lambda s: s in drawn or s == first_idle(),
        "is below the service limit": lambda s: int(state.jobs_on[s]) < system.numbers.model.most_jobs,
        "is busy, or the job fits no": lambda s: state.jobs_on[s] > 0 or not some(),
        "is busy, or idle ones": lambda s: state.jobs_on[s] > 0 or in_draw(),
    }
    known |= {
        "is where": lambda s: s == setting.event.server,
        "holds no token": lambda s: not sum(state.tokens[s].tolist()),
        "asks at once": lambda s: (
            policy.plan.pools[int(policy.pool_of[s])].case[policy.plan.lattice.place(_observed(state, s))] == 2
        ),
    }
    return known | _enough_left(setting)


def _enough_left(setting: Setting) -> dict[str, Predicate]:
    """For each resource, whether a server has enough left for the job."""
    numbers, state, policy, j = setting.system.numbers, setting.state, setting.system.policy, setting.event.type

    def enough(server: int, d: int) -> bool:
        used, needed = (state.peak_use, numbers.peak) if policy.by_peak else (state.use, numbers.demand)
        return not state.jobs_on[server] or int(policy.limit[d]) - int(used[server, d]) >= int(needed[j, d])

    return {f"has enough {name} left": partial(enough, d=d) for d, name in enumerate(numbers.model.resources)}


def _observed(state: Any, server: int) -> tuple[int, ...]:
    return tuple((state.real[server] + state.virtual[server]).tolist())


def _types(setting: Setting) -> dict[str, Predicate]:
    """What a server may request, followed from its configuration, one requested job after the other."""
    pool = setting.system.policy.plan.pools[int(setting.system.policy.pool_of[setting.event.server])]
    lattice, rules = setting.system.policy.plan.lattice, setting.system.policy.rules
    start = lattice.place(_observed(setting.state, setting.event.server))
    steps = [one for one in setting.records if one.kind in ("tick", "reactive", "recovery_tick")]

    def asked(i: int) -> bool:
        for one in steps:
            if one.kind == "recovery_tick" and rules.asks[rules.pool_of[setting.event.server], start, i] > 0:
                return True
            if one.kind == "tick" and pool.rate[start, i] > 0:
                return True
            if one.kind == "reactive" and pool.choice[lattice.place(one.values["configuration"]), i] > 0:
                return True
        return False

    return {"belongs to a request": lambda _: hasattr(setting.decision, "jobs"), "is asked for there": asked}


def _tokens(setting: Setting) -> dict[str, Predicate]:
    state, j, pool = setting.state, setting.event.type, getattr(setting.decision, "pool", 0)

    def lists(of_type: bool) -> Predicate:
        def there(number: int) -> bool:
            types = [j] if of_type else range(state.token_count.shape[1])
            pools = range(state.token_count.shape[0]) if of_type else [pool]
            return any(
                number in state.token_number[p, i, : state.token_count[p, i]].tolist() for p in pools for i in types
            )

        return there

    return {"is of type": lists(True), "is of pool": lists(False)}


# Moldable jobs.


def _moldable(setting: Setting) -> dict[str, Predicate]:
    rules, state, j = setting.system.rules, setting.state, setting.event.type
    own, common = int(rules.own_pool[j]), int(rules.common_pool[0])

    def inside(server: int, pool: int) -> bool:
        return pool >= 0 and int(rules.pool_first[pool]) <= server < int(rules.pool_end[pool])

    return {
        "is open to": lambda s: inside(s, own) or inside(s, common),
        "is its class's own": lambda s: inside(s, own) or int(state.free[own]) < max(1, len(setting.subject.on)),
        "is free": lambda s: int(state.server_job[s]) < 0,
    }


def _widths(setting: Setting) -> dict[str, Predicate]:
    rules, state, j = setting.system.rules, setting.state, setting.event.type
    asked = next(one.values["request"] for one in setting.records if one.kind == "request")
    open_to = _moldable(setting)["is open to"]
    free = sum(open_to(s) and int(state.server_job[s]) < 0 for s in range(len(state.server_job)))
    assert rules is not None and j >= 0
    return {"is at most what the job asks": lambda i: i <= asked, "is at most what is free": lambda i: i <= free}


_SERVERS: dict[str, Callable[[Setting], dict[str, Predicate]]] = {
    "reservation": _reservation,
    "queue": _queue,
    "phases": _phases,
    "moldable": _moldable,
}

_TABLES: dict[str, Callable[[Setting], dict[str, Predicate]]] = {
    "server": _servers,
    "configuration": _configurations,
    "waiting job": _jobs,
    "token": _tokens,
    "width": _widths,
    "type": _types,
}
