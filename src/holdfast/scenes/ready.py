"""Ready scenes that come with Holdfast, called by "@name"."""

from __future__ import annotations

from pathlib import Path

from ..errors import SceneError, UnknownNameError

#: Where they lie.
FOLDER = Path(__file__).resolve().parent.parent / "data" / "scenes"

#: Where the planar ones lie, which have commands of their own.
PLANAR = FOLDER.parent / "planar"


def ready_names() -> list[str]:
    """Names of the ready scenes, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def ready_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready scene for "@name", else the path itself."""
    text = str(path)
    if not text.startswith("@"):
        return Path(path)
    if text[1:] not in ready_names():
        from ..postures.files import posture_names

        if text[1:] in posture_names():
            what, fix = "is a ready posture, not a scene", "ask holdfast posture or holdfast support"
            raise SceneError(what, path=text, fix=fix)
        if (PLANAR / f"{text[1:]}.yaml").is_file():
            raise SceneError("is a planar scene", path=text, fix="ask: holdfast motions, torques or climb")
        unknown = UnknownNameError("ready scene", text, [f"@{name}" for name in ready_names()])
        raise SceneError(unknown.what, path=text, fix=unknown.fix)
    return FOLDER / f"{text[1:]}.yaml"
