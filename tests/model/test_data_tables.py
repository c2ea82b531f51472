"""Exported tables: reading back gives what was written, in every format."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.lab.results import Result, Row
from slotscope.model.reporting import data_tables
from slotscope.model.reporting.data_columns import DataColumn, DeclaredColumn
from slotscope.model.reporting.data_tables import DataTable, table_file, table_of_records

CELLS = {
    "int64": st.integers(-(2**62), 2**62),
    "float64": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "uint8": st.integers(0, 255),
}
LABELS = ("small", "müller, gross", 'a "b"')


@st.composite
def tables(draw: st.DrawFn) -> DataTable:
    length = draw(st.integers(0, 12))
    columns = []
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from([*CELLS, "labels"]))
        labels = LABELS if kind == "labels" else ()
        cells = st.integers(0, len(LABELS) - 1) if labels else CELLS[kind]
        values = np.array(draw(st.lists(cells, min_size=length, max_size=length)), "int32" if labels else kind)
        known = np.array(draw(st.lists(st.booleans(), min_size=length, max_size=length)), np.bool_)
        kept = known if draw(st.booleans()) else None
        columns.append(DataColumn(f"c{number}", values, f"number {number}", "time", kept, labels))
    return DataTable("drawn", tuple(columns))


@given(table=tables())
def test_arrow_has_every_cell(table: DataTable) -> None:
    arrow = pyarrow.table(table)  # by Arrow's PyCapsule interface
    assert arrow.column_names == table.names
    assert arrow.num_rows == len(table)
    for column in table.columns:
        assert arrow[column.name].to_pylist() == column.cells()
        field = arrow.schema.field(column.name)
        assert field.metadata == {b"about": column.about.encode(), b"unit": b"time"}
        assert pyarrow.types.is_dictionary(field.type) == bool(column.labels)


def test_arrow_shares_the_memory_of_a_column() -> None:
    values = np.arange(1000.0)
    arrow = DataTable("one", (DataColumn("x", values),)).to_arrow()
    assert arrow["x"].chunk(0).buffers()[1].address == values.ctypes.data


def test_pandas_and_polars_share_the_memory_of_numbers() -> None:
    """Also with missing values: integers stay integers."""
    known = np.arange(1000) % 7 > 0
    table = DataTable(
        "some",
        (
            DataColumn("time", np.arange(1000.0)),
            DataColumn("server", np.arange(1000, dtype=np.int32), known=known),
            DataColumn("type", np.zeros(1000, np.int32), labels=LABELS),
        ),
    )
    frame, lazy = table.to_pandas(), polars.DataFrame(table)
    assert [*map(str, frame.dtypes)] == ["double[pyarrow]", "int32[pyarrow]", "category"]
    assert [*map(str, lazy.dtypes)] == ["Float64", "Int32", "Categorical"]
    for name in ("time", "server"):
        place = table.column(name).values.ctypes.data
        assert frame[name].array.__arrow_array__().chunk(0).buffers()[1].address == place
        assert lazy[name].to_arrow().buffers()[1].address == place
    assert np.shares_memory(frame["time"].to_numpy(), table.column("time").values)
    assert frame["server"].isna().tolist() == lazy["server"].is_null().to_list() == (~known).tolist()
    assert frame["type"][0] == lazy["type"][0] == LABELS[0]


@given(table=tables(), cut=st.integers(0, 12), are_many=st.booleans())
def test_files_have_every_cell_however_it_is_cut(table: DataTable, cut: int, are_many: bool, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("slotscope.model.reporting.csv_text._MANY", 1 if are_many else 1000)
        _write_in_two(table, cut, folder)
    cells = [column.cells() for column in table.columns]
    parquet = pyarrow.parquet.read_table(folder / "a.parquet")
    assert [parquet[name].to_pylist() for name in table.names] == cells
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == table.names
    assert rows == [["" if cell is None else str(cell) for cell in row] for row in zip(*cells, strict=True)]


def _write_in_two(table: DataTable, cut: int, folder: Path) -> None:
    for name in ("a.csv", "a.parquet"):
        with table_file(folder / name) as write:
            write(table.part(slice(0, cut)))
            write(table.part(slice(cut, None)))


@pytest.mark.parametrize("is_installed", [True, False])
def test_many_numbers_are_written_as_python_writes_them(
    is_installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pyarrow, which then formats them, and without it; also with repeated and missing numbers."""
    if not is_installed:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    random = np.random.default_rng(1)
    values = np.exp(random.uniform(-40, 40, 4000)) * random.choice([-1, 1], 4000)
    values[::7] = np.trunc(values[::7])
    values[:6] = 0.0, -0.0, np.inf, 1e-4, 1e9, np.nan
    columns = values, np.round(random.normal(size=4000)) / 4, np.arange(4000.0)
    known = random.random(4000) < 0.9
    table = DataTable("one", tuple(DataColumn(f"x{n}", one, known=known) for n, one in enumerate(columns)))
    table.write(tmp_path / "a.csv")
    rows = list(csv.reader((tmp_path / "a.csv").read_text("utf-8").splitlines()))[1:]
    assert rows == [["" if cell is None else str(cell) for cell in row.values()] for row in table.records()]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64"])
def test_whole_numbers_are_written_as_they_are(kind: str, tmp_path: Path) -> None:
    """Integers of every length, and the extremes of their type."""
    ends = np.iinfo(kind)
    tens = [sign * (10**digits + more) for digits in range(20) for more in (-1, 0) for sign in (1, -1)]
    lengths = np.resize(np.array([ten for ten in tens if ends.min <= ten <= ends.max], kind), 1000)
    for end in (ends.min, ends.max - 255):
        values = np.concatenate(
            [np.tile(np.arange(256, dtype=np.uint8), 4).astype(kind) + np.array(end, kind), lengths]
        )
        DataTable("one", (DataColumn("x", values),)).write(tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text("utf-8").split() == ["x", *map(str, values.tolist())]


def test_parquet_is_written_in_large_parts(tmp_path: Path) -> None:
    table = DataTable("one", (DataColumn("x", np.arange(data_tables.PARQUET_ROWS)),))
    with table_file(tmp_path / "a.parquet") as write:
        for first in range(0, len(table), len(table) // 8):
            write(table.part(slice(first, first + len(table) // 8)))
        write(table.part(slice(0, 5)))
    about = pyarrow.parquet.read_metadata(tmp_path / "a.parquet")
    assert [about.row_group(part).num_rows for part in range(about.num_row_groups)] == [len(table), 5]
    table.write(tmp_path / "b.parquet")  # no partial block at the end
    assert pyarrow.parquet.read_metadata(tmp_path / "b.parquet").num_rows == len(table)


def test_a_table_says_what_it_is() -> None:
    table = DataTable("events", (DataColumn("x", np.arange(30), "how <many>", "jobs"),))
    assert repr(table) == "<events: 30 rows of x>"
    html = table._repr_html_()
    assert 'title="how &lt;many&gt;, in units of jobs"' in html
    assert "<td>0</td>" in html and "<td>29</td>" in html and "<td>15</td>" not in html
    with pytest.raises(KeyError, match="found the column 'y', allowed: x"):
        table["y"]


def test_rows_may_lack_columns() -> None:
    table = table_of_records("rows", [{"what": "a", "paper": 1.5}, {"what": "b", "at": "here"}])
    assert list(table.records()) == [
        {"what": "a", "paper": 1.5, "at": None},
        {"what": "b", "paper": None, "at": "here"},
    ]
    assert np.isnan(table["paper"][1])


def test_an_exact_parameter_is_a_number_in_tables_and_stays_exact_in_json() -> None:
    at: list[dict[str, str | int | float]] = [{"alpha": 1, "g": "log^2", "L": 20}, {"alpha": "3/2", "g": 1, "L": 60}]
    found = Result("x", "quick", (*(Row("reward", 0.5, at=one) for one in at), Row("worst", 0.1)), ())
    table = found.table
    alpha, g, servers = (table.column(name) for name in ("alpha", "g", "L"))
    assert alpha.values[:2].tolist() == [1.0, 1.5]
    assert alpha.known is not None
    assert alpha.known.tolist() == [True, True, False]
    assert servers.values.dtype.kind == "i"
    assert g.values[:2].tolist() == ["log^2", "1"]
    assert [row.get("alpha") for row in found.as_dict()["rows"]] == [1, "3/2", None]


def test_a_columns_type_is_the_declared_one_whatever_its_rows_hold() -> None:
    declared = DeclaredColumn("paper", float, "what the paper gives", "jobs"), DeclaredColumn("exact", str)
    for records in ([], [{"what": None, "paper": None, "exact": None}], [{"paper": 3}, {"exact": "1/2"}]):
        schema = table_of_records("rows", records, declared).to_arrow().schema
        assert [str(schema.field(name).type) for name in ("paper", "exact")] == ["double", "string"]
        assert schema.field("paper").metadata == {b"about": b"what the paper gives", b"unit": b"jobs"}
    assert str(table_of_records("rows", [{"what": None}]).to_arrow().schema.field("what").type) == "string"
    assert str(DataTable("hits", (DataColumn("x", np.array([], object)),)).to_arrow().schema[0].type) == "string"
    result = Result("dra-x", "small", (Row("a", 1.0), Row("b", 2.0)), ())
    assert [str(field.type) for field in result.table.to_arrow().schema] == ["string", *["double"] * 3, "string"]
    assert result.points.names == ["figure", "curve", "half_width"]


@pytest.mark.parametrize(
    ("path", "said"),
    [("a.xlsx", r"found a name that ends in '.xlsx', allowed: .csv or .parquet"), ("no/a.csv", "cannot be written")],
)
def test_what_cannot_be_written_is_said(path: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said), table_file(tmp_path / path):
        raise AssertionError("never here")


def test_without_pyarrow_csv_is_still_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(data_tables, "import_module", missing)
    table = DataTable("one", (DataColumn("x", np.arange(3)),))
    table.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").split() == ["x", "0", "1", "2"]
    for act in (table.to_arrow, lambda: table.write(tmp_path / "a.parquet")):
        with pytest.raises(UserError, match=r"pip install 'slotscope\[data\]'"):
            act()
