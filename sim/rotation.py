"""Unit quaternions (w, x, y, z), many at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def product(a: Array, b: Array) -> Array:
    """Hamilton product of quaternions (n, 4): first b, then a."""
    aw, av, bw, bv = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    scalar = aw * bw - np.sum(av * bv, axis=1, keepdims=True)
    return np.concatenate([scalar, aw * bv + bw * av + cross(av, bv)], axis=1)


def cross(a: Array, b: Array) -> Array:
    """Cross product of vectors (n, 3); numpy's own spends most of its time on other shapes."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)


def inverse(q: Array) -> Array:
    """Inverse of unit quaternions (n, 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def about(axis: Array, angle: Array) -> Array:
    """Quaternions (n, 4) that turn by angles (n,), rad, about unit axes (n, 3)."""
    half = np.asarray(angle)[:, None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=1)


def log(q: Array) -> Array:
    """Rotation vectors (n, 3), rad, of unit quaternions (n, 4); the shorter way round."""
    q = np.where(q[:, :1] < 0, -q, q)
    length = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(length, q[:, :1])
    # for small angles sin(a/2) is a/2
    return np.where(length > 1e-9, angle / np.maximum(length, 1e-9), 2.0) * q[:, 1:]


def angle_between(a: Array, b: Array) -> Array:
    """Angle, (n,), rad, of the rotation that takes a to b."""
    return np.linalg.norm(log(product(b, inverse(a))), axis=1)


def small_turn(q: Array, vector: Array) -> Array:
    """Quaternions (n, 4) turned further by small rotation vectors (n, 3), rad, in their own frame; first order."""
    turned = product(q, np.concatenate([np.ones((len(q), 1)), vector / 2], axis=1))
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


def matrix(q: Array) -> Array:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4); columns are the turned frame's axes."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def random(rng: np.random.Generator, count: int) -> Array:
    """Quaternions (n, 4) drawn uniformly from all rotations."""
    q = rng.standard_normal((count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)
