"""The site is made of docs/ alone: links that lead out of it become their text; the README is its first page."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^(\s*```\w+)[ \t].*$", re.MULTILINE)
_ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Any, config: Any) -> Any:
    """Adds the first page."""
    text = (_ROOT / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=re.sub(r"\]\(docs/", "](", text)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Drops links to files that are no pages of the site, and words behind the language of an example."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(match: re.Match[str]) -> str:
        target = match.group(2)
        if "://" in target or target.startswith("mailto:"):
            return match.group()
        path = posixpath.normpath(posixpath.join(folder, target))
        outside = path.startswith("..") or (page.file.src_uri == "index.md" and not (_ROOT / "docs" / path).exists())
        is_folder = (_ROOT / "docs" / path).is_dir()
        return match.group(1) if outside or is_folder else match.group()

    # Behind the language of an example stand its name and what it promises, which only tests read.
    return _FENCE.sub(r"\1", _LINK.sub(kept, markdown))
