"""The words that the built-in planner knows, as data. Phrases are lower case; a hyphen counts as a space."""

from dataclasses import dataclass

from store.units import LENGTH, Powers


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True)
class Quantity:
    """A word for a physical quantity and the parameters that it can mean."""

    name: str
    phrases: tuple[str, ...]
    readings: tuple[tuple[str, str, bool], ...]
    """(parameter, SI unit in which this word states it, whether the parameter is one over it); the unit decides."""
    modifiers: frozenset[str] = frozenset()
    """Words that only say again which quantity is meant."""
    note: str = ""
    """What a person should know about this reading; added when the words in `note_for` were used."""
    note_for: frozenset[str] = frozenset()


LAG_NOTE = (
    "'{word}' was read as transport delay: the motion starts late. A first-order lag, where it starts at once but "
    "slowly, is another mechanism and no delay window covers it; `regrasp measure step-response` tells them apart"
)

_HAND = _words("finger fingers fingertip fingertips tip pad robot hand joint joints servo servos")
_PUCK = _words("puck disc disk object")
_DRIVE = _words("servo servos actuator actuators motor motors control controller command action bus drive")

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "friction",
        ("friction coefficient", "friction coefficients", "coefficient of friction", "coefficients of friction",
         "friction", "frictions", "mu", "μ", "µ", "grip"),
        (("friction", "1", False),),
        _words("sliding coulomb surface contact table floor tabletop tip fingertip coefficient") | _PUCK,
    ),
    Quantity(
        "delay",
        ("transport delay", "dead time", "deadtime", "time delay", "delay", "delays", "latency", "latencies", "lag",
         "lags"),
        (("delay", "s", False),),
        _words("joint joints pure transport time") | _DRIVE,
        LAG_NOTE,
        frozenset({"lag", "lags", "latency", "latencies"}),
    ),
    Quantity("mass", ("mass", "masses", "weight", "weighs", "weigh", "weighing"), (("mass", "kg", False),), _PUCK),
    Quantity(
        "compliance",
        ("compliance", "compliances", "deflection", "deflects", "deflected", "softness"),
        (("compliance", "m/N", False),),
        _HAND | frozenset({"contact", "normal"}),
    ),
    Quantity(
        "stiffness",
        ("stiffness", "stiffnesses", "spring constant"),
        (("compliance", "N/m", True), ("kp", "Nm/rad", False)),
        _HAND | frozenset({"contact", "normal"}),
    ),
    Quantity(
        "kp",
        ("servo gain", "servo gains", "proportional gain", "proportional gains", "position gain", "p gain", "kp",
         "gain", "gains"),
        (("kp", "Nm/rad", False),),
        _DRIVE | frozenset({"joint", "joints", "proportional"}),
    ),
    Quantity(
        "damping", ("damping",), (("damping", "Nms/rad", False),), _DRIVE | _words("joint joints viscous")
    ),
    Quantity(
        "joint_noise",
        ("joint noise", "joint position noise", "encoder noise", "joint sensor noise"),
        (("joint_noise", "rad", False),),
    ),
    Quantity(
        "object_noise",
        ("object noise", "object position noise", "puck noise", "puck position noise", "tracking noise", "camera noise",
         "pose noise", "position noise"),
        (("object_noise", "m", False),),
    ),
    Quantity(
        "force_noise",
        ("force noise", "tactile noise", "touch noise", "force sensor noise"),
        (("force_noise", "1", False),),
    ),
    Quantity(
        "noise",
        ("noise", "sensor noise", "measurement noise", "observation noise"),
        (("joint_noise", "rad", False), ("object_noise", "m", False), ("force_noise", "1", False)),
    ),
)  # fmt: skip

SPOKEN = frozenset(name for quantity in QUANTITIES for name, _, _ in quantity.readings)
"""Parameters that a request can name. A task has many more (`regrasp parameters`), whose ranges come from presets, from
measurements or from an edited plan; words for those are handed back, never guessed at."""

OTHER_QUANTITIES: dict[str, str] = {
    **dict.fromkeys(
        ("first order lag", "1st order lag", "time constant", "rise time", "lag constant", "filter constant"),
        "a first-order lag is not a delay; it is the parameter `lag`, which a request cannot state yet",
    ),
    **dict.fromkeys(
        ("sensor delay", "sensor latency", "sensor lag", "camera delay", "camera latency", "camera lag",
         "observation delay", "observation latency", "tactile latency", "tactile delay", "touch delay"),
        "a delay of what is sensed is `observation_delay`, which a request cannot state yet",
    ),
    **dict.fromkeys(
        ("joint friction", "gear friction", "bearing friction", "motor friction", "joint static friction", "stiction",
         "rolling friction", "torsional friction"),
        "it is not the sliding friction of the object, and a request cannot state it yet: see `regrasp parameters`",
    ),
    **dict.fromkeys(
        ("finger mass", "link mass", "hand mass", "robot mass"),
        "it is not the mass of the object, and a request cannot state it yet: see `regrasp parameters`",
    ),
    **dict.fromkeys(
        ("backlash", "gear play", "dead zone", "velocity limit", "speed limit"),
        "it is a mechanism (`regrasp mechanisms`), and a request cannot switch it on yet",
    ),
}  # fmt: skip
"""Quantities that are near misses of a parameter: never read as it, always handed back with this reason."""

RELATIVE = frozenset({"force_noise"})
"""Parameters that are themselves shares, so that a percentage is a value."""
NOISE = frozenset({"joint_noise", "object_noise", "force_noise"})

TASK_WORDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "finger_push": (
        _words("push pushes pushing pushed slide slides sliding shove shoves shoving nudge nudges nudging puck"),
        _words("disc disk object target goal table tabletop across along over towards toward move moves moving"),
    ),
}
"""Task -> words that name it, and words that may stand beside those without adding anything."""


@dataclass(frozen=True)
class Goal:
    """A setting of a task that a request may state."""

    name: str
    powers: Powers
    low: float
    high: float
    phrases: tuple[str, ...]


GOALS: dict[str, Goal] = {"finger_push": Goal("distance", LENGTH, 0.02, 0.12, ("distance", "far", "stroke", "travel"))}
"""The finger's reach bounds the distance."""

ROBOT_WORDS = _words("finger fingers hand hands gripper grippers arm arms robot robots thumb")
ONE = _words("a the one single our my its 1 3 three joint jointed dof robot robotic")
"""What may stand between 'with' and the robot and still mean the task's own."""

MEASURED = _words("measured measure measures measurement measurements measuring identified")
VARY = _words(
    "vary varies varied varying randomise randomize randomised randomized randomising randomizing randomises "
    "randomizes randomisation randomization variation perturb perturbing change changes changing sweep sweeping"
)
KEEP = _words("keep keeps keeping leave leaves stay stays remain remains hold holds held")
FIXED = _words("fixed fix fixing constant unchanged untouched alone frozen freeze unvaried")
NOT = _words(
    "not no never don't doesn't didn't isn't wasn't aren't weren't won't can't cannot without except excluding neither "
    "nor unless if instead other otherwise rather hardly dont avoid ignore unlike maybe perhaps"
)
"""What is said with one of these, and is not covered by a rule, is not read as if it were not there."""
INEXACT = _words(
    "quarter quarters third thirds tenth tenths twice thrice times double triple per factor couple x more less higher "
    "lower heavier lighter longer shorter ago"
)
"""Words that change the number beside them in ways no rule covers: that number is handed back, not read."""
APART = _words(
    "jitter error errors uncertainty tolerance resolution deviation bias offset spread difference off add adds added "
    "adding extra"
)
"""Words beside a quantity that make a single number something about its value, which is no value: it is handed back."""
ELSE = ("everything else", "all else", "all other parameters", "all others", "the rest", "every other parameter",
        "other parameters", "the other parameters", "nothing else", "anything else")  # fmt: skip

COUNTS: dict[str, frozenset[str]] = {
    "rollouts": _words("rollout rollouts trial trials pilot pilots"),
    "rounds": _words("round rounds repair repairs"),
}
COUNT_ADJECTIVES = _words("real hardware robot pilot repair judged guarded")
EACH = _words("each every pilot round per a")
NOT_UNITS = _words(
    "times pucks seeds policies epochs iterations episodes steps joint joints axis dof hands different more"
)
"""Words behind a number that count something, so that the number is no length of unknown unit."""
BUDGET = _words(
    "budget limit time total overall finish finished done take takes spend wall clock longest deadline altogether"
)
"""Words that belong to a budget in the same clause."""

NO_BUDGET = _words(
    "episode episodes battery approval expires expire last lasts lasted ago yesterday previous previously earlier "
    "already past recorded logged slipped failed"
)
"""Words that make a time or a number of rollouts something other than what this run may spend."""

DRIVERS = ("twin",)
COURTESY = _words("please thanks thank hello hi hey cheers ok okay")
COPULA = _words("is are was were be been being equals = lies lie ranges come comes came has have had")
FILLER = COPULA | _words(
    "a an the this that these those it its our my your we i you they us me of on in to for with by from at as and so "
    "then also let use using set assume assuming need needs want wants would like can could will should must shall "
    "try make run learn learns teach train training policy skill simulation sim value values range ranges window "
    "interval parameter parameters setting request task which about around between within into up there here "
    "just now domain both all nominal given said say do does did"
)
"""Words that carry nothing by themselves; what is neither these nor read is handed back."""
