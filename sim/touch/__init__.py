"""Touch: normal force and slip speed at a contact, and the one rule for slip events, in sim and real alike."""

from sim.touch.contact import contact_touch
from sim.touch.slip import Slip, SlipRule, episode_slip, slip_of
from sim.touch.taxels import Reading, calibrate, read_taxels, shape_taxels, taxel_slip

__all__ = [
    "Reading",
    "Slip",
    "SlipRule",
    "calibrate",
    "contact_touch",
    "episode_slip",
    "read_taxels",
    "shape_taxels",
    "slip_of",
    "taxel_slip",
]
