"""Ready postures that come with Holdfast, called by "@name"."""

from __future__ import annotations

from pathlib import Path

from ..errors import SceneError, UnknownNameError

#: Where they lie.
FOLDER = Path(__file__).resolve().parent.parent / "data" / "postures"


def posture_names() -> list[str]:
    """Names of the ready postures, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def posture_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready posture for "@name", else the path itself."""
    text = str(path)
    if not text.startswith("@"):
        return Path(path)
    known = posture_names()
    if text[1:] not in known:
        from ..scenes.ready import ready_names

        if text[1:] in ready_names():
            what, fix = "is a ready scene, not a posture", "ask holdfast check; holdfast posture --list names postures"
            raise SceneError(what, path=text, fix=fix)
        unknown = UnknownNameError("ready posture", text, [f"@{name}" for name in known])
        raise SceneError(unknown.what, path=text, fix=unknown.fix)
    return FOLDER / f"{text[1:]}.yaml"


def posture_title(name: str) -> str:
    """What a ready posture is: the first comment of its file."""
    for line in posture_path(f"@{name}").read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") and "yaml-language-server" not in line:
            return line.removeprefix("# ")
    return ""
