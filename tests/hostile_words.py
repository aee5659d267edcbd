"""Files whose words attack whoever shows them: markup for a browser, signs that steer a terminal, formulas for a sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from holdfast.files.reader import DATA
from holdfast.files.yaml_source import yaml_text

#: Signs that steer a terminal or turn the direction of writing.
SIGNS = "\x1b[2J\x1b]0;x\x07\x9b31m\x7f\r\x08\u202e\u2066\u200f\u061c\u2028\u200b\ufeff"

#: Formulas of a spreadsheet, and mathematics of matplotlib that cannot be read.
FORMULA, MATHEMATICS = "=cmd|' /C calc'!A0", r"$\nosuch{$"


def markup(address: str) -> str:
    """Words that run a script or ask a server for something, wherever they are taken for HTML or Markdown."""
    return (
        f'"\'><iframe srcdoc="<script>parent.ran=1;fetch(`{address}/frame`)</script>"></iframe>'
        f'<img src="{address}/img" onerror="window.ran=2"><script>window.ran=3</script><svg onload="window.ran=4">'
        f'<iframe src="javascript:parent.ran=5"></iframe><style>@import url({address}/css)</style></title></pre>'
        f"\n\n[a](javascript:window.ran=6) ![b]({address}/picture) [c]({address}/link) <{address}/auto> `<img src=x "
        f"onerror=window.ran=7>` | **<b onclick=1>** |\n\n| <img src={address}/cell> |\n"
    )


def hostile(ready: str, words: str) -> str:
    """The ready file data/`ready` with `words` in every name and description that is no reference."""
    data: Any = yaml.safe_load((DATA / ready).read_text("utf-8"))
    fill(data, words)
    data["name"] = words[:150] + Path(ready).stem
    if "robot" not in data:
        data["description"] = words
    return yaml_text(data)


def fill(data: Any, words: str) -> None:
    """Put `words` before every name in nested data."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "name":
                data[key] = words[: 100 - len(value)] + value
            fill(value, words)
        if isinstance(data.get("loads"), dict):
            data["loads"] = {words[: 100 - len(name)] + name: load for name, load in data["loads"].items()}
    elif isinstance(data, list):
        for value in data:
            fill(value, words)


def saved(folder: Path, ready: str, words: str) -> Path:
    """`hostile` as a file in a folder."""
    path = folder / f"own-{Path(ready).stem}.yaml"
    path.write_text(hostile(ready, words), "utf-8")
    return path
