"""How well a picture is drawn, and for whom: what a policy trains on, what a critic judges, what people look at."""

from dataclasses import dataclass

from store.errors import UserError


@dataclass(frozen=True)
class Quality:
    """Size and finish of an OpenGL picture."""

    width: int
    """Pixels."""
    height: int
    """Pixels."""
    samples: int
    """Samples a pixel, which smooth edges; 0 is none."""
    shadows: int
    """Side of the shadow map, pixels; 0 draws no shadows."""


QUALITIES = {
    # small and bare: millions of pictures
    "train": Quality(64, 64, samples=0, shadows=0),
    # a vision model tells contact from hovering by the shadow, and needs 224 pixels or more
    "critic": Quality(448, 336, samples=4, shadows=2048),
    "people": Quality(480, 360, samples=4, shadows=0),
}


def get_quality(name: str) -> Quality:
    """The quality of that name; an unknown one is a UserError that lists them."""
    if name not in QUALITIES:
        raise UserError(f"unknown quality '{name}'", where="quality", valid=sorted(QUALITIES))
    return QUALITIES[name]
