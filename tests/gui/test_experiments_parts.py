"""Parts of the window of experiments: texts, styles of curves, axes, ranges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.experiments.curves import LogarithmicAxis
from slotscope.gui.experiments.fields import words_of
from slotscope.gui.experiments.form import OrderForm
from slotscope.gui.experiments.listing import ExperimentList, ListedExperiment
from slotscope.gui.experiments.picture import FigurePlot, ResultPicture
from slotscope.gui.experiments.results import NumbersTable
from slotscope.gui.experiments.run_bar import RunBar
from slotscope.gui.experiments.words import (
    at_text,
    at_texts,
    duration,
    goes_on,
    kept_text,
    numbers_of,
    running_text,
    told_apart,
    typeset,
)
from slotscope.gui.plotting.looks import DASHES, SYMBOLS, looks
from slotscope.gui.theme import Theme, load_theme
from slotscope.model.errors import UserError
from slotscope.model.kinds.reservation.experiments import dra_servers
from slotscope.model.lab.results import Curve, Figure, Row
from slotscope.model.lab.runner import Status, run_plan
from tests.gui.painted import type_of
from tests.gui.windows import on_screen

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "policies"

FIGURE = Figure(
    "some",
    "Some figure",
    "servers L",
    "reward / U*",
    (Curve("g = 1", (20.0, 60.0), (0.7, 0.8), (0.01, float("nan"))), Curve("g = 2", (20.0,), (0.6,), (0.02,))),
    levels=(("U^(g) / U*", 0.86),),
    marks=(("60", 60.0),),
    logarithmic_x=True,
)


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def plot(qtbot: QtBot, theme: Theme) -> FigurePlot:
    made = FigurePlot(FIGURE, theme)
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    return made


class TestWords:
    def test_symbols_are_set_as_in_the_papers(self) -> None:
        assert typeset("DRA, g(L) = log^1.1") == "DRA, g(L) = log¹·¹"
        assert typeset("U^(g) / U*, alpha = 1, alphabet") == "U⁽ᵍ⁾ / U*, α = 1, alphabet"

    def test_curves_are_named_by_what_differs(self) -> None:
        names = ["policy.parameters.reservation_factor = log^2, policy = dra", "x = 1, policy = dra"]
        assert list(told_apart(names).values()) == ["reservation_factor = log²", "x = 1"]
        assert told_apart(["x = 1, y = 2"]) == {"x = 1, y = 2": "x = 1, y = 2"}
        assert told_apart([]) == {}

    def test_numbers_have_the_digits_that_are_known(self) -> None:
        assert numbers_of(Row("a", 0.84123456, 0.0016)) == ("–", "0.8412", "0.0016")
        assert numbers_of(Row("a", 799 / 927, paper=0.862)) == ("0.862", "0.8619", "exact")
        assert numbers_of(Row("a", 3.0, float("nan")))[2] == "–"
        assert at_text(Row("a", 0.0, at={"g": "log^2", "L": 180})) == "g = log², L = 180"

    def test_rows_say_what_tells_them_apart_first(self) -> None:
        rows = [
            Row("n", 0.0, at={"policy": policy, "servers.count": count, "run.warmup": 5})
            for policy in ("dra", "first-fit")
            for count in (20, 180)
        ]
        assert at_texts(rows) == [
            "dra, count = 20",
            "dra, count = 180",
            "first-fit, count = 20",
            "first-fit, count = 180",
        ]
        twins = [Row("n", 0.0, at={"a.rate": number, "b.rate": 2 * number}) for number in (1, 2)]
        assert at_texts(twins) == ["a.rate = 1, b.rate = 2", "a.rate = 2, b.rate = 4"]
        named = [Row("n", 0.0, at={"traffic": load, "n": 100}) for load in ("α = 0", "α = 1/2")]
        assert at_texts(named) == ["α = 0", "α = 1/2"]
        assert at_texts(rows[:1]) == ["dra, count = 20, warmup = 5"]
        assert at_texts([]) == []
        own = [Row("n", 0.0, at={"policy": policy}) for policy in ("far/mine.py", "greedy-p")]
        assert at_texts(own) == ["mine.py", "greedy-p"]
        assert list(told_apart(["policy = a, x = 1", "policy = b, x = 1"]).values()) == ["a", "b"]

    def test_what_tells_rows_apart_is_never_cut(self, qtbot: QtBot) -> None:
        rows = tuple(
            Row("blocking probability", 0.5, at={"speed-up": "sub-linear", "policy": "greedy-p", "servers": count})
            for count in (100, 10_000)
        )
        table = NumbersTable()
        qtbot.addWidget(table)
        table.show_rows((*rows, Row("sum", 1.0, at={"servers": 1})))
        table.resize(900, 300)
        table.show()
        one_line = table.rowHeight(2)
        assert table.rowHeight(0) == one_line
        table.resize(420, 300)
        qtbot.waitUntil(lambda: table.rowHeight(0) >= one_line + table.fontMetrics().height())
        assert table.rowHeight(2) == one_line

    @pytest.mark.parametrize(
        ("seconds", "text"), [(-3.0, "a moment"), (40.0, "about 40 s"), (125.0, "about 2 min"), (5400.0, "about 1.5 h")]
    )
    def test_times_left(self, seconds: float, text: str) -> None:
        assert duration(seconds).replace("\u202f", " ") == text

    def test_states(self) -> None:
        assert kept_text(0, 40) == "not run"
        assert kept_text(12, 40) == "12 of 40 parts kept"
        assert kept_text(40, 40) == "done"
        assert goes_on(12, 40) == "12 of 40 parts kept; Run goes on from there."
        assert goes_on(0, 40) == goes_on(40, 40) == ""
        status = Status(12, 40, 0, 0.43, 130.0)
        assert running_text(status, 10.0).replace("\u202f", " ") == ("running 43 %, about 2 min left")
        assert running_text(status, 1000.0).replace("\u202f", " ") == "running 43 %, longer than estimated"
        assert "making ready" in running_text(None)

    def test_errors_name_no_option_of_a_command(self) -> None:
        error = UserError("cannot be written; choose another folder with --out", where="--out")
        assert words_of(error) == "cannot be written; choose another folder"
        error = UserError("found 0", where="--vary servers.count=0: servers.count")
        assert words_of(error) == "servers.count=0: servers.count: found 0"


class TestLooks:
    def test_curves_differ_in_more_than_their_colour(self, theme: Theme) -> None:
        found = looks([f"curve {number}" for number in range(12)])
        signs = {(look.number % len(SYMBOLS), look.number % len(DASHES)) for look in found.values()}
        assert len(signs) == 12
        assert len({look.color(theme) for look in list(found.values())[:9]}) == 9

    def test_colours_with_a_meaning_are_kept(self, theme: Theme) -> None:
        found = looks(["optimum U*", "global greedy U^(g)", "DRA"])
        colors = [look.color(theme) for look in found.values()]
        assert colors == [theme.optimum, theme.greedy, theme.run]

    def test_a_curve_keeps_its_look_while_others_appear(self, plot: FigurePlot, theme: Theme) -> None:
        first, second = FIGURE.curves
        plot.show_figure(replace(FIGURE, curves=(second,)), complete=False)
        before = plot._curves[second.name].look
        plot.show_figure(FIGURE, complete=False)
        assert plot._curves[second.name].look == before
        plot.show_figure(FIGURE, complete=True)  # as in the saved picture
        assert plot._curves[first.name].look == before
        plot.show_figure(replace(FIGURE, curves=(first,)), complete=False)
        assert list(plot._curves) == [first.name]

    @pytest.mark.parametrize("order", [(0,), (1,), (1, 0), (0, 1)])
    def test_the_plan_decides_how_a_curve_looks_and_not_what_came_first(
        self, plot: FigurePlot, order: tuple[int, ...]
    ) -> None:
        planned = tuple(curve.name for curve in FIGURE.curves)
        wanted = looks(list(planned))
        for count in range(1, len(order) + 1):
            curves = tuple(FIGURE.curves[place] for place in sorted(order[:count]))
            figure = replace(FIGURE, curves=curves, planned=planned)
            for complete in (False, True):
                plot.show_figure(figure, complete=complete)
                for curve in curves:
                    assert plot._curves[curve.name].look == wanted[curve.name]


class TestPlot:
    def test_all_points_levels_and_marks_are_in_view(self, plot: FigurePlot) -> None:
        plot.show_figure(FIGURE, complete=False)
        (left, right), (low, high) = plot.getPlotItem().getViewBox().viewRange()
        assert left < 1.301 < 1.779 < right
        assert low <= 0.58
        assert high >= 0.86
        texts = [label.text for label, _, _ in plot._column.placed()]
        assert any(text.startswith("U⁽ᵍ⁾ / U* 0.86") for text in texts)
        assert {text[2:] for text in texts[1:]} == {"g = 1", "g = 2"}
        assert plot._marks["60"].value() == pytest.approx(1.778, abs=1e-3)

    def test_outermost_points_of_a_linear_axis_are_whole_and_half_a_server_has_no_tick(
        self, qtbot: QtBot, theme: Theme
    ) -> None:
        figure = replace(FIGURE, curves=(Curve("g = 1", (5.0, 6.0, 7.0), (0.7, 0.8, 0.9)),), marks=())
        plot = FigurePlot(replace(figure, logarithmic_x=False), theme)
        qtbot.addWidget(plot)
        plot.resize(700, 400)
        plot.show()
        plot.show_figure(plot.figure, complete=True)
        dots, view = plot._curves["g = 1"]._dots.points(), plot.getPlotItem().getViewBox()
        places = [view.mapViewToScene(dot.pos()).x() for dot in dots]
        frame = view.mapRectToScene(view.boundingRect())
        assert frame.left() + dots[0].size() / 2 <= places[0] and places[-1] <= frame.right() - dots[-1].size() / 2
        assert plot._bottom.ticks() == [5.0, 6.0, 7.0]

    @pytest.mark.parametrize("comes_first", [5.0, 8.0, 180.0])
    def test_the_axis_across_is_that_of_the_points_also_where_one_came_first(
        self, qtbot: QtBot, theme: Theme, comes_first: float
    ) -> None:
        """A plot that fills gradually ends like one opened later, and its range hardly changes on the way."""
        values = (5.0, 6.0, 7.0, 8.0) if comes_first < 100 else (20.0, 60.0, 180.0)
        whole = replace(FIGURE, curves=(Curve("g = 1", values, values),), marks=(), logarithmic_x=False)

        def shown(*known: tuple[float, ...]) -> list[tuple[float, float]]:
            plot = FigurePlot(whole, theme)
            qtbot.addWidget(plot)
            plot.resize(700, 400)
            plot.show()
            ranges = []
            for points in known:
                curve = Curve("g = 1", points, points)
                plot.show_figure(replace(whole, curves=(curve,)), complete=points == values)
                ranges.append(tuple(plot.getPlotItem().viewRange()[0]))
            return ranges

        (opened,) = shown(values)
        assert opened[0] > values[0] - 0.2 * (values[-1] - values[0])
        early, middle, end = shown((comes_first,), tuple(sorted({values[0], values[1], comes_first})), values)
        assert end == opened
        assert middle[1] - middle[0] <= 1.1 * (opened[1] - opened[0])
        assert early[0] < comes_first < early[1]

    def test_a_point_without_an_interval_is_hollow(self, plot: FigurePlot, theme: Theme) -> None:
        plot.show_figure(FIGURE, complete=False)
        dots = plot._curves["g = 1"]._dots.points()
        filled, hollow = (dot.brush().color().name() for dot in dots)
        assert hollow == theme.panel
        assert filled == plot._curves["g = 1"].look.color(theme)

    def test_bars_and_bands_are_the_points_and_their_half_widths(self, plot: FigurePlot) -> None:
        curve = Curve("g = 1", (10.0, 100.0), (0.75, 1.0), (0.25, 0.5))
        plot.show_figure(replace(FIGURE, curves=(curve,)), complete=False)
        drawn = plot._curves["g = 1"]
        assert drawn._low.getData()[1].tolist() == [0.5, 0.5]
        assert drawn._high.getData()[1].tolist() == [1.0, 1.5]
        assert [one.getData()[0].tolist() for one in drawn._band.curves] == [[1.0, 2.0]] * 2
        drawn._bars.drawPath()
        path = drawn._bars.path
        ends = {(path.elementAt(n).x, path.elementAt(n).y) for n in range(path.elementCount())}
        assert ends == {(1.0, 0.5), (1.0, 1.0), (2.0, 0.5), (2.0, 1.5)}

    def test_points_are_crossed_out_where_the_figure_says_so(
        self, qtbot: QtBot, plot: FigurePlot, theme: Theme
    ) -> None:
        first, second = FIGURE.curves
        crossed = (replace(first, crossed=(False, True)), replace(second, crossed=(True,)))
        figure = replace(FIGURE, curves=crossed, crossed_out="over the budget")
        plot.show_figure(figure, complete=False)
        points = plot._crosses.points()
        assert [(round(10 ** point.pos().x()), point.pos().y()) for point in points] == [(60, 0.8), (20, 0.6)]
        image, view = plot.grab().toImage(), plot.getPlotItem().getViewBox()
        for point in points:
            at = plot.mapFromScene(view.mapViewToScene(point.pos()))
            red, green, blue, _ = image.pixelColor(at).getRgb()  # antialiased at the edges of the cross
            assert red > 2 * max(green, blue)
        plot.show_figure(FIGURE, complete=True)
        assert len(plot._crosses.points()) == 0

    def test_a_wild_interval_does_not_flatten_the_rest(self, plot: FigurePlot) -> None:
        wild = Curve("g = 1", (20.0, 60.0), (0.7, 0.8), (50.0, 0.01))
        plot.show_figure(replace(FIGURE, curves=(wild,)), complete=False)
        low, high = plot.getPlotItem().getViewBox().viewRange()[1]
        assert high - low < 1.0

    def test_long_curves_have_few_symbols(self, plot: FigurePlot) -> None:
        many = Curve("g = 1", tuple(map(float, range(1, 500))), (0.5,) * 499)
        plot.show_figure(replace(FIGURE, curves=(many,)), complete=False)
        assert len(plot._curves["g = 1"]._dots.points()) < 10

    def test_logarithmic_ticks_are_round_numbers(self) -> None:
        axis = LogarithmicAxis("bottom", "L")
        [(_, places)] = axis.tickValues(1.25, 3.05, 600)
        assert axis.tickStrings(places, 1.0, 1.0) == ["20", "50", "100", "200", "500", "1\u202f000"]


class TestPicture:
    def test_names_that_have_no_room_at_the_ends_stand_whole_below(self, qtbot: QtBot, theme: Theme) -> None:
        picture = ResultPicture(theme)
        qtbot.addWidget(picture)
        names = [f"g = {place}, servers of {'several ' * 4}kinds" for place in (1, 2)]
        curves = tuple(replace(curve, name=name) for curve, name in zip(FIGURE.curves, names, strict=True))
        picture.resize(400, 400)
        picture.show()
        picture.show_figures((replace(FIGURE, curves=(*curves, FIGURE.curves[0])),), "", complete=True)
        plot = picture.plot
        assert plot is not None

        def at_ends() -> set[str]:
            return {label.text for label, _, _ in plot._column.placed()}

        qtbot.waitUntil(lambda: at_ends() == {"●", "■", "▲", "0.86"})
        assert picture.names.isVisible()
        document = QTextDocument()
        document.setHtml(picture.names.text())
        assert all(
            name in document.toPlainText()
            for name in ("U⁽ᵍ⁾ / U* 0.86", *(f"{sign} {name}" for sign, name in zip("●■", names, strict=True)))
        )
        qtbot.waitUntil(lambda: picture.names.heightForWidth(picture.names.width()) <= picture.names.height())
        picture.resize(1600, 400)
        qtbot.waitUntil(lambda: at_ends() >= {f"● {names[0]}", f"■ {names[1]}"})
        assert not picture.names.isVisible()

    def test_several_figures_stand_behind_tabs(self, qtbot: QtBot, theme: Theme) -> None:
        picture = ResultPicture(theme)
        qtbot.addWidget(picture)
        picture.show()
        other = replace(FIGURE, name="other", title="Another", y_label="arrivals")
        picture.show_figures((FIGURE, other), "nothing yet", complete=True)
        assert picture.tabs.isVisible()
        picture.tabs.setCurrentIndex(1)
        assert picture.plot is not None
        assert picture.plot.figure is other
        picture.show_figures((), "nothing yet", complete=True)
        assert picture.plot is None
        assert picture.note.isVisible()
        assert not picture.tabs.isVisible()

    def test_a_line_says_what_crosses_mean(self, qtbot: QtBot, theme: Theme) -> None:
        picture = ResultPicture(theme)
        qtbot.addWidget(picture)
        picture.show()
        crossed = replace(FIGURE.curves[1], crossed=(True,))
        figure = replace(FIGURE, curves=(crossed,), crossed_out="over the budget")
        picture.show_figures((figure,), "", complete=False)
        assert picture.crossed.isVisible()
        assert picture.crossed.text() == "crossed: over the budget"
        assert theme.rejection in picture.crossed.styleSheet()
        picture.show_figures((FIGURE,), "", complete=True)
        assert not picture.crossed.isVisible()


class TestForm:
    @pytest.mark.slow
    def test_a_policy_of_one_s_own_runs_beside_those_of_an_experiment(
        self, qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dra_servers, "SCALES", {"quick": dra_servers.ServersScale((5, 8), 2, 100.0)})
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        settings.setValue("experiments/folder", str(tmp_path / "results"))
        form = OrderForm(settings, theme)
        qtbot.addWidget(form)
        form.show()
        form.set_entry("dra-fig2")
        assert not form.beside.isVisible()
        form.set_entry("dra-fig3")
        qtbot.keyClicks(form.beside.area, "jrs")
        assert form.order() is None
        assert "a policy of phases systems" in form.beside.fault.text()
        form.beside.area.selectAll()
        qtbot.keyClicks(form.beside.area, str(EXAMPLES / "keep_room.py"))
        order = form.order()
        assert order is not None and form.beside.fault.text() == ""
        rows = run_plan(order.plan(), order.scale, order.options).rows
        assert [row.at["policy"] for row in rows if "policy" in row.at] == ["keep_room.py"] * 2


class TestList:
    def test_an_entry_is_changed_where_it_stands(self, qtbot: QtBot, theme: Theme) -> None:
        listed = ExperimentList(theme)
        qtbot.addWidget(listed)
        for key in "abc":
            listed.put(ListedExperiment(key, f"Title {key}", "Paper", "not run"))
        listed.choose("b")
        listed.tell("b", "running 43 %", 0.43, running=True)
        assert listed.count() == 3
        assert listed.current() == "b"
        assert listed.entry("b").state == "running 43 %"
        narrow = listed.sizeHintForRow(0)
        listed.put(ListedExperiment("a", "A title that is far too long for one line " * 3, "Paper", ""))
        assert listed.sizeHintForRow(0) > narrow


def test_what_is_said_beside_the_buttons_takes_no_width_from_the_list(qtbot: QtBot) -> None:
    with type_of(lecture=True):
        bar = on_screen(qtbot, RunBar(load_theme("light")), 700, 60)
        bar.show_state("running 100 %", 1.0)
        usual = bar.minimumSizeHint().width()
        bar.show_state("One experiment at a time: Psychas & Ghaderi (2022), Figure 2 runs.", None)
        QApplication.sendPostedEvents()  # delivers the layout request
        assert bar.minimumSizeHint().width() <= usual
        bar.show_state("running 100 %", 1.0)
        assert not bar.state.wordWrap()
