"""Optional physics by name, in the order in which a plant calls it."""

from collections.abc import Iterable

from sim.mechanisms.backlash import Backlash
from sim.mechanisms.encoder_drift import EncoderDrift
from sim.mechanisms.load_friction import LoadFriction
from sim.mechanisms.mechanism import Mechanism
from sim.mechanisms.packet_loss import PacketLoss
from sim.mechanisms.shear_compliance import ShearCompliance
from sim.mechanisms.stiction import Stiction
from sim.mechanisms.stribeck import Stribeck
from sim.mechanisms.tendon_coupling import TendonCoupling
from sim.mechanisms.torque_speed import TorqueSpeed
from sim.mechanisms.velocity_limit import VelocityLimit
from store.errors import UserError

# the way of a command: bus, servo's set-point, motor, gears, joint, fingertip; backlash reads torque_speed's limits
MECHANISMS: dict[str, type[Mechanism]] = {
    one.name: one
    for one in (
        PacketLoss, EncoderDrift, VelocityLimit, TorqueSpeed, Backlash, LoadFriction, Stribeck, Stiction,
        TendonCoupling, ShearCompliance,
    )
}  # fmt: skip
"""Name -> mechanism."""


def get_mechanism(name: str) -> Mechanism:
    """A new mechanism, for one plant; an unknown name is a UserError that lists the valid ones."""
    if name not in MECHANISMS:
        raise UserError(f"unknown mechanism '{name}'", where="mechanisms", valid=sorted(MECHANISMS))
    return MECHANISMS[name]()


def get_mechanisms(names: Iterable[str]) -> list[Mechanism]:
    """New mechanisms, for one plant, in the order in which it calls them, whatever the order of the names."""
    wanted = {name: get_mechanism(name) for name in names}
    return [wanted[name] for name in MECHANISMS if name in wanted]
