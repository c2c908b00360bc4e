"""Settings: files, environment and flags, merged deeply, validated, and with the origin of every value."""

from __future__ import annotations

from recall.settings.loading import check_provider_names, load, stamps
from recall.settings.model import (
    FAMILIES,
    AuthorityWeights,
    ContextSettings,
    EvidenceSettings,
    IndexSettings,
    Origin,
    ProjectSettings,
    ProviderSettings,
    QuerySettings,
    Reminder,
    ServerSettings,
    Settings,
    SuspensionSettings,
    Workspace,
    canonical,
)
from recall.settings.providers import ProviderOptions, options_for, provider_options
from recall.settings.sources import PROJECT_FILE
from recall.settings.workspaces import workspace_of

__all__ = [
    "FAMILIES",
    "PROJECT_FILE",
    "AuthorityWeights",
    "ContextSettings",
    "EvidenceSettings",
    "IndexSettings",
    "Origin",
    "ProjectSettings",
    "ProviderOptions",
    "ProviderSettings",
    "QuerySettings",
    "Reminder",
    "ServerSettings",
    "Settings",
    "SuspensionSettings",
    "Workspace",
    "canonical",
    "check_provider_names",
    "load",
    "options_for",
    "provider_options",
    "stamps",
    "workspace_of",
]
