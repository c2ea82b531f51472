"""The scenario form: what it shows and keeps, its error messages, and the intents that it emits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QComboBox

from slotscope.gui.intents import ApplyScenario
from slotscope.gui.panels.scenario_cells import ScenarioCell, type_pixmap
from slotscope.gui.panels.scenario_fields import (
    as_number,
    as_text,
    check,
    dotted,
    parameters_of,
    put,
    titles_with,
    value_at,
)
from slotscope.gui.panels.scenario_form import ScenarioPanel
from slotscope.model.api import Session
from slotscope.model.policies import POLICIES_OF
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from tests.gui.painted import colours_at, wheel
from tests.gui.windows import on_screen

CONSTANTS = ("title", "description", "paper", "system", "resources", "workload")


@pytest.fixture(scope="module")
def frame():
    return Session.open("dra-vms", kernel=False).frame()


def frame_of(**changes):
    data = as_data(load_scenario("dra-vms"))
    return Session.open(parse_scenario(data | changes), kernel=False).frame()


@pytest.fixture
def panel(qtbot, theme, frame):
    panel = on_screen(qtbot, ScenarioPanel(theme), 440, 900)
    panel.set_frame(frame)
    return panel


def cell(panel, path: str):
    return panel._by_path()[path]


def retype(panel, qtbot, path: str, text: str):
    """Replace the text of a field by *text*, key by key."""
    field = cell(panel, path).field
    field.setFocus()
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClicks(field, text)
    panel.validate()
    return cell(panel, path)


def choose(box, text: str) -> None:
    """Choose an entry of a combo box, as a click in its list does."""
    box.setCurrentText(text)
    box.activated.emit(box.currentIndex())
    assert box.currentText() == text


def press(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def applied(panel, qtbot, button) -> ApplyScenario:
    with qtbot.waitSignal(panel.intent) as caught:
        press(qtbot, button)
    return caught.args[0]


class TestData:
    def test_paths_are_written_as_in_errors(self):
        assert dotted(("job_types", 2, "service", "mean")) == "job_types[2].service.mean"

    def test_values_are_found_and_put(self):
        data = {"a": [{"b": 1}]}
        assert value_at(data, ("a", 0, "b")) == 1
        assert value_at(data, ("a", 1, "b")) is value_at(data, ("c", "b")) is None
        put(data, ("c", "d"), 2)
        put(data, ("a", 0, "b"), None)
        assert data == {"a": [{}], "c": {"d": 2}}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("12", 12),
            ("-3", -3),
            ("3/5", "3/5"),
            ("0.5", "0.5"),
            ("log^1.1", "log^1.1"),
            ("16 GB", "16 GB"),
            ("", ""),
            ("9" * 5000, "9" * 5000),
        ],
    )
    def test_only_whole_numbers_are_taken_as_numbers(self, text, value):
        assert as_number(text) == value

    def test_plain_values_are_shown_as_one_types_them(self):
        assert [as_text(value) for value in (True, None, 2, 0.5, "3/5")] == ["true", "", "2", "0.5", "3/5"]

    def test_every_policy_can_be_chosen(self):
        for system, policies in POLICIES_OF.items():
            assert set(titles_with("", system)) == set(policies)
        assert parameters_of("first-fit") == ()
        factor, workload, *_ = parameters_of("dra")
        assert (workload.default, workload.choices) == ("jobs", ("jobs", "given", "window"))
        assert (factor.name, factor.default, factor.choices) == ("reservation_factor", "log^1.1", ())

    def test_all_faults_are_found_at_once(self):
        data = as_data(load_scenario("dra-vms"))
        data |= {"seed": -1, "policy": {"name": "dra", "parameters": {"reservation_factor": "x"}}}
        places = {problem.where for problem in check(data).problems}
        assert places == {"seed", "policy.parameters.reservation_factor"}

    def test_a_factor_of_zero_is_a_fault_of_the_policy(self):
        data = as_data(load_scenario("dra-vms"))
        data["servers"] = {**data["servers"], "count": 1}
        (problem,) = check(data).problems
        assert problem.where == "policy.parameters"
        assert "log 1 = 0" in problem.message

    def test_an_unknown_policy_is_a_fault_of_its_name(self):
        data = as_data(load_scenario("dra-vms")) | {"policy": {"name": "drx"}}
        assert [problem.where for problem in check(data).problems] == ["policy.name"]


class TestFilling:
    def test_it_shows_what_runs(self, panel, frame):
        assert panel.data() == as_data(frame.info.scenario)
        assert not panel.edited
        assert cell(panel, "servers.count").text == "180"
        assert cell(panel, "job_types[2].workload").text == "4/3"
        assert cell(panel, "policy.parameters.reservation_factor").text == "log^1.1"
        assert cell(panel, "policy.name").field.currentText() == "DRA"
        assert panel.message.text() == "This is what runs."
        assert not panel.revert.isEnabled()

    def test_what_the_form_does_not_know_is_kept(self, panel, frame, qtbot):
        retype(panel, qtbot, "seed", "7")
        data, running = panel.data(), as_data(frame.info.scenario)
        assert {key: data[key] for key in CONSTANTS} == {key: running[key] for key in CONSTANTS}
        assert [item["priority"] for item in data["job_types"]] == [0, 0, 0, 0]
        assert data["run"]["time_unit"] == "mean service times"

    def test_a_choice_that_is_not_given_shows_its_default_and_stays_ungiven(self, panel, qtbot):
        parameters = {"reservation_factor": 7}
        panel.set_frame(frame_of(policy={"name": "dra-preemption", "parameters": parameters}))
        retry = cell(panel, "policy.parameters.retry")
        assert retry.text == "false"
        assert panel.data()["policy"]["parameters"] == parameters
        retry.set_text("true")
        assert panel.data()["policy"]["parameters"] == parameters | {"retry": True}

    def test_a_list_of_numbers_is_typed_with_commas(self, panel, qtbot):
        panel.set_frame(frame_of(policy={"name": "dra", "parameters": {"workload": "given"}}))
        cell(panel, "policy.parameters.estimate").set_text("2, 1/2, 4/3, 1")
        assert check(panel.data()).problems == ()
        cell(panel, "policy.parameters.estimate").set_text("2, -1")
        assert [item.where for item in check(panel.data()).problems] == ["policy.parameters.estimate[1]"]

    def test_another_scenario_refills_it(self, panel):
        panel.set_frame(frame_of(seed=99, title="another one"))
        assert cell(panel, "seed").text == "99"
        assert cell(panel, "title").text == "another one"

    def test_edits_are_not_lost_to_another_scenario(self, panel, qtbot):
        retype(panel, qtbot, "seed", "7")
        panel.set_frame(frame_of(seed=99))
        assert cell(panel, "seed").text == "7"
        assert panel.message.text() == "The run uses another scenario: Revert to load it."
        press(qtbot, panel.revert)
        assert cell(panel, "seed").text == "99"
        assert not panel.edited

    def test_what_was_applied_counts_as_clean(self, panel, qtbot):
        retype(panel, qtbot, "seed", "7")
        panel.set_frame(frame_of(seed=7))
        assert not panel.edited
        assert panel.message.text() == "This is what runs."

    def test_frames_emit_nothing(self, panel, frame):
        seen = []
        panel.intent.connect(seen.append)
        panel.set_frame(frame)
        panel.set_frame(frame_of(seed=5))
        assert seen == []

    def test_a_start_full_of_a_type_is_shown_and_kept(self, panel):
        panel.set_frame(frame_of(initial={"start": "full", "type": "large"}))
        field = cell(panel, "initial").field
        assert field.currentText() == "full of large"
        assert panel.data()["initial"] == {"start": "full", "type": "large"}

    def test_a_given_start_is_kept(self, panel):
        given = {"start": "given", "servers": [{"jobs": [{"type": "small"}]}]}
        panel.set_frame(frame_of(initial=given))
        assert cell(panel, "initial").field.currentText() == "as given"
        assert panel.data()["initial"]["servers"][0]["jobs"] == [{"type": "small", "job": ""}]


class TestFaults:
    @pytest.mark.parametrize(
        ("path", "text", "words"),
        [
            ("seed", "x", "a whole number"),
            ("servers.count", "0", "at least 1"),
            ("servers.capacity.memory", "much", "a number of at least 0"),
            ("workload.scale", "0", "a number above 0"),
            ("job_types[1].reward", "-3", "a number of at least 0"),
            ("job_types[3].name", "small", "2 times"),
            ("job_types[0].service.mean", "0", "a number above 0"),
            ("run.until", "5", "warmup must be below until"),
            ("policy.parameters.reservation_factor", "log^x", "log^p"),
        ],
    )
    def test_a_fault_stands_beside_its_field(self, panel, qtbot, path, text, words):
        typed = retype(panel, qtbot, path, text)
        shown = [item for item in panel._by_path().values() if item.error.isVisible()]
        (fault,) = shown
        assert words in fault.error.text()
        assert fault is typed or path == "job_types[3].name"
        assert panel.theme.ink(panel.theme.rejection) in fault.error.styleSheet()
        assert (
            fault.error.mapTo(panel, fault.error.rect().topLeft()).y() > fault.mapTo(panel, fault.rect().topLeft()).y()
        )
        assert typed.text == text  # the typed text stays
        assert not panel.restart.isEnabled()
        assert panel.message.text() == "1 field needs attention."

    def test_it_goes_away_with_its_cause(self, panel, qtbot):
        retype(panel, qtbot, "seed", "x")
        assert cell(panel, "seed").error.isVisible()
        retype(panel, qtbot, "seed", "12")
        assert not cell(panel, "seed").error.isVisible()
        assert panel.restart.isEnabled()

    def test_it_appears_by_itself_soon_after_typing(self, panel, qtbot):
        field = cell(panel, "seed").field
        field.setFocus()
        qtbot.keyClicks(field, "x")
        qtbot.waitUntil(cell(panel, "seed").error.isVisible)

    def test_nothing_is_asked_for_while_there_is_one(self, panel, qtbot):
        cell(panel, "seed").field.setText("x")
        with qtbot.assertNotEmitted(panel.intent, wait=20):
            press(qtbot, panel.restart)
        assert cell(panel, "seed").error.isVisible()

    def test_a_type_that_fits_no_server_is_a_warning(self, panel, qtbot):
        retype(panel, qtbot, "job_types[3].demand.vCPU", "41")
        assert "fits no server" in panel.message.text()
        assert panel.restart.isEnabled()


class TestEditing:
    def test_enter_presses_a_button(self, panel, qtbot):
        """With Enter: the space bar belongs to the run."""
        retype(panel, qtbot, "seed", "7")
        panel.restart.setFocus()
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.keyClick(panel.restart, Qt.Key.Key_Return)
        assert caught.args[0].data["seed"] == 7 and not caught.args[0].carry_on

    def test_text_is_accepted_as_typed(self, panel, qtbot):
        retype(panel, qtbot, "job_types[0].workload", "7/3")
        retype(panel, qtbot, "policy.parameters.reservation_factor", "log^1.5")
        data = applied(panel, qtbot, panel.restart).data
        assert data["job_types"][0]["workload"] == "7/3"
        assert data["policy"]["parameters"]["reservation_factor"] == "log^1.5"

    def test_an_amount_may_have_its_unit(self, panel, qtbot):
        panel.set_frame(frame_of(resources=[{"name": "vCPU", "unit": "vCPU"}, {"name": "memory", "unit": "GB"}]))
        retype(panel, qtbot, "job_types[1].demand.memory", "16 GB")
        data = applied(panel, qtbot, panel.restart).data
        assert data["job_types"][1]["demand"]["memory"] == "16 GB"
        retype(panel, qtbot, "job_types[1].demand.memory", "16 vCPU")
        assert "does not fit" in cell(panel, "job_types[1].demand.memory").error.text()

    def test_a_rate_takes_the_place_of_the_workload(self, panel, qtbot):
        retype(panel, qtbot, "job_types[0].arrival_rate", "3/2")
        assert cell(panel, "job_types[0].workload").text == ""
        job_type = applied(panel, qtbot, panel.restart).data["job_types"][0]
        assert job_type["arrival_rate"] == 1.5
        assert "workload" not in job_type

    def test_a_distribution_brings_its_own_fields(self, panel, qtbot):
        service = cell(panel, "job_types[0].service.distribution").field
        choose(service, "erlang")
        retype(panel, qtbot, "job_types[0].service.phases", "3")
        data = applied(panel, qtbot, panel.restart).data
        assert data["job_types"][0]["service"] == {"distribution": "erlang", "phases": 3, "mean": 1}
        choose(service, "exponential")
        panel.validate()
        assert "job_types[0].service.phases" not in panel._by_path()

    def test_types_are_added_and_removed(self, panel, qtbot):
        press(qtbot, panel.add)
        assert [card.name for card in panel.cards] == ["small", "regular", "memory", "large", "type 5"]
        press(qtbot, panel.cards[0].remove)
        data = applied(panel, qtbot, panel.restart).data
        assert [item["name"] for item in data["job_types"]] == ["regular", "memory", "large", "type 5"]
        assert data["job_types"][-1]["demand"] == data["job_types"][-2]["demand"]

    def test_the_last_type_cannot_be_removed(self, panel, qtbot):
        for _ in range(3):
            press(qtbot, panel.cards[0].remove)
        assert len(panel.cards) == 1
        assert not panel.cards[0].remove.isEnabled()

    def test_the_start_follows_the_names_of_the_types(self, panel, qtbot):
        start = cell(panel, "initial").field
        assert isinstance(start, QComboBox)
        start.setCurrentIndex(start.findText("full of large"))
        retype(panel, qtbot, "job_types[3].name", "huge")
        assert start.currentText() == "full of huge"
        assert panel.data()["initial"] == {"start": "full", "type": "huge"}
        assert panel.restart.isEnabled()

    def test_another_policy_has_other_parameters_and_the_first_ones_come_back(self, panel, qtbot):
        retype(panel, qtbot, "policy.parameters.reservation_factor", "5")
        chooser = cell(panel, "policy.name").field
        chooser.setCurrentIndex(chooser.findText("First fit"))
        panel.validate()
        assert "policy.parameters.reservation_factor" not in panel._by_path()
        assert panel.data()["policy"] == {"name": "first-fit", "parameters": {}}
        assert panel.restart.isEnabled()
        chooser.setCurrentIndex(chooser.findText("DRA"))
        assert cell(panel, "policy.parameters.reservation_factor").text == "5"

    def test_the_wheel_and_letters_change_no_closed_choice(self, panel, qtbot):
        service = cell(panel, "job_types[0].service.distribution").field
        cell(panel, "seed").field.setFocus()
        wheel(service, QPointF(5, 5), -1)
        assert service.currentText() == "exponential"
        service.setFocus()
        wheel(service, QPointF(5, 5), -1)
        qtbot.keyClicks(service, "erlang")
        assert service.currentText() == "exponential"


class TestApplying:
    def test_restart_asks_for_the_scenario_as_edited(self, panel, frame, qtbot):
        retype(panel, qtbot, "seed", "7")
        intent = applied(panel, qtbot, panel.restart)
        assert intent == ApplyScenario(as_data(frame.info.scenario) | {"seed": 7}, False)
        assert parse_scenario(intent.data).seed == 7

    @pytest.mark.parametrize("path", ["job_types[0].workload", "workload.scale"])
    def test_continue_goes_on_from_here(self, panel, qtbot, path):
        assert not panel.go_on.isEnabled()
        retype(panel, qtbot, path, "3")
        assert panel.go_on.isEnabled()
        assert applied(panel, qtbot, panel.go_on).carry_on

    def test_fork_stands_beside_with_the_same_jobs(self, panel, frame, qtbot):
        assert not panel.fork.isEnabled()
        retype(panel, qtbot, "job_types[0].reward", "5")
        intent = applied(panel, qtbot, panel.fork)
        assert (intent.carry_on, intent.beside) == (True, True)
        assert parse_scenario(intent.data).job_types[0].reward == 5

    @pytest.mark.parametrize(
        ("path", "text"), [("servers.count", "20"), ("servers.capacity.vCPU", "50"), ("job_types[1].name", "usual")]
    )
    def test_other_servers_or_names_need_a_restart(self, panel, qtbot, path, text):
        retype(panel, qtbot, path, text)
        assert not panel.go_on.isEnabled()
        assert panel.restart.isEnabled()
        assert panel.message.text().endswith("need a restart.")

    def test_revert_drops_the_edits(self, panel, frame, qtbot):
        retype(panel, qtbot, "seed", "x")
        press(qtbot, panel.add)
        press(qtbot, panel.revert)
        assert panel.data() == as_data(frame.info.scenario)
        assert not panel.edited
        assert panel.restart.isEnabled()


class TestPicture:
    @pytest.mark.parametrize("size", [(360, 300), (420, 300), (700, 260), (1000, 300)])
    def test_it_is_not_blank_and_nothing_is_cut_off(self, panel, size):
        panel.resize(*size)
        image = panel.grab().toImage()
        assert image.width() == size[0]
        assert len(colours_at(image, 2, 2)) > 20
        form, area = panel.area.widget(), panel.area.viewport()
        assert form.width() <= area.width()
        captions = [one.caption for one in panel.findChildren(ScenarioCell) if one.isVisible()]
        assert [one.text() for one in captions if one.width() < one.sizeHint().width()] == []

    def test_a_wide_form_has_more_columns(self, panel, qtbot):
        def top(path: str) -> int:
            item = cell(panel, path)
            return item.mapTo(panel, item.rect().topLeft()).y()

        assert top("job_types[0].name") < top("job_types[0].reward")
        panel.resize(1000, 900)
        qtbot.waitUntil(lambda: top("job_types[0].name") == top("job_types[0].reward"))

    def test_types_look_different(self, panel):
        pictures = [type_pixmap(panel.theme, j, 20, 1.0, panel.font()).toImage() for j in range(4)]
        assert all(pictures[a] != pictures[b] for a in range(4) for b in range(a))

    def test_every_field_has_a_name_and_a_tooltip(self, panel):
        for item in panel._by_path().values():
            assert item.field.accessibleName()
            assert ": " in item.field.toolTip()
