"""The layout's rules: who may import whom, what a start imports, how long a file may be."""

from __future__ import annotations

import ast
import builtins
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from support.worlds import REPOSITORY, process_env

RECALL = REPOSITORY / "recall"
PLUGINS = REPOSITORY / "plugins"
LINE_CAP = 350
# Each room may import the rooms of the lines above it, and those of its own line.
ROOMS = [
    [
        "errors",
        "version",
        "wording",
        "kept",
        "piece",
        "records",
        "dates",
        "supersession",
        "checkpoints",
        "clienthooks",
        "scratch",
    ],
    ["api", "hookspecs"],
    [
        "files",
        "copies",
        "databases",
        "jsonl",
        "frontmatter",
        "documents",
        "conventions",
        "project_files",
        "claude_names",
        "gemini_names",
        "notes",
        "pages",
        "outline",
        "clean",
        "told",
        "secrets",
        "secret_values",
        "orders",
        "failures",
        "tokens",
        "transport",
        "git",
    ],
    [
        "places",
        "plugins",
        "provider_files",
        "project",
        "settings",
        "fanout",
        "index",
        "history",
        "suspension",
        "relevance",
        "setup",
        "data",
    ],
    ["question", "intake", "uri", "sources", "started", "evidence"],
    ["ranked", "grouping", "merge", "refresh"],
    ["answer"],
    ["excerpt", "outcomes"],
    ["backoff"],
    ["reading"],
    ["asking"],
    ["checks"],
    ["engine"],
    ["health", "policies"],
    ["context"],
    ["demo", "render", "scaffold"],
    ["testing"],
    ["hooks", "server"],
    ["cli", "__main__"],
]
FOR_PLUGINS = {
    "api",
    "errors",
    "files",
    "databases",
    "jsonl",
    "frontmatter",
    "documents",
    "outline",
    "conventions",
    "project_files",
    "claude_names",
    "gemini_names",
    "notes",
    "pages",
    "kept",
    "checkpoints",
    "transport",
    "git",
    "scratch",
}
BUILT_IN_ERRORS = {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
# They end a piece of work inside their own room; nobody is shown one.
SIGNALS = {
    ("recall/cli/group.py", "ReaderGone"),
    ("recall/server/work.py", "Crashed"),
    ("recall/server/work.py", "Stuck"),
}
HEAVY = (
    "mcp",
    "mcp_types",
    "httpx",
    "httpx2",
    "pydantic",
    "pydantic_settings",
    "rich",
    "asyncio",
    "tenacity",
)


def recall_imports(path: Path, *, lazily_too: bool = True) -> set[str]:
    """The rooms of recall that a file imports."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if lazily_too else iter(tree.body)
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "recall":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recall."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("recall.")}
    return found


def room_of(path: Path) -> str:
    parts = path.relative_to(RECALL).parts
    return parts[0].removesuffix(".py")


def sources() -> list[Path]:
    return [path for path in RECALL.rglob("*.py") if path != RECALL / "__init__.py"]


def test_every_room_has_a_place() -> None:
    known = {room for line in ROOMS for room in line}
    assert {room_of(path) for path in sources()} <= known


def test_every_room_is_in_the_page_of_the_architecture() -> None:
    page = (REPOSITORY / "docs/architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| \d+ \| ([^|]+) \|", page, re.MULTILINE)
    told = {room for row in rows for room in re.findall(r"`(\w+)`", row)}
    known = {room for line in ROOMS for room in line} - {"__main__", "data", "failures"}
    assert told == known


def test_what_is_lent_to_plugins_is_in_the_page_of_the_contract() -> None:
    page = (REPOSITORY / "docs/contract.md").read_text("utf-8")
    rows = re.findall(r"^\| (`recall\.[^|]+) \|", page.split("## Lent")[1], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`recall\.(\w+)`", row)} == FOR_PLUGINS - {
        "api",
        "errors",
    }


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(RECALL)))
def test_imports_point_downwards(path: Path) -> None:
    level = {room: number for number, line in enumerate(ROOMS) for room in line}
    own = room_of(path)
    upwards = {room for room in recall_imports(path) if room != own and level[room] > level[own]}
    assert not upwards


@pytest.mark.parametrize(
    "path", sorted(PLUGINS.rglob("*.py")), ids=lambda path: str(path.relative_to(PLUGINS))
)
def test_plugins_import_only_what_is_lent_to_them(path: Path) -> None:
    assert recall_imports(path) <= FOR_PLUGINS


@pytest.mark.parametrize(
    "path", [*sources(), *PLUGINS.rglob("*.py")], ids=lambda path: str(path.relative_to(REPOSITORY))
)
def test_no_file_outgrows_the_cap(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINE_CAP


# Lines of code of a provider's whole folder. A new one has at most 200; those of before may only get shorter.
MOST_CODE = 200
LONGER = {
    "recall_antigravity": 486,
    "recall_claude_mem": 1060,  # 669 read the file, the rest asks its worker
    "recall_decisions": 677,
    "recall_git": 223,
    "recall_markdown": 610,
    "recall_serena": 1308,  # 614 read files, the rest asks a Serena over MCP
    "recall_state": 407,
    "recall_transcripts": 459,
}


def code_lines(path: Path) -> int:
    """Lines of a file that hold code: neither blank, nor comment, nor docstring."""
    source = path.read_text(encoding="utf-8")
    told: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        first = (
            node.body[0]
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
            else None
        )
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            told |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    no_code = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in no_code:
            held |= set(range(token.start[0], token.end[0] + 1))
    return len(held - told)


def providers_code() -> dict[str, int]:
    folders = sorted(path for path in PLUGINS.iterdir() if (path / "provider.py").exists())
    return {folder.name: sum(map(code_lines, folder.rglob("*.py"))) for folder in folders}


def test_docstrings_comments_and_blank_lines_are_no_code(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    text = (
        '"""Text.\n\nMore."""\n\n# why\nx = """a\nb"""\n\n\ndef f():\n    """Text."""\n    return 1  # so\n'
    )
    path.write_text(text)
    assert code_lines(path) == 4


@pytest.mark.parametrize("name", providers_code())
def test_a_provider_is_short(name: str) -> None:
    assert providers_code()[name] <= LONGER.get(name, MOST_CODE)


def test_what_the_host_sees_of_a_provider_is_short() -> None:
    sizes = sorted(code_lines(path) for path in PLUGINS.glob("*/provider.py"))
    assert sizes[-1] <= MOST_CODE
    assert sizes[len(sizes) // 2] <= 120


def test_only_the_settings_and_the_server_import_pydantic() -> None:
    importers = {
        path.relative_to(RECALL).as_posix()
        for path in sources()
        if "pydantic" in {name.split(".")[0].split("_")[0] for name in _top_modules(path)}
    }
    assert {path for path in importers if not path.startswith("server/")} == {"settings/validate.py"}


def _top_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_every_exception_that_leaves_its_file_is_in_the_drawn_tree() -> None:
    drawing = (ast.get_docstring(ast.parse((RECALL / "errors.py").read_text(encoding="utf-8"))) or "").split()
    for path in [*sources(), *PLUGINS.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            if path == RECALL / "errors.py":
                assert node.name in drawing
            elif {getattr(base, "id", "") for base in node.bases} & BUILT_IN_ERRORS:
                assert (path.relative_to(REPOSITORY).as_posix(), node.name) in SIGNALS


def imported_by(arguments: list[str], home: Path, cwd: Path) -> set[str]:
    """The modules a fresh interpreter has loaded after a command line."""
    code = (
        "import sys\nfrom recall.cli.run import run\n"
        f"run({arguments!r})\nsys.stderr.write('\\nLOADED ' + ' '.join(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=process_env(home),
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return set(done.stderr.rsplit("LOADED ", 1)[1].split())


def test_help_imports_nothing_heavy_and_no_plugin(tmp_path: Path) -> None:
    loaded = imported_by(["--help"], tmp_path, tmp_path)
    unwanted = {*HEAVY, "pluggy", "sqlite3", "tomllib", "yaml", "recall.engine"}
    assert not unwanted & loaded
    assert not [name for name in loaded if name.startswith("recall_")]


def test_a_query_imports_no_client_library_and_no_validation(tmp_path: Path) -> None:
    loaded = imported_by(["query", "결제"], tmp_path, tmp_path)
    assert not set(HEAVY) & loaded
    assert "recall_serena" in loaded


def test_importing_recall_does_no_work(tmp_path: Path) -> None:
    code = (
        "import os, sys\nbefore = set(sys.modules)\nimport recall, recall.api\n"
        "assert not [n for n in sys.modules if n.startswith('recall.') and n not in "
        "('recall.api', 'recall.dates', 'recall.errors', 'recall.records')], sorted(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=process_env(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == []
