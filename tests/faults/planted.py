"""The faults: a text of the program, its replacement, and the nearest tests."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """*old* occurs exactly once in *file*; if *new* replaces it, one of *tests* must fail."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def label(self) -> str:
        """One line that identifies the fault."""
        return f"{self.file}: {self.old.strip()!r} -> {self.new.strip()!r}"


_POLICIES = "tests/contract/test_policies.py"
_LOSS = (_POLICIES, "tests/kinds/reservation/test_gpa.py", "tests/kinds/reservation/test_golden.py")
_QUEUE = (
    "tests/kinds/queue/test_golden.py",
    "tests/kinds/queue/test_policies.py",
    "tests/kinds/queue/test_differential.py",
)
_PHASES = (
    "tests/kinds/phases/test_golden.py",
    "tests/kinds/phases/test_system.py",
    "tests/kinds/phases/test_kernels.py",
)
_TIME = ("tests/model/test_timeline_machine.py", "tests/model/test_session.py", "tests/model/test_recorder.py")
_METRICS = ("tests/contract/test_outputs.py", "tests/model/test_metrics.py", "tests/model/test_paired.py")
_CURVES = ("tests/gui/test_pyramids.py", "tests/gui/test_curves.py")
_LOOKS = ("tests/contract/test_pictures.py",)
_PANELS = ("tests/contract/test_panels.py",)
_FILES = ("tests/model/test_session_files.py",)
_STORE = ("tests/model/test_lab_store.py",)
_COMMANDS = ("tests/test_cli.py", "tests/test_cli_errors.py")
_STOPS = ("tests/model/test_question_breakpoints.py",)
_MEANING = ("tests/model/test_questions.py",)
_FORKS = ("tests/model/test_forks.py",)
_WHYS = ("tests/model/test_whys.py",)
_JOBS = ("tests/model/test_job_table.py",)
_LESSONS = ("tests/lessons/test_files.py",)
_CLAIMS = ("tests/lessons/test_claims.py",)

#: The packages of the kinds.
_IN = "model/kinds"

FAULTS = (
    # Policies of the loss system.
    Fault(f"{_IN}/reservation/policies/best_fit.py", "load.argmax()", "load.argmin()", _LOSS),
    Fault(
        f"{_IN}/reservation/policies/best_fit.py",
        "int(load.argmax())",
        "len(load) - 1 - int(load[::-1].argmax())",
        _LOSS,
    ),
    Fault(
        f"{_IN}/reservation/policies/gpa.py",
        "min([(-(-left[j] // k), j) for j, k in wanted])",
        "min([(-(-left[j] // k), j) for j, k in wanted], key=lambda one: (one[0], -one[1]))",
        _LOSS,
    ),
    Fault(f"{_IN}/reservation/policies/gpa.py", "-(-left[j] // k)", "left[j] // k", _LOSS),
    Fault(
        f"{_IN}/reservation/policies/gpa.py",
        "servers_left[pool] -= count",
        "servers_left[pool] -= 1",
        ("tests/kinds/reservation/theory/test_pools.py",),
    ),
    # Policies of queues.
    Fault(f"{_IN}/queue/policies/vqs.py", "share //= 3", "share //= 2", _QUEUE),
    Fault(f"{_IN}/queue/policies/vqs.py", "if waiting and not present:", "if waiting > 1 and not present:", _QUEUE),
    Fault(f"{_IN}/queue/policies/vqs.py", "taken += job.room[0]", "taken += 0", _QUEUE),
    Fault(f"{_IN}/queue/policies/bf_js.py", "if not view.is_stalled(server)", "if True", _QUEUE),
    # Policies of jobs with phases.
    Fault(f"{_IN}/phases/policies/jrs.py", "jobs[job_type] += 1", "jobs[job_type] = 1", _PHASES),
    Fault(
        f"{_IN}/phases/policies/jrs.py",
        "self._keep_limit(view, int(self.pool_of[server]), _first(jobs))",
        "self._keep_limit(view, int(self.pool_of[server]))",
        _PHASES,
    ),
    Fault(f"{_IN}/phases/policies/jrs.py", "if view.timer_runs(server):", "if False:", _PHASES),
    # Measures.
    Fault(f"{_IN}/queue/measures.py", "ratio(table[:, 0], table[:, 3])", "ratio(table[:, 0], table[:, 2])", _METRICS),
    Fault(f"{_IN}/phases/measures.py", "float(numbers.cost_unit)", "10 * float(numbers.cost_unit)", _METRICS),
    Fault(f"{_IN}/moldable/measures.py", "float(1 / mean)", "float(mean)", _METRICS),
    Fault(
        f"{_IN}/moldable/measures.py",
        "areas[:, j, i] / (length * numbers.servers)",
        "areas[:, j, i] / length",
        _METRICS,
    ),
    Fault(
        f"{_IN}/reservation/measures.py",
        "ratio(table[:, 2], table[:, 1] + table[:, 2])",
        "ratio(table[:, 2], table[:, 1])",
        _METRICS,
    ),
    Fault(f"{_IN}/reservation/measures.py", "jobs @ rewards / numbers.servers", "jobs @ rewards", _METRICS),
    Fault("model/measures/metrics.py", "mean = above.sum() / below.sum()", "mean = (above / below).mean()", _METRICS),
    Fault(
        "model/measures/metrics.py", "(above - mean * below) / below.mean()", "(above - mean * below) / below", _METRICS
    ),
    Fault("model/measures/growth.py", "WORKING = 1.5", "WORKING = 1.0", ("tests/model/test_growth.py",)),
    Fault("model/measures/growth.py", "(count * found + 2) / (count - 4)", "found", ("tests/model/test_growth.py",)),
    # Workloads and numbers.
    Fault(
        "model/scenario/workload.py",
        "random.lognormal(centre, spread**0.5, n)",
        "random.lognormal(centre, spread, n)",
        ("tests/model/test_workload.py", "tests/kinds/queue/test_laws.py"),
    ),
    # Time.
    Fault(
        "model/comparison/lockstep.py",
        "UPDATE: 1, TICK: 1, ARRIVAL: 2",
        "UPDATE: 2, TICK: 1, ARRIVAL: 1",
        ("tests/model/test_comparison.py",),
    ),
    Fault(
        "model/comparison/comparison.py",
        "[(self._place_of(lane, event), lane, event)",
        "[(self._place_of(lane, event)[0], lane, event)",
        ("tests/model/test_comparison.py",),
    ),
    # The window.
    Fault(
        "gui/window/history_bar.py",
        "(event - first) / (last - first)",
        "(event - first) / (last - first + 9)",
        ("tests/gui/test_history_bar.py",),
    ),
    Fault(
        "gui/pictures/layout.py",
        "x_there, y_there = x - left, y - top",
        "x_there, y_there = x, y",
        ("tests/contract/test_servers_layout.py", "tests/kinds/phases/gui/test_servers_geometry.py"),
    ),
    Fault("gui/plotting/pyramid.py", "np.fmin.reduce(rest)", "rest[0]", _CURVES),
    Fault("gui/plotting/pyramid.py", 'side="right")) - 1)', 'side="right")))', _CURVES),
    Fault("gui/pictures/legend.py", "area.x() + x, area.y()", "area.x() + x + 8, area.y()", _LOOKS),
    Fault("gui/kinds/reservation/servers_legend.py", "QColor(theme.reject_group)", "QColor(theme.greedy)", _LOOKS),
    Fault("gui/panel.py", "            self.show_frame(frame)", "            pass", _LOOKS),
    Fault("gui/kinds/reservation/groups.py", 'frozenset({"groups"})', "frozenset()", _PANELS),
    Fault("gui/kinds/reservation/lp.py", '{"bounds", "reward"}', '{"bounds"}', _PANELS),
    Fault(
        "gui/kinds/queue/__init__.py",
        'PanelEntry("weights", f"{__name__}.weights"',
        'PanelEntry("weight", f"{__name__}.weights"',
        ("tests/contract/test_kinds.py",),
    ),
    # Session files and comparisons.
    Fault("model/session/archive.py", "if found is not None and found != _digest(members):", "if False:", _FILES),
    Fault("model/draft.py", "draft.replace(place)", "place.write_bytes(draft.read_bytes())", _FILES),
    Fault(
        "model/comparison/file.py",
        "sessions[0] if sessions else None",
        "None",
        (*_FILES, "tests/model/test_comparison.py"),
    ),
    # Experiments.
    Fault("model/lab/store.py", 'item["check"] == _checksum(key, outcome)', "True", _STORE),
    Fault("model/lab/store.py", 'b"\\n" + line', "line", _STORE),
    Fault(
        "model/lab/runner.py",
        "for part in parts if part not in outcomes]",
        "for part in parts]",
        ("tests/model/test_lab_runner.py",),
    ),
    Fault(
        f"{_IN}/queue/experiments/queue_runs.py",
        "(edges[1:] + edges[:-1]) / 2",
        "edges[1:]",
        ("tests/kinds/queue/test_experiments.py",),
    ),
    # The command line.
    Fault("model/cli/output.py", "value if math.isfinite(value) else None", "value", _COMMANDS),
    Fault("model/cli/measuring.py", "first.info.seed + position", "first.info.seed", _COMMANDS),
    Fault("model/cli/measuring.py", "if warmup >= until:", "if warmup > until:", _COMMANDS),
    # Questions, and where they stop a run.
    Fault("model/questions/breakpoints.py", "count % self._entries[text].times == 0", "count > 0", _STOPS),
    Fault("model/questions/breakpoints.py", "self._hit = min((stop", "self._hit = max((stop", _STOPS),
    Fault("model/questions/parts.py", '"not": (False,)', '"not": (True,)', _MEANING),
    Fault("model/questions/understanding.py", "[place or 0]", "[0]", ("tests/model/test_questions_said.py",)),
    # What must hold, and when a run has settled down.
    Fault("model/measures/monitors.py", "if any(found.values()):", "if False:", ("tests/model/test_monitors.py",)),
    Fault("model/measures/steady.py", "/ left**2", "/ left", ("tests/model/test_steady.py",)),
    # What if, and why.
    Fault("model/forks/course.py", "leg.first <= event", "leg.first < event", _FORKS),
    Fault("model/forks/course.py", "tape[: careful - 1 - event]", "tape[: careful - event]", _FORKS),
    Fault("model/whys/tables.py", "range(len(self.conditions) - 1, -1, -1)", "range(len(self.conditions))", _WHYS),
    Fault("model/whys/tables.py", "self.count - np.cumsum(removed)", "self.count - removed", _WHYS),
    # Traces and tables.
    Fault("model/traces/swf.py", "log.offset + submit", "submit", ("tests/model/test_swf.py",)),
    Fault("model/traces/job_table.py", "_is_empty(fields[place]) for place in", "True for place in", _JOBS),
    Fault("model/traces/jobs.py", "np.lexsort((steps, times))", "np.argsort(times, kind='stable')", _JOBS),
    Fault(
        "model/reporting/data_columns.py",
        "None if self.known is None else self.known[rows]",
        "self.known if self.known is None else self.known[: len(self.values[rows])]",
        ("tests/model/test_data_tables.py",),
    ),
    # Lessons.
    Fault("model/exercises/posed.py", "posed.fault(posed.read(answer))", '""', ("tests/exercises/test_posing.py",)),
    Fault(
        "model/exercises/exercise.py",
        "max(found, key=lambda one: one.posed.effort)",
        "min(found, key=lambda one: one.posed.effort)",
        ("tests/exercises/test_difficulty.py",),
    ),
    Fault("model/lessons/marks.py", "{x:.4f},{y:.4f}", "{y:.4f},{x:.4f}", _LESSONS),
    Fault("model/lessons/lesson.py", "Thing(what, number)", "Thing(what, number - 1)", _LESSONS),
    Fault("resources/lessons/dra-1-decision.toml", "--event 14.11", "--event 14.12", _CLAIMS),
    Fault("resources/lessons/queues-3-trap.toml", "18 jobs wait", "19 jobs wait", _CLAIMS),
    Fault("resources/lessons/jrs-3-deadlock.toml", "--event 6,8", "--event 5,6", _CLAIMS),
    Fault("resources/lessons/moldable-4-lemma2.toml", "--event 11829", "--event 11810", _CLAIMS),
    Fault(
        "gui/lessons/control.py", "lesson.steps[number].text", "lesson.steps[0].text", ("tests/gui/test_lessons.py",)
    ),
    Fault("gui/window/lecture.py", "pairwise(beside)", "pairwise(beside[:1])", ("tests/gui/test_lessons.py",)),
    Fault(
        "model/lessons/lesson.py",
        "self.origins == tuple(lane.origin for lane in lanes_of(run))",
        "self.origins[0] == lanes_of(run)[0].origin",
        _LESSONS,
    ),
    # Steps.
    Fault(
        "model/running/timeline.py",
        "            self.seek(self.event - 1)",
        "            self.seek(self.event - 2)",
        _TIME,
    ),
)
