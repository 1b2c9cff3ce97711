"""A few sentences, and where the chosen embedder places them."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BREAD",
    "BUTTER",
    "DRAWS_5",
    "DRAWS_7",
    "DRAWS_9",
    "ELSEWHERE",
    "NIGHT",
    "NIGHT_AGAIN",
    "NIGHT_SHOUTED",
    "PLACES",
]

NIGHT: Final = "The pump runs at night."
#: The same canonical form.
NIGHT_SHOUTED: Final = "the pump   runs at NIGHT"
#: Near-identical, the same content words, another canonical form.
NIGHT_AGAIN: Final = "A pump runs at the night."
#: Three that contradict each other.
DRAWS_5: Final = "The pump draws 5 kW at night."
DRAWS_7: Final = "The pump draws 7 kW at night."
DRAWS_9: Final = "The pump draws 9 kW at night."
#: Close, and both can be true.
BREAD: Final = "Ana likes pea soup with fresh bread."
BUTTER: Final = "Ana likes pea soup with bread and butter."
#: Close to nothing.
ELSEWHERE: Final = "Wolves were seen near the northern ridge."

PLACES: Final = {
    NIGHT: ("night", 0.0),
    NIGHT_SHOUTED: ("night", 0.0),
    NIGHT_AGAIN: ("night", 0.01),
    DRAWS_5: ("draws", 0.0),
    DRAWS_7: ("draws", 0.04),
    DRAWS_9: ("draws", 0.1),
    BREAD: ("soup", 0.0),
    BUTTER: ("soup", 0.1),
}
