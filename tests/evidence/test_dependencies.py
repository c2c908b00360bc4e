"""Declared versions, from every kind of file, and whether what was told agrees with them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.dependencies import LOCKS, MANIFESTS, agrees, declared, key

POETRY = (
    '[tool.poetry.dependencies]\nhttpx = "0.27"\n'
    '[tool.poetry.group.dev.dependencies]\npytest = { version = "^8.3" }\n'
)
UV = 'version = 1\n\n[[package]]\nname = "httpx"\nversion = "0.27.2"\nsource = { registry = "x" }\n'


@pytest.mark.parametrize(
    ("file", "text", "name", "version"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["httpx[http2]>=0.27"]', "httpx", ">=0.27"),
        ("pyproject.toml", '[project.optional-dependencies]\ntest = ["pytest>=8; x"]', "pytest", ">=8"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.11"', "python", ">=3.11"),
        (
            "pyproject.toml",
            '[dependency-groups]\ndev = ["ruff==0.17", {include-group = "x"}]',
            "ruff",
            "==0.17",
        ),
        ("pyproject.toml", POETRY, "httpx", "^0.27"),
        ("pyproject.toml", POETRY, "pytest", "^8.3"),
        ("requirements.txt", "# note\n-r base.txt\nDjango == 5.0 # why\n", "django", "== 5.0"),
        ("web/package.json", '{"devDependencies": {"vite": "^5.0.0"}}', "vite", "^5.0.0"),
        ("package.json", '{"engines": {"node": ">=18"}}', "node", ">=18"),
        ("Cargo.toml", '[dependencies]\nserde = { version = "1.0", features = [] }', "serde", "^1.0"),
        ("Cargo.toml", '[package]\nrust-version = "1.75"', "rust", ">=1.75"),
        ("go.mod", "module x\n\ngo 1.21\n\nrequire github.com/jackc/pgx/v5 v5.4.0\n", "pgx", "5.4.0"),
        ("go.mod", "module x\n\ngo 1.21\n", "go", ">=1.21"),
        ("uv.lock", UV, "httpx", "0.27.2"),
        ("Cargo.lock", '[[package]]\nname = "serde"\nversion = "1.0.200"\n', "serde", "1.0.200"),
        (
            "package-lock.json",
            json.dumps({"packages": {"": {}, "node_modules/react": {"version": "18.2.0"}}}),
            "react",
            "18.2.0",
        ),
        (
            "yarn.lock",
            '"@babel/core@^7.0.0", "@babel/core@^7.1":\n  version "7.24.0"\n',
            "@babel/core",
            "7.24.0",
        ),
        ("yarn.lock", '"react@npm:^18.2.0":\n  version: 18.2.0\n', "react", "18.2.0"),
        ("yarn.lock", 'ms@2.0:\n  version "2.0.0"\n\nms@^2.1:\n  version "2.1.3"\n', "ms", "2.0.0 || 2.1.3"),
        ("pnpm-lock.yaml", "packages:\n\n  /react@18.2.0:\n    dev: false\n", "react", "18.2.0"),
        ("pnpm-lock.yaml", "packages:\n\n  '@types/node@20.1.0':\n    x: 1\n", "@types/node", "20.1.0"),
        ("pnpm-lock.yaml", "packages:\n\n  /vite/5.0.1:\n    x: 1\n", "vite", "5.0.1"),
    ],
)
def test_each_kind_of_file_tells_its_versions(file: str, text: str, name: str, version: str) -> None:
    assert declared(file, text)[name] == version


@pytest.mark.parametrize(
    ("written", "expected"),
    [("Next.js", "next"), ("My_Lib", "my-lib"), ("Node.js", "node"), ("zope.interface", "zope-interface")],
)
def test_a_name_is_told_in_many_ways(written: str, expected: str) -> None:
    assert key(written) == expected


@pytest.mark.parametrize(
    ("version", "operator", "demanded"),
    [
        ("18", "", "^18.2.0"),
        ("0.27", "", ">=0.27,<0.28"),
        ("0.27.1", "", ">=0.27,<0.28"),
        ("2", ">=", ">=2.6"),
        ("2", ">=", "^3.1"),
        ("5.0", "", "==5.0.3"),
        ("3.12", "", ">=3.11"),
        ("1", "", "*"),
        ("1", "", ""),
        ("1.4", "", "~1.4.2"),
        ("16", "", "14 || 16"),
        ("2", "<", ">=1.10,<2"),
    ],
)
def test_versions_that_agree(version: str, operator: str, demanded: str) -> None:
    assert agrees(version, operator, demanded)


@pytest.mark.parametrize(
    ("version", "operator", "demanded"),
    [
        ("17", "", "^18.2.0"),
        ("0.26", "", ">=0.28,<0.29"),
        ("1.10", "", ">=2.6"),
        ("2", "<", ">=2.6"),
        ("5.1", "", "==5.0.3"),
        ("19", "", "^18.2.0"),
        ("0.27", "", "^0.28.1"),
        ("2.0", "", "1.9.9"),
    ],
)
def test_versions_that_do_not(version: str, operator: str, demanded: str) -> None:
    assert not agrees(version, operator, demanded)


@given(st.sampled_from([*MANIFESTS, *LOCKS]), st.text(max_size=200))
def test_a_file_that_cannot_be_read_declares_nothing(file: str, text: str) -> None:
    assert isinstance(declared(file, text), dict)


@given(st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,3}", fullmatch=True), st.text(max_size=40))
def test_any_demand_agrees_or_not(version: str, demanded: str) -> None:
    assert agrees(version, "", demanded) in (True, False)


@pytest.mark.parametrize("file", ["notes.txt", "go.sum", "README.md", "Pipfile", "uv.lock.bak"])
def test_a_file_of_another_name_is_not_taken_for_a_list_of_requirements(file: str) -> None:
    assert declared(file, "httpx==0.27\n") == {}
