"""One of three servers that keep a register: it is elected by votes, and writes to a majority.

    python server.py NAME FOLDER [BUG]

It listens on a free port of this machine and prints it. Requests and answers are lines of JSON. What it must not forget
(term, vote, value) is in FOLDER/NAME.state, what it did in FOLDER/NAME.ndjson.
BUG is one of "unsynced", "double", "stale".
"""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

from disk import Disk

TIMEOUT_S = 10.0


class Server:
    """`kept` is on the disk; the rest is lost with the process."""

    def __init__(self, name: str, folder: Path, bug: str) -> None:
        self.name, self.bug = name, bug
        self.disk = Disk(folder / f"{name}.state")
        self.log_file = (folder / f"{name}.ndjson").open("a", encoding="utf-8")
        self.kept = {"term": 0, "voted": None, "version": [0, 0], "value": None}
        self.leads = False
        self.peers: dict[str, int] = {}
        self.dropped: set[str] = set()
        known = self.disk.read()
        again = bool(known) or self.log_file.tell() > 0
        if known:
            self.kept = json.loads(known)
        self.log("restart" if again else "boot")

    def log(self, event: str, **fields: object) -> None:
        """Write an event, before any other server can see its effect."""
        line = {"event": event, "node": self.name, "term": self.kept["term"], **fields}
        self.log_file.write(json.dumps(line) + "\n")
        self.log_file.flush()

    def keep(self, **changes: object) -> None:
        """Change what is kept, and wait until it is on the disk."""
        self.kept |= changes
        self.disk.write(json.dumps(self.kept))
        if self.bug != "unsynced":
            self.disk.fsync()

    async def ask_all(self, request: dict[str, object]) -> list[dict[str, object]]:
        """The answers of the peers that can be reached."""
        answers = await asyncio.gather(*(self.ask(peer, request) for peer in self.peers))
        return [answer for answer in answers if answer is not None]

    async def ask(self, peer: str, request: dict[str, object]) -> dict[str, object] | None:
        """The answer of one peer; None if there is none."""
        if peer in self.dropped:
            return None
        with suppress(OSError, ValueError, asyncio.TimeoutError):
            async with asyncio.timeout(TIMEOUT_S):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.peers[peer])
                writer.write(json.dumps(request | {"from": self.name}).encode() + b"\n")
                line = await reader.readline()
                writer.close()
                return json.loads(line)
        return None

    async def answer(self, request: dict) -> dict[str, object]:
        """Do what a client or a peer asks for."""
        if request.get("from") in self.dropped:
            raise ConnectionError("dropped")
        match request["do"]:
            case "peers":
                self.peers = {name: port for name, port in request["ports"].items() if name != self.name}
                self.dropped = set(request["dropped"])
                return {"ok": True}
            case "campaign":
                return {"ok": await self.campaign()}
            case "vote":
                return {"ok": self.vote(request)}
            case "write":
                return await self.write(request["v"])
            case "read":
                return await self.read()
            case "store":
                return {"ok": self.store(request)}
        return {"error": f"no request {request['do']}"}

    async def campaign(self) -> bool:
        """Ask for votes in a new term, and lead with those of a majority."""
        self.leads = False
        self.keep(term=self.kept["term"] + 1, voted=self.name)
        self.log("campaign")
        term = self.kept["term"]
        answers = await self.ask_all({"do": "vote", "term": term, "version": self.kept["version"]})
        votes = 1 + sum(bool(answer.get("ok")) for answer in answers) + (self.bug == "double")
        if self.kept["term"] == term and 2 * votes > 1 + len(self.peers):
            self.leads = True
            self.log("lead")
        return self.leads

    def vote(self, request: dict) -> bool:
        """Vote once in a term, for a server that has all that is known here."""
        term, candidate = request["term"], request["from"]
        known = self.kept
        free = term > known["term"] or (term == known["term"] and known["voted"] in (None, candidate))
        if not free or request["version"] < known["version"]:
            return False
        self.leads = False
        self.keep(term=term, voted=candidate)
        self.log("vote", candidate=candidate)
        return True

    async def write(self, value: object) -> dict[str, object]:
        """Write to a majority. `fail`: it certainly did not happen; `info`: it may have."""
        if not self.leads:
            return {"fail": "no leader"}
        term = self.kept["term"]
        version = [term, self.kept["version"][1] + 1]
        self.keep(version=version, value=value)
        request = {"do": "store", "term": term, "version": version, "value": value}
        answers = await self.ask_all(request)
        stored = 1 + sum(bool(answer.get("ok")) for answer in answers)
        return {"result": None} if 2 * stored > 1 + len(self.peers) else {"info": "no majority"}

    async def read(self) -> dict[str, object]:
        """The value, if a majority still follows."""
        if not self.leads:
            return {"fail": "no leader"}
        known = self.kept
        if self.bug != "stale":
            request = {"do": "store", "term": known["term"], "version": known["version"], "value": known["value"]}
            answers = await self.ask_all(request)
            if 2 * (1 + sum(bool(answer.get("ok")) for answer in answers)) <= 1 + len(self.peers):
                return {"fail": "no majority"}
        return {"result": known["value"]}

    def store(self, request: dict) -> bool:
        """Take a value from a leader of this term or a later one."""
        if request["term"] < self.kept["term"]:
            return False
        if request["term"] > self.kept["term"]:
            return False  # It has no vote of this server: it has to be elected with it first.
        if request["version"] > self.kept["version"]:
            self.keep(version=request["version"], value=request["value"])
        return True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the lines of one connection."""
        with suppress(OSError, ValueError):
            while line := await reader.readline():
                writer.write(json.dumps(await self.answer(json.loads(line))).encode() + b"\n")
                await writer.drain()
        writer.close()


async def main() -> None:
    """Serve until the process is killed."""
    name, folder, bug = (*sys.argv[1:], "")[:3]
    server = Server(name, Path(folder), bug)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
