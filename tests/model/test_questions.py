"""The language of questions: syntax, meaning, and the messages for mistakes."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.questions.asking import answers
from slotscope.model.questions.changes import StateLook
from slotscope.model.questions.fields import SampleColumns, StateValue
from slotscope.model.questions.syntax import (
    COMPARISONS,
    FunctionCall,
    Infix,
    Member,
    Name,
    Node,
    Number,
    OfThing,
    OneOf,
    Prefix,
    QuestionError,
    Turns,
    Where,
    parse,
    unless,
    written,
)
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from tests.questions_oracle import Story
from tests.runs import ran

#: A scenario of each kind of system.
SCENARIOS = {
    "reservation": "dra-classroom",
    "queue": "queues-vqs-unstable",
    "phases": "jrs-deadlock",
    "moldable": "moldable-classroom",
}
EVENTS = 60


@cache
def story(kind: str) -> Story:
    return Story(Session.open(SCENARIOS[kind], kernel=False), EVENTS)


@cache
def session(kind: str) -> Session:
    return Session.open(SCENARIOS[kind])


def words(kind: str) -> Words:
    run = session(kind)
    return Words(run.bench.kind.vocabulary, run.bench.system)


def hits(kind: str, text: str, after: int = 0, last: int = EVENTS) -> list[int]:
    run = session(kind)
    asked = [understood(text, words(kind))]
    found: list[int] = []
    for part in answers(run.bench.system, run.timeline, asked, after, last):
        found += part.hits(0)["event"].tolist()
    return found


# Random questions.


def _fields(kind: str, thing: str = ""):
    known = words(kind)
    found = known.of_thing[thing] if thing else known.fields
    return [field for field in found.values() if not field.index or known.dimensions[field.index]]


def _own(kind: str, thing: str) -> set[str]:
    return set(words(kind).of_thing[thing]) if thing else set()


@st.composite
def _value(draw, kind: str, thing: str = "", hidden: str = ""):
    """A field of an event or of a *thing*, except names that the thing *hidden* has as fields."""
    field = draw(st.sampled_from([one for one in _fields(kind, thing) if one.name not in _own(kind, hidden)]))
    if not field.index:
        return Name(0, field.name)
    members = words(kind).dimensions[field.index]
    return Member(0, field.name, Number(0, float(draw(st.integers(1, len(members))))))


@st.composite
def numbers(draw, kind: str, depth: int, thing: str = "") -> Node:
    plain = [
        st.builds(Number, st.just(0), st.one_of(st.integers(0, 60), st.floats(0, 4)).map(float)),
        _value(kind, hidden=thing),
        *([_value(kind, thing)] if thing else []),
    ]
    if depth <= 0:
        return draw(st.one_of(*plain))
    part = numbers(kind, depth - 1, thing)
    sign = st.sampled_from(("+", "-", "*", "/", "%"))
    deep = [
        st.builds(Infix, st.just(0), sign, part, part),
        st.builds(lambda one: Prefix(0, "-", one), part),
        st.builds(lambda name, *parts: FunctionCall(0, name, parts), st.sampled_from(("min", "max")), part, part),
        st.builds(lambda one: FunctionCall(0, "abs", (one,)), part),
    ]
    if thing:
        deep.append(st.builds(lambda one: Prefix(0, "was", one), numbers(kind, 0, thing)))
    else:
        deep += [
            st.builds(lambda one: Prefix(0, "was", one), part),
            st.sampled_from(sorted(words(kind).things)).flatmap(lambda what: _of_thing(kind, what)),
            _where(kind, depth, "count"),
        ]
    return draw(st.one_of(*plain, *deep))


@st.composite
def _of_thing(draw, kind: str, thing: str):
    fixed = words(kind).things[thing].fixed
    most = 30 if fixed is None else fixed(words(kind).numbers)
    return OfThing(0, thing, float(draw(st.integers(1, most))), draw(_value(kind, thing)))


@st.composite
def _where(draw, kind: str, depth: int, how: str):
    thing = draw(st.sampled_from(sorted(words(kind).things)))
    return Where(0, how, thing, draw(truths(kind, depth - 1, thing)))


@st.composite
def truths(draw, kind: str, depth: int, thing: str = "") -> Node:
    part = numbers(kind, depth - 1, thing)
    plain = [
        st.sampled_from(sorted(set(words(kind).happenings) - _own(kind, thing))).map(lambda name: Name(0, name)),
        st.builds(Infix, st.just(0), st.sampled_from(COMPARISONS), part, part),
        st.builds(lambda one, *items: OneOf(0, one, items), part, part, part),
        st.builds(lambda one: FunctionCall(0, "known", (one,)), part),
    ]
    if depth <= 0:
        return draw(st.one_of(*plain))
    truth = truths(kind, depth - 1, thing)
    deep = [
        st.builds(Infix, st.just(0), st.sampled_from(("and", "or")), truth, truth),
        st.builds(lambda one: Prefix(0, "not", one), truth),
    ]
    # An expression about a thing goes back one event at most.
    truth, part = (truths(kind, 0, thing), numbers(kind, 0, thing)) if thing else (truth, part)
    deep += [
        st.builds(lambda one: Prefix(0, "was", one), truth),
        st.builds(lambda one: Turns(0, "changes", one), st.one_of(truth, part)),
        st.builds(Turns, st.just(0), st.sampled_from(("becomes true", "becomes false")), truth),
    ]
    if not thing:
        deep.append(_where(kind, depth, "any"))
    return draw(st.one_of(*plain, *deep))


class TestReading:
    @given(st.sampled_from(sorted(SCENARIOS)).flatmap(lambda kind: truths(kind, 3)))
    def test_what_is_written_is_read_as_the_same(self, node):
        assert parse(written(node)) == node

    @pytest.mark.parametrize(
        ("text", "as_if"),
        [
            ("type = training and rejected or migrated", "((type = training) and rejected) or migrated"),
            ("not rejected and migrated", "(not rejected) and migrated"),
            ("1 + 2 * 3 - 4 < - 5", "((1 + (2 * 3)) - 4) < (-5)"),
            ("I* changes", "(I*) changes"),
            ("jobs[1] > 50 becomes true", "(jobs[1] > 50) becomes true"),
            ("was jobs[1] > 5", "(was jobs[1]) > 5"),
            ("type == 'web'", 'type = "web"'),
            ("any server where rank = 3 and empty > 0", "any server where ((rank = 3) and (empty > 0))"),
            ("server 7 . rank = 1", "(server 7.rank) = 1"),
            ("1_000 = 1e3", "1000 = 1000.0"),
        ],
    )
    def test_signs_bind_as_one_reads_them(self, text, as_if):
        assert parse(text) == parse(as_if)

    @given(st.text(max_size=60))
    def test_any_text_is_a_question_or_one_line(self, text):
        try:
            understood(text, words("reservation"))
        except QuestionError as error:
            assert "\n" not in error.line
            assert "character" in error.line


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "at", "said"),
        [
            ("rejectd", 1, "nearest: rejected"),
            ("type = trainig", 8, "nearest: training"),
            ("type = 1 and tims > 3", 14, "nearest: time"),
            ("tims > rejectd", 1, "nearest: time"),
            ("any server where rnk > 1 + fld", 18, "nearest: rank"),
            ("training = tpye", 12, "nearest: type"),
            ("jobs > 3", 1, "allowed: jobs[1] to jobs["),
            ("jobs[9] > 3", 6, "allowed: jobs[1] to jobs["),
            ("job[1] > 3", 1, "which has one value"),
            ("rejected[1]", 1, "found 'rejected[...]', which happens or not, allowed: rejected"),
            ("any servr where empty > 0", 1, "nearest: server"),
            ("server 3 . rnk = 1", 12, "nearest: rank"),
            ("rejected and server 99 . rank = 1", 14, "found server 99, allowed: 1 to 7"),
            ("server 0 . rank = 1", 1, "allowed: 1 to 7"),
            ("time", 1, "found a number"),
            ("rejected + 1 > 2", 1, "found what is true or false"),
            ("1 < 2 < 3", 7, "'and' between two comparisons"),
            ("rejected migrated", 10, "found 'migrated', expected"),
            ("count server where empty > 3", 1, "such as (count server where ...) > 3"),
            ("(sum server where empty) > 3", 2, "found 'sum server where', allowed: any or count"),
            ("max(max server where empty, 1) > 3", 5, "found 'max server where', allowed: any or count"),
            ("(rejected", 10, "found the end, expected: ')'"),
            ("rejected ! migrated", 10, "found '!'"),
            ("any server where was rank = was was empty", 33, "a second step back"),
            ("min(1) > 2", 1, "found 1 values for min(), allowed: 2"),
            ("", 1, "found the end"),
            ("__import__('os')", 11, "found '(', expected"),
            ("__class__", 1, "found the name '__class__'"),
            ("rejected.__class__", 9, "found '.', expected"),
            ("(" * 200, 51, "allowed: fewer"),
        ],
    )
    def test_they_are_one_line_with_the_place_and_what_is_near(self, text, at, said):
        with pytest.raises(QuestionError) as found:
            understood(text, words("reservation"))
        assert f"character {at}:" in found.value.line or not text
        assert said in found.value.line

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (f"{'rejected and ' * 70}rejectd{' or migrated' * 70}", "rejectd"),
            ("x" * 900, "xxx"),
            (f"{'rejected and ' * 70}(", "and ("),
            (f"rejected and {'9' * 900} > 1", "999"),
            (f"type = '{'x y ' * 200}'", "type = "),
        ],
    )
    def test_of_a_long_question_what_stands_around_the_place_is_told(self, text, told):
        with pytest.raises(QuestionError) as found:
            understood(text, words("reservation"))
        assert "character " in found.value.line and told in found.value.where and len(found.value.line) < 350


class TestMeaning:
    @pytest.mark.slow
    @pytest.mark.parametrize("kind", SCENARIOS)
    @given(data=st.data())
    def test_columns_say_what_each_event_says(self, kind, data):
        node = data.draw(truths(kind, 3))
        assert hits(kind, written(node)) == story(kind).hits(node), written(node)

    @pytest.mark.parametrize(
        "text",
        [
            "not any server where empty > 0",
            "rejected and not any server where empty > 0",
            "not (rejected and any server where empty > 0)",
            "rejected or not any server where empty > 2",
            "not was any server where empty > 2",
            "not any server where rejected and empty > 2",
            "was any server where was rejected or empty > 2 and rejected",
            "was (rejected and any server where empty > 0)",
            "(rejected and any server where empty > 2) becomes true",
            "(rejected or any server where empty > 2) becomes false",
        ],
    )
    def test_what_is_not_looked_at_could_not_have_changed_the_answer(self, text):
        assert hits("reservation", text) == story("reservation").hits(parse(text))

    @pytest.mark.parametrize(
        "way", ["{}", "not {}", "was {}", "not was {}", "{} becomes true", "was ({} becomes false)"]
    )
    @pytest.mark.parametrize("kind", SCENARIOS)
    def test_what_reads_no_server_is_so_of_all_or_of_none_and_no_state_is_looked_at(self, kind, way):
        """Also if it goes back to before the first event."""
        happens = next(iter(words(kind).happenings))
        changed = next(f.name for f in words(kind).each_field() if isinstance(f.source, SampleColumns) and not f.index)
        for text in (
            happens,
            f"was {happens} or not was event > 3",
            f"not ({changed} < 2 becomes true)",
            f"{changed} changes",
            "event changes and not event > 7 becomes true",
        ):
            for count in (f"(any server where {text})", f"((count server where {text}) > 2)"):
                asked = way.format(count)
                assert hits(kind, asked) == story(kind).hits(parse(asked)), asked
                assert all(look.of_things is not None for look in understood(asked, words(kind)).looks)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", SCENARIOS)
    @given(data=st.data())
    def test_it_does_not_matter_where_one_begins(self, kind, data):
        text = written(data.draw(truths(kind, 2)))
        after = data.draw(st.integers(0, EVENTS))
        assert hits(kind, text, after) == [event for event in hits(kind, text) if event > after]

    @pytest.mark.parametrize("kind", SCENARIOS)
    def test_every_name_can_be_asked_for(self, kind):
        for word in words(kind).all():
            found = understood(word.text, words(kind), truth=False)
            if not found.part.truth:
                understood(f"known({word.text}) or {word.text} changes", words(kind))

    def test_members_are_called_by_name_or_number(self):
        assert hits("reservation", "type = 1") == hits(
            "reservation", f"type = {words('reservation').dimensions['type'][0]}"
        )

    @pytest.mark.parametrize("text", ["event = type + jobs", "type = jobs", "type in (jobs, 2)", "jobs > type"])
    def test_a_member_called_like_a_field_is_meant_beside_its_dimension_only(self, text):
        """In the scenario with moldable jobs, the class is called jobs, as a field is."""
        assert any("jobs" in members for members in words("moldable").dimensions.values())
        assert hits("moldable", text) == story("moldable").hits(parse(text))

    @pytest.mark.parametrize(
        ("text", "fails", "known"),
        [
            ("source < server and migrated", "source >= server or not migrated", "not migrated or known(source)"),
            (
                "source in (1, 2) or rejected",
                "source != 1 and source != 2 and not rejected",
                "rejected or known(source)",
            ),
            ("not (rejected or server > 2)", "rejected or server > 2", "true"),
            ("any server where empty > 3", "not any server where empty > 3", "true"),
            ("source = 1 changes", "not source = 1 changes", "true"),
        ],
    )
    def test_what_ought_to_hold_fails_where_what_it_compares_is_known(self, text, fails, known):
        assert parse(unless(text)) == parse(fails) and (hits("reservation", text) or hits("reservation", fails))
        found = sorted([*hits("reservation", text), *hits("reservation", unless(text))])
        assert found == hits("reservation", known)

    def test_a_comparison_with_what_is_missing_is_false(self):
        assert hits("reservation", "source = 1 or source != 1") == hits("reservation", "known(source)")

    @pytest.mark.parametrize(
        "text", ["rejected and any server where empty > 0", "any server where empty > 0 and rejected"]
    )
    def test_states_are_looked_at_only_where_the_rest_leaves_it_open(self, text):
        run = session("reservation")
        asked = understood(text, words("reservation"))
        stops: list[int] = []
        look = asked.looks[0]
        asked.looks[0] = StateLook(lambda table: (stops.append(1), look.read(table))[1])
        rejected = len(hits("reservation", "rejected"))
        for _ in answers(run.bench.system, run.timeline, [asked], 0, EVENTS):
            pass
        assert len(stops) == rejected

    def test_what_samples_tell_of_slots_and_groups_agrees_with_the_servers(self):
        grouped = "reject_group = (count server where in_reject_group = 1)"
        assert len(hits("reservation", grouped)) == EVENTS
        empty = "(empty_slots[1] + empty_slots[2] + empty_slots[3] > 0) != any server where empty > 0"
        assert not hits("reservation", empty)
        assert hits("reservation", "empty_slots[1] = 0 and reject_group > 0")

    def test_a_backup_server_is_that_of_the_sentence(self):
        run = ran("jrs-deadlock", events=EVENTS)
        said = [run.info.narrator.row(row) for row in run.timeline.rows(1, EVENTS)]
        for server in (1, 3):
            named = [event for event, line in enumerate(said, 1) if re.search(rf"backup server {server}\b", line)]
            assert hits("phases", f"backup_server = {server}") == named != []
        assert not hits("phases", "known(backup_server) and known(server)")

    def test_the_run_stays_where_it_is(self):
        run = Session.open("dra-classroom", kernel=False)
        run.seek(5)
        list(answers(run.bench.system, run.timeline, [understood("rejected", words("reservation"))], 0, 200))
        assert (run.timeline.event, run.timeline.live_end) == (5, 5)


class TestDeclarations:
    @pytest.mark.parametrize("kind", KINDS)
    def test_each_flag_has_one_word(self, kind):
        vocabulary = kind_named(kind).vocabulary
        flags = [each.flag for each in vocabulary.happenings]
        assert len(set(flags)) == len(flags)
        assert len({each.word for each in vocabulary.happenings}) == len(flags)
        assert not {each.word for each in vocabulary.happenings} & {field.name for field in vocabulary.fields}

    @pytest.mark.parametrize("kind", KINDS)
    def test_rows_and_samples_agree_with_states(self, kind):
        known, run = words(kind), session(kind)
        for field in known.fields.values():
            if isinstance(field.source, StateValue):
                assert np.asarray(field.source.read(run.timeline.state)).ndim == (1 if field.index else 0), field.name


@pytest.mark.parametrize("kind", KINDS)
def test_values_with_ends_are_never_beyond_them(kind: str) -> None:
    known = words(kind)
    bounded = {
        field.name: len(known.dimensions[field.choices]) + field.beyond for field in known.each_field() if field.choices
    }
    fixed = {name: thing.fixed for name, thing in known.things.items() if thing.fixed is not None}
    bounded |= {name: of(known.numbers) for name, of in fixed.items() if name in known.fields}
    for name, most in bounded.items():
        beyond = f"known({name}) and ({name} < 1 or {name} > {most})"
        assert hits(kind, beyond) == []
        assert understood(f"{name} >= 1 and {name} <= {most} and {name} in (1, {most})", known).notes == ()


@pytest.mark.parametrize(
    ("text", "comparison", "where"),
    [
        ("type = 7", "type = 7", "nowhere"),
        ("rejected and type != 0", "type != 0", "wherever there is one"),
        ("type in (1, 7)", "type = 7", "nowhere"),
        ("7 < type becomes true", "type > 7", "nowhere"),
        ("-2 <= type", "type >= -2", "wherever there is one"),
        ("type = 1.5", "type = 1.5", "nowhere"),
        ("any job where type = 9", "type = 9", "nowhere"),
        ("job 3 . type > 3", "type > 3", None),
    ],
)
def test_a_comparison_beyond_a_values_ends_is_noted(text: str, comparison: str, where: str | None) -> None:
    members = words("reservation").dimensions["type"]
    text, comparison = (one.replace(" > 3", f" > {len(members)}") for one in (text, comparison))
    told = f"type is from 1 to {len(members)} ({', '.join(members)}), so that {comparison} holds {where}"
    assert understood(text, words("reservation")).notes == ((told,) if where else ())
