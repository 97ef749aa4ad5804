"""Light, colours, texture and camera: what FM-DR and domain randomisation of pictures vary."""

from sim.look import AMBIENT, CAMERA_FOVY, COLOURS, LIGHT, LIGHT_STRENGTH, TEXTURE_CONTRAST, TEXTURE_SCALE
from sim.parameters.knob import Ids, Knob, Tunable
from store.records import Parameter


def visual_knobs() -> tuple[Knob, ...]:
    """One knob for every scalar of a Look."""
    knobs = [
        look("light.strength", "1", LIGHT_STRENGTH, (0.1, 1.5), "Strength of the lamp.", "light_strength"),
        look("ambient", "1", AMBIENT, (0.05, 0.9), "Strength of the light that comes from everywhere.", "ambient"),
        look(
            "texture.contrast",
            "1",
            TEXTURE_CONTRAST,
            (0.0, 0.6),
            "Light against dark squares of the table.",
            "texture_contrast",
        ),
        look(
            "texture.scale", "1/m", TEXTURE_SCALE, (5.0, 60.0), "Squares along a metre of the table.", "texture_scale"
        ),
        look("camera.fovy", "deg", CAMERA_FOVY, (30.0, 65.0), "Vertical field of view of the camera.", "fovy"),
    ]
    for i, axis in enumerate("xyz"):
        bounds = (LIGHT[i] - 0.6, LIGHT[i] + 0.6)
        knobs.append(look(f"light.{axis}", "m", LIGHT[i], bounds, f"Lamp's {axis} position.", "light_position", i))
        meaning = f"Camera's offset along its own {axis} axis."
        knobs.append(look(f"camera.{axis}", "m", 0.0, (-0.03, 0.03), meaning, "camera_position", i))
    for i, turn in enumerate(("pitch", "yaw", "roll")):
        meaning = f"Camera's turn about its own {'xyz'[i]} axis."
        knobs.append(look(f"camera.{turn}", "rad", 0.0, (-0.1, 0.1), meaning, "camera_rotation", i))
    for i, colour in enumerate(("red", "green", "blue")):
        meaning = f"Share of {colour} in the lamp's light."
        knobs.append(look(f"light.{colour}", "1", 1.0, (0.6, 1.0), meaning, "light_colour", i))
        for part, nominal in COLOURS.items():
            knobs.append(
                look(f"{part}.{colour}", "1", nominal[i], (0.0, 1.0), f"Share of {colour} of the {part}.", part, i)
            )
    return tuple(knobs)


def look(
    name: str,
    unit: str,
    nominal: float,
    bounds: tuple[float, float],
    meaning: str,
    field: str,
    column: int | None = None,
) -> Knob:
    """A knob that writes one field of the plant's look, or one column of it."""

    def apply(plant: Tunable, ids: Ids) -> None:
        target = getattr(plant.look, field)
        if column is None:
            target[ids] = plant.values[name][ids]
        else:
            target[ids, column] = plant.values[name][ids]

    parameter = Parameter(
        name=name, unit=unit, kind="visual", nominal=nominal, low=bounds[0], high=bounds[1], meaning=meaning
    )
    return Knob(parameter, apply)
