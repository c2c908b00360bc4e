"""Settings: files, environment and flags, merged deeply, validated, and with the origin of every value."""

from __future__ import annotations

from recall.settings.loading import check_provider_names, load, stamps
from recall.settings.model import (
    AuthorityWeights,
    EvidenceSettings,
    IndexSettings,
    Origin,
    ProjectSettings,
    ProviderSettings,
    QuerySettings,
    ServerSettings,
    Settings,
    SuspensionSettings,
)
from recall.settings.providers import ProviderOptions, options_for, provider_options
from recall.settings.sources import PROJECT_FILE

__all__ = [
    "PROJECT_FILE",
    "AuthorityWeights",
    "EvidenceSettings",
    "IndexSettings",
    "Origin",
    "ProjectSettings",
    "ProviderOptions",
    "ProviderSettings",
    "QuerySettings",
    "ServerSettings",
    "Settings",
    "SuspensionSettings",
    "check_provider_names",
    "load",
    "options_for",
    "provider_options",
    "stamps",
]
