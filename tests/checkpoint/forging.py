"""Checkpoints changed by somebody who knows the format: any part of a file, with all checksums made right again."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any

_HEAD = struct.Struct("<8sII")
_PART = struct.Struct("<QI")


def parts_of(path: Path) -> list[bytes]:
    """The parts of a file, as docs/checkpoints.md describes it."""
    data = path.read_bytes()
    _, count, _ = _HEAD.unpack_from(data)
    lengths = [_PART.unpack_from(data, _HEAD.size + place * _PART.size)[0] for place in range(count)]
    begin = _HEAD.size + count * _PART.size
    found: list[bytes] = []
    for length in lengths:
        found.append(data[begin : begin + length])
        begin += length
    return found


def write_parts(path: Path, parts: list[bytes]) -> None:
    """A file of these parts, whose checksums are right."""
    index = b"".join(_PART.pack(len(part), zlib.crc32(part)) for part in parts)
    path.write_bytes(_HEAD.pack(b"fizzpy-1", len(parts), zlib.crc32(index)) + index + b"".join(parts))


def content_of(manifest: Path) -> dict[str, Any]:
    """What a manifest says."""
    content: dict[str, Any] = json.loads(manifest.read_text())
    return content


def write_content(manifest: Path, content: dict[str, Any]) -> None:
    """A manifest that says this, and whose checksum is right."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    manifest.write_text(json.dumps({**rest, "sha256": digest}))


def make_right(folder: Path) -> None:
    """Let all manifests speak of the files as they are."""
    for manifest in folder.glob("checkpoint-*.json"):
        content = content_of(manifest)
        for name in content["files"]:
            content["files"][name] = seal(folder / name)
        write_content(manifest, content)


def seal(path: Path) -> str:
    """What a manifest says of a file: a digest of its name and index."""
    data = path.read_bytes()
    _, count, _ = _HEAD.unpack_from(data)
    index = data[_HEAD.size : _HEAD.size + count * _PART.size]
    return hashlib.sha256(path.name.encode() + b"\0" + index).hexdigest()[:32]
