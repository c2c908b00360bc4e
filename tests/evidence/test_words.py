"""What a line of code is taken to name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.words import (
    bound,
    code_of,
    is_for_agents,
    is_prose,
    is_test,
    named,
    plain_number,
    ports,
    untold,
)


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
    ("line", "pair"),
    [
        ("DELAY = 30.0", ("DELAY", "30")),
        ("RATIO = 0.50", ("RATIO", "0.5")),
        ("PORT = 0x1F90", ("PORT", "8080")),
        ("MODE = 0b101", ("MODE", "5")),
        ("LIMIT = 1_000", ("LIMIT", "1000")),
        ("LIMIT = 1'000;", ("LIMIT", "1000")),
        ("LIMIT = 1e3", ("LIMIT", "1000")),
        ('PORT = "8080"', ("PORT", "8080")),
        ("long WAIT = 30L;", ("WAIT", "30")),
        ("const PORT: u16 = 8_080u16;", ("PORT", "8080")),
        ("VERSION = 1.10.0", ("VERSION", "1.10.0")),
    ],
)
def test_equal_numbers_are_bound_as_one(line: str, pair: tuple[str, str]) -> None:
    assert pair in list(bound(line))


@pytest.mark.parametrize(
    "line", ["TIMEOUT = 30s", 'VERSION = "1.2.3rc1"', "retry()", "x = y", "TTL = 60 * 5", "SIZE = 1 << 20"]
)
def test_what_is_no_plain_number_is_bound_to_nothing(line: str) -> None:
    assert list(bound(line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "LIMIT = 5 * 60",
        "LIMIT = 1 << 20",
        "LIMIT = (5) * 60",
        "LIMIT = 10 // 2",
        "LIMIT = SECOND * 60",
        'LIMIT = int(os.environ["LIMIT"])',
        "LIMIT = 30s",
        '"LIMIT": "30 s"',
        "LIMIT: DEFAULT_LIMIT",
        "LIMIT = 3 if fast else 5",
        "LIMIT = -1",
        "LIMIT = (",
        "LIMIT =",
        "const LIMIT int = 30",
        "int LIMIT = limit();",
        "#define LIMIT (5 * 60)",
    ],
)
def test_an_expression_is_no_value_that_can_be_told(line: str) -> None:
    assert "LIMIT" in untold(line)


def test_of_a_very_long_line_no_value_can_be_told() -> None:
    assert "LIMIT" in untold("LIMIT = 30; " + "run(); " * 100)


@pytest.mark.parametrize(
    "line",
    [
        "LIMIT = 30",
        "LIMIT: int = 30",
        "def wait(LIMIT: int = 30):",
        "LIMIT: int",
        "self.LIMIT = LIMIT",
        "run(LIMIT=settings.LIMIT)",
        "if LIMIT:",
        "if LIMIT == limit():",
        'LIMIT = int(os.environ.get("LIMIT", 30))',
        "LIMIT=${LIMIT:-30}",
    ],
)
def test_a_value_that_is_told_or_not_given_here_is_not_untold(line: str) -> None:
    assert "LIMIT" not in untold(line)


@pytest.mark.parametrize(
    "line",
    [
        "$DEPLOY_TOKEN",
        "${DEPLOY_TOKEN}",
        "%DEPLOY_TOKEN%",
        "@DEPLOY_TOKEN",
        "#DEPLOY_TOKEN",
        '"DEPLOY_TOKEN":',
        "--DEPLOY_TOKEN",
        "$env:DEPLOY_TOKEN",
        "{{ DEPLOY_TOKEN }}",
        "prefix$DEPLOY_TOKEN",
    ],
)
def test_a_name_is_named_whatever_sign_stands_before_it(line: str) -> None:
    assert "DEPLOY_TOKEN" in set(named(line))
    assert "" not in set(named(line))


@pytest.mark.parametrize(
    "line",
    [
        "port: 8080",
        "server.listen(8080)",
        "EXPOSE 8080",
        '- "8080:80"',
        "- 8080",
        "API_PORT=8080",
        "http://localhost:8080/x",
        'host = "db:8080"',
    ],
)
def test_a_port_stands_in_a_line_that_speaks_of_one(line: str) -> None:
    assert "8080" in ports(line)


@pytest.mark.parametrize("line", ["TTL = 8080", "import 8080", "report(8080)", "x = 8080"])
def test_any_other_number_is_no_port(line: str) -> None:
    assert ports(line) == []


def test_a_line_that_a_program_made_is_no_code() -> None:
    assert code_of("x" * 3_000, "a.py") == ""


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/unit/a.py", True),
        ("t/test_a.py", True),
        ("src/app.spec.ts", True),
        ("pkg/app_test.go", True),
        ("src/contest.py", False),
        ("src/testing_ground.py", False),
        ("app.py", False),
    ],
)
def test_tests_are_told_by_their_path(path: str, test: bool) -> None:
    assert is_test(path) is test


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
    code = code_of(line, "a.zzz")
    assert all(name for name in named(code))
    assert "" not in untold(code)


@given(st.from_regex(r"\A(?:0[xX][0-9a-f]{1,8}|[1-9][0-9_]{0,12}(?:\.[0-9]{1,9})?)\Z"))
def test_a_number_is_compared_by_its_value(text: str) -> None:
    expected = int(text, 0) if text[1:2].lower() == "x" else float(text.replace("_", ""))
    assert float(plain_number(text)) == pytest.approx(expected)
    assert plain_number(plain_number(text)) == plain_number(text)


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
