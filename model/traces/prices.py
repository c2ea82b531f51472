"""Google Cloud's machine types and list prices, from two files of a public price list.

``machinetypes.csv`` has a row for each machine type: NAME;CPUS;SHARED_CPU;MEMORY_GB;
DEPRECATED;ZONE.  ``pricing.yml`` (plain or gzip'd) has its prices under compute, instance, name,
cost, region, hour.  All numbers are read as exact decimals.

Data: the repository google-cloud-pricing-cost-calculator by Nils Knieling, Apache-2.0.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Mapping, NoReturn, Sequence

from slotscope.model.errors import TraceError, unknown_name
from slotscope.model.traces.reading import FieldError, lines, scaled_decimal, shown, whole_number

COLUMNS = ("NAME", "CPUS", "SHARED_CPU", "MEMORY_GB", "DEPRECATED", "ZONE")
#: The most characters of a price list, unpacked.
MOST_TEXT = 1 << 26
#: The deepest nesting of brackets and indents in a price list.
DEEPEST = 64
#: The most decimal places of a price or a memory size, and the largest value of either.
PLACES, HIGHEST = 30, 10**6
MOST_CPUS = 10**5


@dataclass(frozen=True)
class MachineType:
    """A row of the machine types."""

    name: str
    cpus: int
    memory: Fraction  #: GB
    shared: bool  #: whether its CPUs are shared with others, so that CPUS is not its size
    deprecated: bool


@dataclass(frozen=True)
class PriceList:
    """Machine types with their list prices in one region."""

    region: str  #: such as ``europe-west1``
    generated: str  #: the time at which the list was made, as stated in it
    types: tuple[MachineType, ...]  #: the largest first, as Definition 2 requires for ties of rewards
    prices: tuple[Fraction, ...]  #: [n] per hour, for each of *types*
    left_out: tuple[tuple[str, str], ...]  #: (name, reason) of requested types that cannot be used


def read_price_list(machine_types: Path, pricing: Path, region: str, families: Sequence[str]) -> PriceList:
    """The machine types of *families* that have an hourly price in *region*.

    - *machine_types*, *pricing*: The two files.
    - *region*: A region of the price list.
    - *families*: Names of machine types, or prefixes of names up to a hyphen: ``n2-standard``.

    Raises TraceError with one line, if a file cannot be used, or a region or family is unknown.
    """
    machines = read_machine_types(machine_types)
    chosen = _chosen(machines, families, machine_types)
    chosen.sort(key=lambda machine: (machine.cpus, machine.memory), reverse=True)
    document = read_pricing(pricing)
    instances = _branch(document, ("compute", "instance"), pricing)
    _check_region(instances, region, pricing)
    kept: list[MachineType] = []
    prices: list[Fraction] = []
    left_out: list[tuple[str, str]] = []
    for machine in chosen:
        price = _price(instances, machine.name, region, pricing)
        reason = _reason_against(machine, price, region)
        if price is None or reason:
            left_out.append((machine.name, reason))
        else:
            kept.append(machine)
            prices.append(price)
    if not kept:
        name, reason = left_out[0]
        raise TraceError(
            f"found no machine type of {', '.join(families)} that can be used ({name}: {reason})", where=str(pricing)
        )
    about = document.get("about")
    generated = about.get("generated") if isinstance(about, dict) else None
    when = generated if isinstance(generated, str) else ""
    return PriceList(region, when[:60], tuple(kept), tuple(prices), tuple(left_out))


def read_machine_types(path: Path) -> dict[str, MachineType]:
    """All rows of a file of machine types, by name.

    Raises TraceError if the file cannot be read, or a row has the wrong form.
    """
    table = csv.reader(lines(path), delimiter=";", strict=True)
    machines: dict[str, MachineType] = {}
    try:
        header = next(table, [])
        if tuple(header) != COLUMNS:
            raise TraceError(f"row 1: found {shown(';'.join(header))}; allowed is {';'.join(COLUMNS)}", where=str(path))
        for fields in table:
            if fields:
                machine = _machine(fields, path, table.line_num)
                machines[machine.name] = machine
    except csv.Error as error:
        raise TraceError(
            f"row {table.line_num}: found text that is not values with semicolons ({error})", where=str(path)
        ) from None
    if not machines:
        raise TraceError("found no machine type below the header", where=str(path))
    return machines


def _machine(fields: Sequence[str], path: Path, row: int) -> MachineType:
    if len(fields) != len(COLUMNS):
        raise TraceError(
            f"row {row}: found {len(fields)} columns; allowed are {len(COLUMNS)}, {';'.join(COLUMNS)}", where=str(path)
        )
    name, cpus, shared, memory, deprecated, _ = fields
    try:
        if not name or len(name) > 60 or not name.isascii() or not name.isprintable():
            raise FieldError("NAME", name, "1 to 60 printable ASCII characters")
        if shared not in {"True", "False"}:
            raise FieldError("SHARED_CPU", shared, "True or False")
        gigabytes = Fraction(scaled_decimal(memory, "MEMORY_GB", PLACES, HIGHEST), 10**PLACES)
        count = whole_number(cpus, "CPUS", 1, MOST_CPUS)
    except FieldError as error:
        raise error.at(path, row) from None
    return MachineType(name, count, gigabytes, shared == "True", bool(deprecated))


def read_pricing(path: Path) -> Mapping[str, Any]:
    """A price list as nested mappings; every scalar stays text.

    The file cannot create Python objects: only mappings, sequences and text are made.
    Raises TraceError if the file cannot be read or is not a YAML mapping.
    """
    import yaml

    # The loader that converts no types; the compiled version of it is 15 times as fast.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    text = _text(path)
    try:
        _check_depth(text, loader)
        document = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        row = f"row {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "no YAML"
        raise TraceError(f"{row}found text that is not YAML ({problem})", where=str(path)) from None
    if not isinstance(document, dict):
        raise TraceError("found no mapping at the top; allowed is a price list", where=str(path))
    return document


def _check_depth(text: str, loader: Any) -> None:
    """Refuse nesting so deep that reading it would exhaust the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise yaml.MarkedYAMLError(problem=f"nested more than {DEEPEST} deep", problem_mark=event.start_mark)


def _text(path: Path) -> str:
    parts: list[str] = []
    length = 0
    for line in lines(path):
        length += len(line) + 1
        if length > MOST_TEXT:
            raise TraceError(f"found more than {MOST_TEXT >> 20} MB of text; allowed is a price list", where=str(path))
        parts.append(line)
    return "\n".join(parts) + "\n"


def _branch(document: Mapping[str, Any], keys: Sequence[str], path: Path) -> Mapping[str, Any]:
    branch: Any = document
    for depth, key in enumerate(keys):
        branch = branch.get(key)
        if not isinstance(branch, dict) or not branch:
            raise TraceError(
                f"found no entries under {'.'.join(keys[: depth + 1])}; allowed is a price list "
                "with compute.instance.NAME.cost.REGION.hour",
                where=str(path),
            )
    result: Mapping[str, Any] = branch
    return result


def _chosen(machines: Mapping[str, MachineType], families: Sequence[str], path: Path) -> list[MachineType]:
    for family in families:
        if not any(_belongs(name, family) for name in machines):
            known = {name.rpartition("-")[0] or name for name in machines}
            raise TraceError(unknown_name("family of machine types", family, known), where=str(path))
    return [machine for name, machine in machines.items() if any(_belongs(name, family) for family in families)]


def _belongs(name: str, family: str) -> bool:
    return name == family or name.startswith(f"{family}-")


def _check_region(instances: Mapping[str, Any], region: str, path: Path) -> None:
    known = {
        str(name)
        for entry in instances.values()
        if isinstance(entry, dict) and isinstance(entry.get("cost"), dict)
        for name in entry["cost"]
    }
    if region not in known:
        if not known:
            _refuse("compute.instance", "a cost of any machine type", path)
        raise TraceError(unknown_name("region", region, known), where=str(path))


def _price(instances: Mapping[str, Any], name: str, region: str, path: Path) -> Fraction | None:
    """The price of an hour; None if the list has none."""
    branch: Any = instances
    place = "compute.instance"
    for key in (name, "cost", region, "hour"):
        if not isinstance(branch, dict):
            _refuse(place, "a mapping", path)
        if key not in branch:
            return None
        branch, place = branch[key], f"{place}.{key}"
    if not isinstance(branch, str):
        _refuse(place, "a price", path)
    try:
        return Fraction(scaled_decimal(branch, place, PLACES, HIGHEST), 10**PLACES)
    except FieldError as error:
        raise TraceError(f"{place}: found {shown(error.found)}; allowed is {error.allowed}", where=str(path)) from None


def _refuse(place: str, allowed: str, path: Path) -> NoReturn:
    raise TraceError(f"{place}: found none; allowed is {allowed}", where=str(path))


def _reason_against(machine: MachineType, price: Fraction | None, region: str) -> str:
    if machine.deprecated:
        return "deprecated"
    if machine.shared:
        return "its CPUs are shared, so that its size is not told"
    return f"no hourly price in {region}" if price is None else ""
