"""Poses of a hand in two other formulations: the closed-form family by its points and lines, and its equations solved."""

from __future__ import annotations

import numpy as np
from scipy.optimize import root


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def turned(vectors: np.ndarray, angle: np.ndarray | float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[..., 0] - s * vectors[..., 1], s * vectors[..., 0] + c * vectors[..., 1]], axis=-1)


def left_first(contacts: np.ndarray) -> tuple[int, int]:
    """Indices of the contacts left and right of the way from the thumb to the middle of the others."""
    ahead = (contacts[1] + contacts[2]) / 2 - contacts[0]
    return (1, 2) if cross(ahead, contacts[1] - contacts[0]) > 0 else (2, 1)


def family(contacts: np.ndarray, normals: np.ndarray, theta: np.ndarray, a: float) -> tuple[np.ndarray, np.ndarray]:
    """Sum of squared deviations (n,) and extensions (n, 3), in the contacts' order, at spreads theta (n,)."""
    left, right = left_first(contacts)
    thumb, p2, p3 = contacts[0], contacts[left], contacts[right]
    across = p3 - p2
    length = np.linalg.norm(across)
    away = np.array([-across[1], across[0]]) / length
    away = away if away @ (p2 - thumb) > 0 else -away
    h = (p2 + p3) / 2 + length / 2 * np.tan(theta)[:, None] * away - thumb
    h /= np.linalg.norm(h, axis=1, keepdims=True)
    d2, d3 = turned(h, theta), turned(h, -theta)
    focus = thumb + (cross(p2 - thumb, d2) / cross(h, d2))[:, None] * h
    extensions = np.empty((theta.size, 3))
    extensions[:, 0] = np.einsum("ij,ij->i", focus - thumb, h) + a / np.tan(theta)
    extensions[:, left] = np.einsum("ij,ij->i", p2 - focus, d2) - a / np.sin(theta)
    extensions[:, right] = np.einsum("ij,ij->i", p3 - focus, d3) - a / np.sin(theta)
    total = np.zeros(theta.size)
    for force, normal in ((h, normals[0]), (-d2, normals[left]), (-d3, normals[right])):
        total += np.arccos(np.clip(force @ normal, -1.0, 1.0)) ** 2
    return total, extensions


def equations(contacts: np.ndarray, theta: float, a: float, pose: np.ndarray) -> np.ndarray:
    """How far the fingertips (6,) [mm] of a pose (O, yaw, e1, e2, e3; 2 left, 3 right) are from their contacts."""
    left, right = left_first(contacts)
    palm, yaw, (e1, e2, e3) = pose[:2], pose[2], pose[3:]
    h = np.array([np.cos(yaw), np.sin(yaw)])
    s = np.array([h[1], -h[0]])
    tips = (palm - e1 * h, palm - a * s + e2 * turned(h, theta), palm + a * s + e3 * turned(h, -theta))
    return np.concatenate([tip - contacts[i] for tip, i in zip(tips, (0, left, right), strict=True)])


def solved(contacts: np.ndarray, theta: float, a: float, guess: np.ndarray) -> np.ndarray:
    """The pose at a spread, from the equations of its fingertips alone."""
    answer = root(lambda pose: equations(contacts, theta, a, pose), guess, tol=1e-13)
    assert np.abs(answer.fun).max() < 1e-9
    return answer.x


def random_grasps(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Contacts and normals: wide, flat and round triangles, normals roughly inward or of any direction."""
    kind = rng.integers(0, 3, count)[:, None, None]
    points = rng.normal(size=(count, 3, 2)) * np.where(kind == 0, 50.0, [60.0, 3.0])
    heading = rng.uniform(-np.pi, np.pi, (count, 3))
    round_ = np.stack([np.cos(heading), np.sin(heading)], axis=-1) * rng.uniform(5.0, 90.0, (count, 1, 1))
    contacts = np.where(kind == 2, round_, points)
    inward = contacts.mean(axis=1, keepdims=True) - contacts
    angle = np.arctan2(inward[..., 1], inward[..., 0])
    angle = angle + rng.normal(size=(count, 3)) * rng.choice([0.2, 3.0], (count, 1))
    return contacts, np.stack([np.cos(angle), np.sin(angle)], axis=-1)
