"""Files that a browser uploads: kept in a folder of its session, and turned into pages of its menu.

An uploaded file must have a plain name with a known suffix; the files of a session have a limited total size. A file
that refers to other files finds only those of the same folder; see `files.yaml_source.UPLOADED`.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import HoldfastError, InputError
from ..features import page_modules
from ..files.reader import FORMATS, OTHER_KINDS, YAML, json_format
from ..files.yaml_source import UPLOADED
from ..robots.feature import DESCRIPTION
from ..web.folders import upload_folder
from .gallery import file_pages
from .messages import LARGEST_UPLOADS

if TYPE_CHECKING:
    from ..web.page import PageEntry

_SHOWN = [kind for kind in OTHER_KINDS.values() if page_modules(kind.name)]

#: Suffixes of files that have pages (of descriptions of robots only URDF: a xacro file is a program), and of files that
#: other files refer to; words of JSON files that have pages.
OPENED = (*YAML, ".json", ".urdf", *(end for kind in _SHOWN if kind is not DESCRIPTION for end in kind.suffixes))
NAMED = (".srdf", ".stl", ".dae")
WORDS = {kind.word for kind in _SHOWN}

#: Files that one session keeps.
MOST_FILES = 64

#: A name without a folder: letters, digits and a few signs.
_PLAIN = re.compile(r"\w[\w .()+=,-]{0,150}")


class Uploads:
    """The uploaded files of one browser; the folder is made with the first file and removed by `close`."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._held = ExitStack()

    def open(self, name: str, content: bytes) -> tuple[PageEntry, ...]:
        """Store a file, and return its pages; () for a file without pages that another file refers to.

        Raises:
            HoldfastError: the file cannot be read. A file that other files may refer to is stored nevertheless.
        """
        path = self._kept(name, content)
        suffix = path.suffix.lower()
        if suffix in NAMED or (suffix == ".json" and json_format(path) in FORMATS.keys() - WORDS):
            return ()
        try:
            return file_pages(str(path))
        except HoldfastError as error:
            # The path of the folder is of no use to the user.
            words = [text.replace(f"{path.parent}/", "") for text in (error.what, error.where, error.fix)]
            raise HoldfastError(words[0], where=words[1], fix=words[2]) from None

    def close(self) -> None:
        """Remove all files."""
        self._folder = None
        self._held.close()

    def _kept(self, name: str, content: bytes) -> Path:
        """The file in the folder, checked before it is written."""
        suffix = Path(name).suffix.lower()
        if not _PLAIN.fullmatch(name):
            raise InputError("is not a plain file name", where=repr(name[:60]), fix="use letters, digits, - and _")
        if suffix not in OPENED + NAMED:
            what = f"files with the suffix {suffix!r} cannot be opened here"
            raise InputError(what, where=name, fix=f"give one of {', '.join(OPENED + NAMED)}")
        if self._folder is None:
            self._folder = self._held.enter_context(upload_folder())
        folder = self._folder
        others = [file for file in folder.iterdir() if file.name not in (name, UPLOADED, f"{UPLOADED}.lock")]
        size = len(content) + sum(file.stat().st_size for file in others)
        if len(others) >= MOST_FILES or size > LARGEST_UPLOADS:
            most = f"{MOST_FILES} files and {LARGEST_UPLOADS // 2**20} MiB"
            raise InputError(f"there would be more than {most}", where=name, fix="reload the page to start again")
        path = folder / name
        path.write_bytes(content)
        return path
