"""What an engine was started with, to tell whether it would start otherwise now."""

from __future__ import annotations

from typing import NamedTuple

from recall import settings
from recall.api import Scope
from recall.errors import UsageError
from recall.places import Places
from recall.project import find_scope


class Started(NamedTuple):
    """What was seen before anything was made of it: a change in between is then a change since."""

    scope: Scope  # as it was found, without the names that settings add
    places: Places
    stamps: tuple[object, ...]  # of the settings' files

    @classmethod
    def at(cls, scope: Scope, places: Places) -> Started:
        """As it is now, in a scope that was just found."""
        return cls(scope, places, settings.stamps(places, scope.root, scope.env, scope.home))

    def outdated(self) -> bool:
        """Whether the settings' files have changed, or the project: it became a repository, or has another name."""
        scope = self.scope
        try:
            found = find_scope(scope.cwd, home=scope.home, env=scope.env, all_projects=scope.all_projects)
        except UsageError:  # the folder is gone: what is known of it is all there is
            found = scope
        return self != Started.at(found, self.places)
