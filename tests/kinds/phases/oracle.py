"""A second implementation of jobs with phases: lists and dictionaries, written from the paper.

Hong, Xie & Wang (2023), Section 4.2 and Appendices B.3 and C.2.  It uses nothing of the program:
its input is an instance as files have it, its output states as golden files have them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, Iterator

Instance = dict[str, Any]
Event = dict[str, Any]
Line = dict[str, Any]


class Server:
    """A normal server: names of its jobs, and the types of its outstanding tokens."""

    def __init__(self) -> None:
        self.real: list[str] = []
        self.virtual: list[str] = []
        self.tokens: list[str] = []


class Pool:
    """Normal servers, their tokens in order of age, and backup servers by number."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.limit: int = given["eta_max"]
        self.servers = [Server() for _ in range(given["L"])]
        self.tokens: list[tuple[str, int]] = []
        self.backup: dict[int, str] = {}
        self.patch = given.get("patch_at_0")
        self.policy = {tuple(entry["k"]): entry for entry in given["policy"]}
        self.virtual_arrivals = 0

    def of(self, kind: str) -> list[int]:
        """The positions of the tokens of a type among all tokens, the oldest first."""
        return [place for place, (type_, _) in enumerate(self.tokens) if type_ == kind]


class Oracle:
    """Runs an instance event by event.

    *options* are parameters of the policy: ``limit``, ``at_limit``, ``request_after_pause``,
    ``recovery_rate``, ``patch``.  Virtual jobs are numbered pool by pool unless ``named_in_all``.
    """

    def __init__(self, data: Instance, options: dict[str, Any] | None = None, named_in_all: bool = False) -> None:
        self.data = data
        self.options = options or {}
        self.named_in_all = named_in_all
        self.names: list[str] = data["phases"]
        self.pools = [Pool(given) for given in data["pools"]]
        self.phase: dict[str, str] = {}
        self.where: dict[str, tuple[int, str, int]] = {}  # pool, "server" or "backup", number
        self.is_virtual: set[str] = set()
        self.result: Line = {}
        self.virtual_arrivals = 0
        self.choices: Iterator[int] = iter(())
        self.requests: Iterator[str] | None = None
        for number, given in enumerate(data["pools"]):
            self._begin(number, given)

    def _begin(self, number: int, given: dict[str, Any]) -> None:
        pool = self.pools[number]
        for place, there in enumerate(given.get("initial", [])):
            for kind in ("real", "virtual"):
                for job, phase in there.get(kind, {}).items():
                    self.phase[job] = phase
                    self._put(job, number, place, virtual=kind == "virtual")
        for type_ in self.names:
            for owner in given.get("initial_tokens", {}).get(type_, []):
                pool.tokens.append((type_, owner - 1))
                pool.servers[owner - 1].tokens.append(type_)

    def _put(self, job: str, pool: int, place: int, virtual: bool) -> None:
        server = self.pools[pool].servers[place]
        (server.virtual if virtual else server.real).append(job)
        if virtual:
            self.is_virtual.add(job)
        self.where[job] = (pool, "server", place)

    # What a server observes and does.

    def observed(self, server: Server) -> tuple[int, ...]:
        """The numbers of jobs, real and virtual, by phase."""
        return self._counted([self.phase[job] for job in server.real + server.virtual])

    def _counted(self, phases: list[str]) -> tuple[int, ...]:
        found = Counter(phases)
        return tuple(found[name] for name in self.names)

    def timers(self, pool: Pool, server: Server) -> dict[str, float]:
        """The running timers and their rates."""
        if server.tokens:
            return {}
        k = self.observed(server)
        entry = pool.policy.get(k, {"case": 3})
        if entry["case"] == 1:
            return {name: float(rate) for name, rate in entry["rates"].items() if rate}
        if not any(k) and pool.patch and self.options.get("patch", True):
            return {"patch": float(pool.patch["rate"])}
        rate = float(Fraction(self.options.get("recovery_rate", 0)))
        return {"patch": rate} if rate and self.way_back(pool, k) else {}

    def way_back(self, pool: Pool, k: tuple[int, ...]) -> list[str]:
        """The fewest arriving jobs that lead from k to a configuration of case 1, by breadth-first search."""
        wanted = {
            name
            for entry in pool.policy.values()
            for name, rate in (entry.get("rates") or entry.get("prob") or {}).items()
            if rate
        }
        wanted |= set((pool.patch or {"k0": {}})["k0"])
        arriving = self.names if len(self.pools) == 1 else [n for n in self.names if n in wanted]
        for depth in range(1, self.data["K_max"] - sum(k) + 1):
            if found := self._ways(pool, k, depth, arriving):
                return found
        return []

    def _ways(self, pool: Pool, k: tuple[int, ...], depth: int, arriving: list[str]) -> list[str]:
        for name in arriving:
            above = self._with(k, name)
            if depth == 1:
                if pool.policy.get(above, {"case": 3})["case"] == 1:
                    return [name]
            elif found := self._ways(pool, above, depth - 1, arriving):
                return [name, *found]
        return []

    def _with(self, k: tuple[int, ...], name: str) -> tuple[int, ...]:
        place = self.names.index(name)
        return (*k[:place], k[place] + 1, *k[place + 1 :])

    def chain(self, pool: Pool, k: tuple[int, ...]) -> list[str]:
        """The jobs that case 2 requests one after another, beginning at k."""
        asked: list[str] = []
        while pool.policy.get(k, {"case": 3})["case"] == 2:
            shares = {name: share for name, share in pool.policy[k]["prob"].items() if share}
            chosen = next(self.requests) if self.requests else max(shares, key=lambda n: shares[n])
            assert chosen in shares
            asked.append(chosen)
            k = self._with(k, chosen)
        return asked

    def request(self, number: int, place: int, asked: list[str]) -> None:
        """Make a token for each job, in the order of types; then apply the limit."""
        pool = self.pools[number]
        self.asked = min(map(self.names.index, asked), default=self.asked)
        for name in self.names:
            for _ in range(asked.count(name)):
                pool.tokens.append((name, place))
                pool.servers[place].tokens.append(name)

    def keep_limit(self, number: int) -> None:
        """Let virtual arrivals take tokens while there are too many."""
        pool = self.pools[number]
        reached = self.options.get("at_limit") == "reached"
        most = max(pool.limit - 1, 0) if reached else pool.limit
        while True:
            # positions type by type, each type by age
            each = [pool.of(name) for name in self.names]
            if self.options.get("limit", "type") != "type":
                if len(pool.tokens) <= most:
                    return
                in_turn = each[self.asked :] + each[: self.asked]
                places = [place for found in each for place in found]
                if self.options["limit"] == "requested":
                    places = next(filter(None, in_turn))
            else:
                places = next((found for found in each if len(found) > most), [])
                if len(places) <= most:
                    return
            place = places[self.chosen(len(places))]
            type_, owner = pool.tokens[place]
            self._virtual_job(number, type_, owner)
            self.take(number, place)

    def chosen(self, count: int) -> int:
        """Which of *count* tokens a virtual arrival takes."""
        place = next(self.choices)
        assert 0 <= place < count
        return place

    def _virtual_job(self, number: int, type_: str, owner: int) -> None:
        pool = self.pools[number]
        pool.virtual_arrivals += 1
        self.virtual_arrivals += 1
        name = f"v{pool.virtual_arrivals}"
        if self.named_in_all:
            name = f"v{self.virtual_arrivals}"
        elif len(self.pools) > 1:
            name = f"p{number + 1}{name}"
        self.phase[name] = type_
        self._put(name, number, owner, virtual=True)
        made: Line = {"job": name, "server": owner + 1, "type": type_}
        self.result.setdefault("virtual_arrivals", []).append(made)

    def take(self, number: int, place: int) -> None:
        """Remove a token, after its job has joined the server; the server's pause may end."""
        pool = self.pools[number]
        type_, owner = pool.tokens.pop(place)
        server = pool.servers[owner]
        server.tokens.remove(type_)
        if not server.tokens and self.options.get("request_after_pause"):
            self.request(number, owner, self.chain(pool, self.observed(server)))

    # Events.

    def run(self, event: Event) -> None:
        """Run one event with its choices."""
        self.result = {}
        self.asked = 0
        self.choices = iter(event.get("virtual_choices", []))
        self.requests = iter(event["requests"]) if "requests" in event else None
        getattr(self, f"_{event['kind']}")(event)
        assert next(self.choices, None) is None
        assert self.requests is None or next(self.requests, None) is None

    def _arrival(self, event: Event) -> None:
        number, job = event.get("pool", 1) - 1, event["job"]
        pool, mine = self.pools[number], self.pools[number].of(event["type"])
        self.phase[job] = event["type"]
        if not mine:
            assert event.get("token_index") is None
            backup = next(n for n in range(1, len(pool.backup) + 2) if n not in pool.backup)
            pool.backup[backup] = job
            self.where[job] = (number, "backup", backup)
            self.result["placed"] = f"backup {backup}"
            return
        place = mine[event["token_index"]]
        owner = pool.tokens[place][1]
        self._put(job, number, owner, virtual=False)
        self.result["placed"] = f"server {owner + 1}"
        self.take(number, place)
        self.keep_limit(number)

    def _phase(self, event: Event) -> None:
        assert self.phase[event["job"]] != event["to"]
        self.phase[event["job"]] = event["to"]
        self._react(event["job"])

    def _departure(self, event: Event) -> None:
        job = event["job"]
        number, kind, place = self.where[job]
        if kind == "backup":
            del self.pools[number].backup[place]
        else:
            server = self.pools[number].servers[place]
            (server.virtual if job in self.is_virtual else server.real).remove(job)
        del self.phase[job]
        self._react(job)
        del self.where[job]

    def _react(self, job: str) -> None:
        number, kind, place = self.where[job]
        if kind == "backup":
            return
        server = self.pools[number].servers[place]
        if not server.tokens:
            self.request(number, place, self.chain(self.pools[number], self.observed(server)))
            self.keep_limit(number)

    def _tick(self, event: Event) -> None:
        number, place = event.get("pool", 1) - 1, event["server"] - 1
        pool = self.pools[number]
        server = pool.servers[place]
        assert event["type"] in self.timers(pool, server)
        k = self.observed(server)
        patched = pool.patch and self.options.get("patch", True)
        if event["type"] != "patch":
            asked = [event["type"], *self.chain(pool, self._with(k, event["type"]))]
        elif any(k) or not patched:
            asked = self.way_back(pool, k)
        else:
            asked = [name for name, many in pool.patch["k0"].items() for _ in range(many)]
        self.request(number, place, asked)
        self.keep_limit(number)

    # States.

    def states(self) -> list[Line]:
        """All states of the instance, as its golden file has them."""
        found: list[Line] = [{"after": "start"} | self.state()]
        for place, event in enumerate(self.data["events"]):
            self.run(event)
            found.append({"after": place, "result": self.result} | self.state())
        return found

    def state(self) -> Line:
        """The state: pools, active servers, the cost rate, and the place of each job."""
        loads = [[self.phase[job] for job in server.real] for pool in self.pools for server in pool.servers]
        loads += [[self.phase[job]] for pool in self.pools for job in pool.backup.values()]
        return {
            "pools": [self._pool(pool) for pool in self.pools],
            "active": sum(bool(load) for load in loads),
            "cost_rate": float(sum((self.cost(load) for load in loads), Fraction(0))),
            "jobs": {job: [self._told(job), phase] for job, phase in self.phase.items()},
        }

    def cost(self, load: list[str]) -> Fraction:
        """The sum over resources of the overrun as a share of the capacity; or of its square; or the rate
        from the table.
        """
        law = self.data.get("cost", {}).get("law", "overrun")
        if law == "table":
            counts = {name: load.count(name) for name in set(load)}
            rates = [
                item["rate"]
                for item in self.data["cost"]["rates"]
                if {name: many for name, many in item["jobs"].items() if many} == counts
            ]
            return Fraction(str(rates[0])) if rates else Fraction(0)
        total = Fraction(0)
        for resource in self.data["resources"]:
            capacity = Fraction(str(resource["cap"]))
            need = [Fraction(str(amount)) for amount in resource["req"]]
            use = sum((need[self.names.index(name)] for name in load), Fraction(0))
            excess = max(Fraction(0), use - capacity) / capacity
            total += excess**2 if law == "quadratic" else excess
        return total

    def _pool(self, pool: Pool) -> Line:
        return {
            "servers": [self._server(pool, server) for server in pool.servers],
            "tokens": {name: [pool.tokens[place][1] + 1 for place in pool.of(name)] for name in self.names},
            "backup": {str(number): self.phase[job] for number, job in sorted(pool.backup.items())},
        }

    def _server(self, pool: Pool, server: Server) -> Line:
        return {
            "real": list(self._counted([self.phase[job] for job in server.real])),
            "virtual": list(self._counted([self.phase[job] for job in server.virtual])),
            "observed": list(self.observed(server)),
            "tokens": list(self._counted(server.tokens)),
            "paused": bool(server.tokens),
            "timers": self.timers(pool, server),
        }

    def _told(self, job: str) -> str:
        pool, kind, number = self.where[job]
        inside = f"pool {pool + 1} " if len(self.pools) > 1 else ""
        if kind == "backup":
            return f"{inside}backup {number}"
        return f"{inside}server {number + 1}{' (virtual)' if job in self.is_virtual else ''}"
