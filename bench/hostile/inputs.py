"""All hostile bodies."""

from __future__ import annotations

from bench.hostile import answers, lines, texts, values
from bench.hostile.parts import Inputs

INPUTS: Inputs = lines.INPUTS | answers.INPUTS | values.INPUTS | texts.INPUTS
"""By what they are."""
