"""Files of packages: package:// and $(find ...), without ROS."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from ..errors import InputError
from ..files.yaml_source import is_uploaded
from ..inputs import is_file

#: Folders of packages: one per name, or folders that contain packages.
Packages = Mapping[str, "str | PathLike[str]"] | Sequence["str | PathLike[str]"]

#: Where a package may lie below an entry of ROS_PACKAGE_PATH: workspaces have packages in repositories.
BELOW = ("", "*", "*/*")

#: Environment variables with folders of packages.
PATH_VARIABLES = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")

#: Names of packages: no pattern, no path.
PACKAGE_NAME = re.compile(r"\w[\w.+-]*")


@dataclass(frozen=True)
class FileFinder:
    """Where the files of a robot are looked for.

    Packages are looked for in this order: `named`, `folders`, ROS_PACKAGE_PATH, share/ below the entries of
    AMENT_PREFIX_PATH, and last the folder of the robot's file and those above it.

    Attributes:
        home: folder of the robot's file, from which relative names start; None: there is none.
        named: folder of each package that was given by name.
        folders: folders that were given to look for packages in.
    """

    home: Path | None = None
    named: Mapping[str, Path] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    @staticmethod
    def of(home: Path | None, packages: Packages | None) -> FileFinder:
        """The finder for `packages=`; a folder that does not exist is an error."""
        if packages is None:
            return FileFinder(home)
        if isinstance(packages, str | PathLike):
            packages = [packages]
        named = {str(k): Path(v) for k, v in packages.items()} if isinstance(packages, Mapping) else {}
        folders = () if isinstance(packages, Mapping) else tuple(Path(folder) for folder in packages)
        for folder in (*named.values(), *folders):
            if not folder.is_dir():
                fix = "give folders: {name: folder of the package}, or a list of folders that contain packages"
                raise InputError(f"{str(folder)!r} is not a folder", where="packages", fix=fix)
        return FileFinder(home, named, folders)

    def package(self, name: str) -> Path | None:
        """Folder of a package, by what was given and by the environment; None where it is not found."""
        if name in self.named:
            return self.named[name]
        if not PACKAGE_NAME.fullmatch(name):
            return None
        given = [(folder, BELOW[:1]) for folder in self.folders]
        ros = [(Path(entry), BELOW) for entry in _entries("ROS_PACKAGE_PATH")]
        ament = [(Path(entry) / "share", BELOW[:1]) for entry in _entries("AMENT_PREFIX_PATH")]
        for folder, patterns in given + ros + ament:
            if folder.name == name and folder.is_dir():
                return folder
            for pattern in patterns:
                found = sorted(folder.glob(f"{pattern}/{name}" if pattern else name))
                if found and found[0].is_dir():
                    return found[0]
        return None

    def find(self, name: str) -> Path | None:
        """The file behind a name in a URDF (package://, file://, absolute or relative), or None.

        Of an uploaded URDF only other uploaded files count, by their names without folders.
        """
        if self.home is not None and is_uploaded(self.home):
            place = self.home / Path(name).name
            return place if is_file(place) else None
        plain = name.removeprefix("file://")
        if not plain.startswith("package://"):
            place = Path(plain) if self.home is None else self.home / plain
            return place if (self.home is not None or place.is_absolute()) and is_file(place) else None
        inside = Path(plain.removeprefix("package://"))
        package = self.package(inside.parts[0]) if inside.parts else None
        if package is not None and is_file(place := package.joinpath(*inside.parts[1:])):
            return place
        for folder in () if self.home is None else (self.home, *self.home.resolve().parents):
            for place in (folder / inside, folder.joinpath(*inside.parts[1:])):
                if is_file(place):
                    return place
        return None

    def searched(self, names: Sequence[str]) -> str:
        """What was looked through for the package:// names that were not found, as the end of a message; or ""."""
        packages = dict.fromkeys(
            name.removeprefix("package://").lstrip("/").partition("/")[0] for name in names if "package://" in name
        )
        if not packages:
            return ""
        words = [f"packages= ({', '.join([*self.named, *map(str, self.folders)]) or 'not given'})"]
        for variable in PATH_VARIABLES:
            words.append(f"{variable} ({os.pathsep.join(_entries(variable)) or 'not set'})")
        words.append("the folders above the file" if self.home is not None else "no folder, because the file is a text")
        return f" (searched for package {', '.join(packages)}: {'; '.join(words)})"


def _entries(variable: str) -> list[str]:
    """Folders in a path variable of the environment."""
    return [entry for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
