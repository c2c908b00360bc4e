"""A memory's uri means the same however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.intake import memory_uri
from recall.uri import canonical


@given(st.text(min_size=1, max_size=40))
def test_a_uri_is_known_however_it_is_percent_encoded(identity: str) -> None:
    uri = memory_uri("notes", identity)
    every = "".join(f"%{byte:02X}" for byte in identity.encode("utf-8", "surrogatepass"))
    assert canonical(uri) == uri
    assert canonical(f"recall://notes/{every}") == uri


@pytest.mark.parametrize(
    "text", ["", "recall://", "recall://notes", "recall:///a", "recall://notes/", "/etc/passwd"]
)
def test_what_is_no_memory_s_uri_has_no_spelling(text: str) -> None:
    assert canonical(text) is None
