"""Messages that a browser may send: a few kinds, each checked before the web server reads it.

A message is decoded by a schema of its own and encoded again, so the web server reads only what was checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot
from typing import Annotated, Any, Literal

import msgspec
from viser import (
    GuiButtonHandle,
    GuiCheckboxHandle,
    GuiDropdownHandle,
    GuiNumberHandle,
    GuiSliderHandle,
    GuiTextHandle,
    GuiUploadButtonHandle,
)

from ..errors import InputError

#: Largest message of a browser [bytes]; the page sends files in parts of half this size.
LARGEST_MESSAGE = 2**20

#: Limits of one browser: bytes of all its unfinished uploads together, announced or received, and their number.
LARGEST_UPLOADS, MOST_UPLOADS = 50 * 2**20, 8

#: Parts of an upload have at least this size [bytes], except the last one; this bounds their number.
SMALLEST_PART = 2**16

#: Longest text of a control [characters]: enough for any region, point or name.
LONGEST_TEXT = 1000

#: Largest number in a message. Lengths, angles and pixels stay far below it.
LARGEST_NUMBER = 1e12

#: The length of a quaternion from the page lies between these; a zero quaternion is no rotation.
QUATERNION_LENGTHS = (0.5, 2.0)

#: A finite number; comparisons with NaN fail.
Number = Annotated[float, msgspec.Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Name = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
Vector = tuple[Number, Number, Number]
Quaternion = tuple[Number, Number, Number, Number]


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    """A message; its field `type` is the tag of its class."""


class Camera(_Message, tag="ViewerCameraMessage"):
    """The position and direction of the browser's camera."""

    wxyz: Quaternion
    position: Vector
    fov: Number
    near: Number
    far: Number
    image_height: Number
    image_width: Number
    look_at: Vector
    up_direction: Vector


class Update(_Message, tag="GuiUpdateMessage"):
    """A control was changed."""

    uuid: Name
    updates: dict[Literal["value"], bool | Number | str]


class UploadStart(_Message, tag="FileTransferStartUpload"):
    """A file follows in parts."""

    source_component_uuid: Name
    transfer_uuid: Name
    filename: Name
    mime_type: Name
    part_count: Count
    size_bytes: Count


class UploadPart(_Message, tag="FileTransferPart"):
    """A part of a file."""

    source_component_uuid: Name
    transfer_uuid: Name
    part_index: Count
    content: bytes


class HandleMoved(_Message, tag="TransformControlsUpdateMessage"):
    """A handle in the scene was moved."""

    name: Name
    wxyz: Quaternion
    position: Vector
    owner: Name = ""


class HandleTaken(_Message, tag="TransformControlsDragStartMessage"):
    """The user started to drag a handle in the scene."""

    name: Name
    owner: Name = ""


class HandleLeft(_Message, tag="TransformControlsDragEndMessage"):
    """The user stopped to drag a handle in the scene."""

    name: Name
    owner: Name = ""


_DECODER = msgspec.msgpack.Decoder(
    Camera | Update | UploadStart | UploadPart | HandleMoved | HandleTaken | HandleLeft  # pyright: ignore[reportArgumentType]
)

#: What the user can do after a refused message.
RELOAD = "reload the page"


@dataclass
class _Upload:
    """An upload that is not finished.

    Attributes:
        button: identifier of the upload button.
        parts: how many parts were announced.
        size: how many bytes were announced.
        seen: numbers of the parts that have arrived.
        received: their bytes.
    """

    button: str
    parts: int
    size: int
    seen: set[int] = field(default_factory=set)
    received: int = 0


class Inbox:
    """The messages of one browser, in order.

    Args:
        control: finds a control of this browser by its identifier; None for an unknown one.
    """

    def __init__(self, control: Callable[[str], Any]) -> None:
        self._control = control
        self._uploads: dict[str, _Upload] = {}

    @property
    def announced(self) -> int:
        """Bytes of all unfinished uploads together, as announced."""
        return sum(upload.size for upload in self._uploads.values())

    def read(self, raw: bytes | str) -> bytes | None:
        """A message for the web server; None for one that is ignored; an InputError for one that is refused."""
        if isinstance(raw, str):
            raise InputError("is text", where="message", fix=RELOAD)
        try:
            message = _DECODER.decode(raw)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InputError(f"cannot be read: {error}", where="message", fix=RELOAD) from None
        match message:
            case Update():
                self._check_update(message)
            case UploadStart():
                self._start(message)
            case UploadPart() if message.transfer_uuid not in self._uploads:
                return None  # the upload was refused when it was announced
            case UploadPart():
                self._add(message)
            case Camera() | HandleMoved():
                low, high = QUATERNION_LENGTHS
                if not low <= hypot(*message.wxyz) <= high:
                    raise InputError("is not a rotation", where="message: wxyz", fix=RELOAD)
            case _:
                pass
        return msgspec.msgpack.encode(message)

    def _check_update(self, message: Update) -> None:
        handle = self._control(message.uuid)
        if handle is None:  # it was removed while the message was on its way
            return
        if "value" not in message.updates:
            raise InputError("has no value", where="message", fix=RELOAD)
        message.updates["value"] = possible_value(handle, message.updates["value"])

    def _start(self, message: UploadStart) -> None:
        where = f"upload {message.filename!r}"
        if not isinstance(self._control(message.source_component_uuid), GuiUploadButtonHandle):
            raise InputError("has no button", where=where, fix=RELOAD)
        if message.transfer_uuid in self._uploads:
            raise InputError("has already started", where=where, fix=RELOAD)
        if len(self._uploads) >= MOST_UPLOADS:
            raise InputError(f"there are {MOST_UPLOADS} unfinished ones", where=where, fix=RELOAD)
        free = LARGEST_UPLOADS - self.announced
        if message.size_bytes > free:
            raise InputError(
                f"has {message.size_bytes} bytes, {free} are left",
                where=where,
                fix=f"unfinished uploads may have {LARGEST_UPLOADS // 2**20} MiB together; give a smaller file",
            )
        fewest, most = min(message.size_bytes, 1), -(-message.size_bytes // SMALLEST_PART)
        if not fewest <= message.part_count <= most:
            raise InputError(f"has {message.part_count} parts", where=where, fix=f"{fewest} to {most} are possible")
        if message.part_count:
            upload = _Upload(message.source_component_uuid, message.part_count, message.size_bytes)
            self._uploads[message.transfer_uuid] = upload

    def _add(self, message: UploadPart) -> None:
        upload = self._uploads[message.transfer_uuid]
        where = f"part {message.part_index} of an upload"
        if upload.button != message.source_component_uuid:
            raise InputError("belongs to another button", where=where, fix=RELOAD)
        if message.part_index >= upload.parts or message.part_index in upload.seen:
            raise InputError("was not announced, or came before", where=where, fix=RELOAD)
        received, last = upload.received + len(message.content), len(upload.seen) + 1 == upload.parts
        if received > upload.size or (last and received < upload.size):
            raise InputError(
                f"makes {received} bytes; {upload.size} were announced", where=where, fix="upload the file again"
            )
        upload.seen.add(message.part_index)
        upload.received = received
        if last:
            del self._uploads[message.transfer_uuid]


def possible_value(handle: Any, value: bool | float | str) -> bool | float | str:
    """The checked value of a control; an InputError names the control and its possible values.

    The last step of a slider may be larger than its end; the value is then set to the end.
    """
    match handle:
        case GuiSliderHandle() | GuiNumberHandle():
            low = float("-inf") if handle.min is None else handle.min
            high = float("inf") if handle.max is None else handle.max
            beyond = handle.step if isinstance(handle, GuiSliderHandle) else 0.0
            right, can = False, f"a number from {low:g} to {high:g}"
            if isinstance(value, float):
                right = low - beyond <= value <= high + beyond
                value = min(max(value, low), high) if right else value
        case GuiDropdownHandle():
            right, can = isinstance(value, str) and value in handle.options, "a line of the menu"
        case GuiCheckboxHandle() | GuiButtonHandle():
            right, can = isinstance(value, bool), "on or off"
        case GuiTextHandle():
            right = isinstance(value, str) and len(value) <= LONGEST_TEXT
            can = f"a text of at most {LONGEST_TEXT} characters"
        case _:
            right, can = False, "not to be set"
    if not right:
        shown = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "..."
        raise InputError(f"cannot be {shown}", where=handle.label, fix=f"it is {can}")

    return value
