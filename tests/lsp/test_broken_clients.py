"""What a client sends that is no message is told in a line each, and does not end the server."""

from __future__ import annotations

import subprocess
import sys


def sent(body: str) -> bytes:
    return f"Content-Length: {len(body)}\r\n\r\n{body}".encode()


def test_broken_messages() -> None:
    """No JSON, no object, an object without parameters, parameters of another kind: then a good message is answered."""
    broken = ["{broken", "[]", '{"jsonrpc": "2.0", "id": 1, "method": "nope"}', "5", "[" * 5000]
    good = '{"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": null}'
    hello = '{"jsonrpc": "2.0", "id": 6, "method": "initialize", "params": {"capabilities": {}}}'
    stream = b"".join(map(sent, [*broken, hello, good]))
    ended = subprocess.run(
        [sys.executable, "-m", "fizzpy", "lsp"], input=stream, capture_output=True, timeout=120, check=False
    )
    said = ended.stderr.decode()
    assert "Traceback" not in said and '  File "' not in said, said
    lines = said.splitlines()
    assert len(lines) >= len(broken) and all(line.startswith("fizzpy lsp: ") for line in lines), said
    assert '"id": 7' in ended.stdout.decode() and ended.returncode == 0, (said, ended.stdout)
