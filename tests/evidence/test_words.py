"""What a line of code is taken to name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.words import bound, code_of, is_for_agents, is_prose, named, ports, same_number


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("PORT = 8080", ("PORT", "8080")),
        ("PORT: int = 8080", ("PORT", "8080")),
        ("const PORT: u16 = 8080;", ("PORT", "8080")),
        ('"port": 8080,', ("port", "8080")),
        ("port: 8080", ("port", "8080")),
        ('os.environ.get("PORT", 8080)', ("PORT", "8080")),
        ("PORT=${PORT:-8080}", ("PORT", "8080")),
        ("#define PORT 8080", ("PORT", "8080")),
        ("ENV PORT 8080", ("PORT", "8080")),
        ("LIMIT = 30_000", ("LIMIT", "30000")),
        ("port := 8080", ("port", "8080")),
        ("max-retries: 3", ("max-retries", "3")),
    ],
)
def test_a_number_is_bound_to_its_name(line: str, pair: tuple[str, str]) -> None:
    assert pair in list(bound(line))


@pytest.mark.parametrize(
    "line", ["TIMEOUT = 30s", 'VERSION = "1.2.3rc1"', "retry()", "x = y", "TTL = 60 * 5", "SIZE = 1 << 20"]
)
def test_what_is_no_plain_number_is_bound_to_nothing(line: str) -> None:
    assert list(bound(line)) == []


@pytest.mark.parametrize(
    "line", ["# note", "  // note", "/* note", " * note", "<!-- note -->", "-- note", "x" * 3_000]
)
def test_comments_and_endless_lines_are_no_code(line: str) -> None:
    assert code_of(line) == ""


def test_a_comment_behind_code_is_cut_off() -> None:
    assert "old_name" not in set(named(code_of("x = new_name  # was old_name")))
    assert "name" in set(named(code_of("fetch('https://example.org/name')")))


@pytest.mark.parametrize("line", ["#include <stdio.h>", "#define A 1", "#[derive(Parser)]"])
def test_directives_are_code(line: str) -> None:
    assert code_of(line) == line


def test_kebab_case_is_named_whole_and_in_parts() -> None:
    assert {"max-retries", "max", "retries"} <= set(named("--max-retries"))


@pytest.mark.parametrize(
    ("path", "prose"),
    [("README.md", True), ("docs/a.rst", True), ("requirements.txt", False), ("src/a.py", False)],
)
def test_documents_are_prose(path: str, prose: bool) -> None:
    assert is_prose(path) is prose


def test_folders_of_agents_prove_nothing() -> None:
    assert is_for_agents(".serena/memories/core.md")
    assert not is_for_agents("src/serena/core.py")


@given(st.text(max_size=300))
def test_any_line_names_something_or_nothing(line: str) -> None:
    assert all(name for name in named(code_of(line)))


@pytest.mark.parametrize(
    "line",
    [
        "PORT = 8080",
        "port: 8080",
        '"port": 8080,',
        "listen 8080;",
        "listen(8080)",
        "listenAndServe(8080)",
        "EXPOSE 8080",
        'bind = "0.0.0.0:8080"',
        'ports: ["8080:80"]',
        "serve --port 8080",
        "proxy_pass http://web:8080;",
        "server_port=8080",
    ],
)
def test_a_port_is_told_by_what_stands_before_it(line: str) -> None:
    assert "8080" in list(ports(line))


@pytest.mark.parametrize("line", ["limit = 8080", "x = 8080", "import portal", "wait(8080)"])
def test_another_number_is_no_port(line: str) -> None:
    assert list(ports(line)) == []


def test_numbers_are_compared_as_numbers() -> None:
    assert same_number("5", "5.0")
    assert not same_number("5", "50")
    assert not same_number("1.2.3", "1.2")
