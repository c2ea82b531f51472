"""Help pages and program say the same: pages, links, commands, scenarios, keys, lessons."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any, Iterator, get_args

import pytest
from pydantic import TypeAdapter

from gui.dialogs import PAGES
from model.api import Session
from model.cli import bounds_queue
from model.cli.arguments import parse
from model.engine import EventRun
from model.lab import EXPERIMENTS
from model.policies import POLICIES_OF, reference_class
from model.programs.queue.partition import LEAST_DEPTH, MOST_DEPTH
from model.scenario import queue_arrivals, queue_instance, queue_laws, queue_service
from model.scenario.load import built_in, load_scenarios, parse_scenario
from model.scenario.queue import QueueScenario
from model.systems.kinds import kind_named
from model.systems.queue.facts import records_on
from model.systems.queue.state import ARRIVED, NOW, PLACED, WAITING, WAITING_AREA
