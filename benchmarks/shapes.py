"""The forms in which engineers write first: each model of `models/shapes`, at the largest size with promised counts."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from benchmarks.rows import MODELS, Row
from checker.expectations.promises import Promise, promises_below

LIMIT_S = 120
"""CPU seconds after which the run of a shape is given up."""
MEASURED: Final = {
    "AlternatingBit": "InOrderAndOnce AcknowledgedIsReceived AllArrive",
    "CacheCoherence": "OneWriterOrReaders ReadersSeeTheLatest",
    "CachedReads": "GetsFindTheLastPut StoreIsOfTheLastPuts CacheIsOfTheStore EventsAreAdded",
    "CommitByMessages": "AllDecideAlike CommitNeedsAllVotes OutcomeIsFinal",
    "CopiedLogs": "OnlyWhatIsProposed Bounded",
    "Gossip": "NothingIsInvented KnowledgeGrows AllKnowAll",
    "JobQueue": "NoJobIsLost OneWorkerPerJob AllDone",
    "KeyValueHistory": "Linearizable",
    "Lease": "OneValidLease WritesInOrder",
    "LockTable": "OwnersHoldTheirLocks HoldersOwnTheirLocks",
    "LogicalClocks": "StampsArePast ReceivingIsLater",
    "Paxos": "OneValueIsChosen OneProposalPerBallot SomethingIsChosen ChoiceIsFinal",
    "Raft": "OneLeaderPerTerm CommittedEntriesAgree LogsMatch LeaderIsComplete",
    "RaftCompaction": "CommittedEntriesAgree SnapshotsAgree CommittedIsKept CommitGrows",
    "ReplicatedLog": "IsPrefix CommittedIsOnAMajority LogsOnlyGrow",
    "RingElection": "OneLeader QueuesAreFifo LeadersStay SomeLeader",
    "Saga": "DoneOnce BookedIsComplete UndoneLeavesNothing EachSagaEnds",
    "SlidingTiles": "ParityIsKept EachTileOnce GapComesFirst",
    "Snapshot": "MoneyIsKept SnapshotAddsUp SnapshotEnds",
    "TaskStore": "ArchivedOnce FinishedOnce OwnersHold DoneIsFree DoneStaysDone AllArchived",
    "TokenRing": "NeverStuck NoneIsAdded OnePrivilege",
    "UndoRedo": "LastStepCanBeUndone StepsAreSmall RedoFits",
    "WorkQueue": "NoJobIsLost FinishedStays WorkGoesOn NoneIsTakenBack",
}
"""The properties that are checked in the run of each model: no others, so that its figures stay comparable."""


def shapes() -> list[Row]:
    """A row for each model. Raises `ExpectationProblem` if the promises can not be read."""
    promises = [promise for promise in promises_below(MODELS / "shapes") if promise.keep_going]
    promises.sort(key=lambda promise: promise.model)
    return [_row(max(same, key=_states)) for _, same in groupby(promises, lambda promise: promise.model)]


def _states(promise: Promise) -> int:
    return int(promise.figures["states"])


def _row(promise: Promise) -> Row:
    title = " ".join([promise.model.stem, *(f"{name}={text}" for name, text in promise.constants.items())])
    model = str(promise.model.relative_to(MODELS))
    transitions = int(promise.figures["transitions"])
    options = tuple(f"--property={name}" for name in MEASURED[promise.model.stem].split())
    return Row(title, model, promise.constants, _states(promise), transitions, options, limit_s=LIMIT_S)
