"""Every exception recall raises on purpose, drawn as one tree.

RecallError                     shown as one line; anything else is a bug and keeps its traceback
├── UsageError                  the question cannot be asked as given          (exit code 2)
│   ├── Unreadable              a text that was to be changed cannot be, or not safely
│   │   └── ReachedOverHttp     the entry is the user's own, for a server that no client starts
│   └── Overtaken               a file that was to be changed was changed by somebody else
├── NotFound                    looked, and it is not there                    (exit code 1)
├── SettingsError               settings that cannot be used                   (exit code 2)
├── ProviderError               one provider cannot do what it was asked
│   ├── NotConfigured           it is off until the user gives it something
│   ├── StoreAbsent             nothing is there
│   ├── StoreBusy               locked or too slow; try again
│   └── StoreBroken             there, and cannot be read
├── DeadlineExceeded            the time for this piece of work is over
├── IndexUnavailable            the index folder cannot be used
└── ContextUnavailable          the project's `.context` cannot be used
    └── ContextBusy             others are saving; try again
"""

from __future__ import annotations


class RecallError(Exception):
    """Base of all: `str()` is one clear line, `next_step` is what the user can type or do."""

    kind = "error"
    retryable = False

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.next_step = next_step


class UsageError(RecallError):
    """The question cannot be asked as given."""

    kind = "usage"


class Unreadable(UsageError):
    """A text that was to be changed cannot be understood, or not be changed safely; one line with the place."""


class ReachedOverHttp(Unreadable):
    """The entry is the user's own, for a server that is not started by the client."""


class Overtaken(UsageError):
    """A file that was to be changed was changed by somebody else meanwhile; it is as they left it."""

    retryable = True


class NotFound(RecallError):
    """Looked, and it is not there."""

    kind = "not-found"


class SettingsError(RecallError):
    """Settings that cannot be used; `problems` holds one line per mistake, all of them at once."""

    kind = "settings"

    def __init__(self, problems: list[str], next_step: str = "") -> None:
        super().__init__("\n".join(problems), next_step)
        self.problems = tuple(problems)


class ProviderError(RecallError):
    """One provider cannot do what it was asked."""

    kind = "provider"


class NotConfigured(ProviderError):
    """The provider is off until the user gives it something: a state, not a failure."""

    kind = "not-configured"


class StoreAbsent(ProviderError):
    """Nothing is where the store would be."""

    kind = "absent"


class StoreBusy(ProviderError):
    """The store is locked or too slow just now."""

    kind = "busy"
    retryable = True


class StoreBroken(ProviderError):
    """The store is there and cannot be read."""

    kind = "broken"


class DeadlineExceeded(RecallError):
    """The time for this piece of work is over."""

    kind = "deadline"
    retryable = True


class IndexUnavailable(RecallError):
    """The index folder cannot be used."""

    kind = "index"


class ContextUnavailable(RecallError):
    """The project's folder `.context` cannot be used, or not be written; nothing was saved."""

    kind = "context"


class ContextBusy(ContextUnavailable):
    """Others are saving just now."""

    kind = "busy"
    retryable = True
