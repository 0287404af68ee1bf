"""`ObjectFolder`: checkpoints at an address, of an object store or of HDFS: whole objects, manifests last."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from checker.core.problems import EnvironmentProblem
from checker.storage.checkpoint.folder import UNREDUCED, Folder, Manifest, manifests_among, nothing_in
from checker.storage.checkpoint.identity import Identity
from checker.storage.object_store import ObjectStore
from checker.storage.objects import Objects

_OWNER = "lock"
"""The object that says which run writes here. Stores have no locks: the latest run takes it over."""


@dataclass(slots=True)
class ObjectFolder(Folder):
    """A `Folder` at an address. `token`: what this run wrote to the object that says whose it is."""

    token: str = ""

    @classmethod
    def at(cls, address: str, identity: Identity, must_be: bool, objects: Objects | None = None) -> ObjectFolder:
        """The folder at an address. `must_be`: there is a checkpoint to go on from. Raises `Problem`."""
        store = ObjectStore.of(objects or Objects(address))
        found = cls(store.folder, identity, store, token=uuid.uuid4().hex)
        if must_be and not found.in_use:
            raise nothing_in(found.place)
        return found

    @property
    def place(self) -> str:
        return self.store.place

    @property
    def open_to_others(self) -> bool:
        """Who may write to a bucket is not known here."""
        return False

    def close(self) -> None:
        """Nothing is held."""

    def inside(self, identity: Identity) -> ObjectFolder:
        objects = self._objects.below(UNREDUCED)
        return ObjectFolder.at(objects.address, identity, False, objects)

    def begin(self) -> None:
        # A run that is refused here leaves the one that writes alone.
        Folder.begin(self)
        self._claim()

    def latest(self) -> tuple[Manifest, list[str]]:
        found = Folder.latest(self)
        self._claim()
        return found

    def _claim(self) -> None:
        self._objects.put(_OWNER, [self.token.encode()], self.store.ask)

    def _demand_own(self) -> None:
        try:
            owner = self._objects.get(_OWNER, self.store.ask)
        except FileNotFoundError:
            owner = b""
        if owner != self.token.encode():
            raise EnvironmentProblem(
                f"another run writes checkpoints to {self.place} since it was begun or resumed there",
                "end one of the two, or name another address",
            )

    @property
    def _objects(self) -> Objects:
        assert isinstance(self.store, ObjectStore) and self.store.objects is not None
        return self.store.objects

    def _listed(self) -> list[str]:
        return self._objects.names(self.store.ask)

    def _has_unreduced(self) -> bool:
        return bool(manifests_among(self._objects.below(UNREDUCED).names(self.store.ask)))

    def _content(self, name: str) -> bytes:
        try:
            return self._objects.get(name, self.store.ask)
        except FileNotFoundError:
            raise EnvironmentProblem(f"the object {self.place}/{name} is missing") from None

    def _without(self, name: str) -> None:
        self.store.remove(name)
