"""Memories that are still true, and look as if they were not; and stale ones that look true."""

from __future__ import annotations

import os

import pytest

from evidence import rows
from evidence.repository import Repository, day
from evidence.rows import LONG, NOW, checker_for, row
from recall.evidence import present
from recall.evidence.checker import Checker
from recall.evidence.result import Evidence, Verdict


def one(checker: Checker, text: str, on: float | None = 2) -> Evidence:
    return rows.one(checker, text, on)


def judged(repo: Repository, text: str, on: float | None = 2) -> Verdict:
    checker = checker_for(repo.top.parent, repo.top)
    try:
        return one(checker, text, on).verdict
    finally:
        checker.close()


# -- removals that are not committed ------------------------------------------------------------------------------


def test_an_uncommitted_removal_that_is_put_back_is_seen_at_once(repo: Repository) -> None:
    whole = "def alpha_one():\n    return 1\n\n\ndef beta():\n    pass\n"
    repo.commit(0, {"a.py": whole})
    checker = checker_for(repo.top.parent, repo.top)
    text = "`alpha_one()` computes it."
    repo.write({"a.py": "def beta():\n    pass\n"})
    assert one(checker, text).verdict is Verdict.CONTRADICTED
    repo.write({"a.py": whole + "\n\ndef gamma():\n    pass\n"})
    assert one(checker, text).verdict is Verdict.CURRENT
    repo.write({"a.py": "def beta():\n    pass\n"})
    assert one(checker, text).verdict is Verdict.CONTRADICTED
    repo.write({"a.py": whole})
    assert one(checker, text).verdict is Verdict.CURRENT


def test_what_comes_back_in_a_folder_that_git_does_not_know_is_seen_after_a_minute(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def alpha_one():\n    return 1\n"})
    repo.commit(3, {"a.py": "x = 1\n"})
    repo.write({"new/deep/b.py": "y = 1\n"})
    checker = checker_for(repo.top.parent, repo.top)
    assert one(checker, "`alpha_one()` computes it.").verdict is Verdict.CONTRADICTED
    repo.write({"new/deep/b.py": "def alpha_one():\n    return 1\n"})
    assert checker._opened is not None
    checker._opened._present._now = lambda: NOW + 61
    assert one(checker, "`alpha_one()` computes it.").verdict is Verdict.CURRENT


# -- spellings of names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("deploy.sh", 'curl -H "$DEPLOY_TOKEN"\n'),
        ("deploy.sh", 'curl -H "${DEPLOY_TOKEN}"\n'),
        ("deploy.bat", "curl -H %DEPLOY_TOKEN%\n"),
        ("deploy.ps1", "curl -H $env:DEPLOY_TOKEN\n"),
        ("ci.yml", "token: ${{ secrets.DEPLOY_TOKEN }}\n"),
        ("deploy.json", '{"DEPLOY_TOKEN": ""}\n'),
        ("deploy.rb", "run(@DEPLOY_TOKEN)\n"),
        ("deploy.css", "#DEPLOY_TOKEN { color: red }\n"),
    ],
)
def test_a_name_that_is_still_used_under_a_sign_is_there(repo: Repository, path: str, use: str) -> None:
    repo.commit(0, {"env.sh": "export DEPLOY_TOKEN=abc\n", path: use})
    repo.commit(5, {"env.sh": "true\n"})
    assert judged(repo, "`DEPLOY_TOKEN` must be set.") is Verdict.CURRENT
    assert judged(repo, "`$DEPLOY_TOKEN` must be set.") is not Verdict.CONTRADICTED
    assert judged(repo, "`$DEPLOY_TOKEN()` must be called.") is Verdict.CURRENT


def test_a_flag_that_loses_its_dashes_is_there(repo: Repository) -> None:
    repo.commit(0, {"a.sh": "run --keep_going\n", "b.py": "add('keep_going')\n"})
    repo.commit(5, {"a.sh": "run\n"})
    assert judged(repo, "`--keep_going` goes on after an error.") is Verdict.CURRENT
    assert judged(repo, "`keep_going` goes on after an error.") is Verdict.CURRENT


# -- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("300", "5 * 60"),
        ("30", "30.0"),
        ("1048576", "1 << 20"),
        ("1_000", "1000"),
        ('"8080"', "8080"),
        ("8080", "0x1F90"),
        ("300", "MINUTE * 5"),
        ("300", 'int(os.environ["WAIT_LIMIT"])'),
        ("300", "(\n    300\n)"),
    ],
)
def test_a_value_that_is_only_written_otherwise_is_not_contradicted(
    repo: Repository, before: str, after: str
) -> None:
    repo.commit(0, {"a.py": f"WAIT_LIMIT = {before}\n", "b.py": "other = dict(WAIT_LIMIT=7)\n"})
    repo.commit(5, {"a.py": f"WAIT_LIMIT = {after}\n"})
    told = before.strip('"')
    assert judged(repo, f"`WAIT_LIMIT` is {told}.") is Verdict.CURRENT
    assert judged(repo, f"`WAIT_LIMIT` is {told} in a.py.") is Verdict.CHANGED


def test_a_value_that_moved_to_where_it_cannot_be_told_is_not_contradicted(repo: Repository) -> None:
    repo.commit(0, {"k.yaml": "replicas: 3\n"})
    repo.commit(5, {"k.yaml": "replicas:\n  min: 3\n"})
    assert judged(repo, "`replicas` is 3.") is Verdict.UNVERIFIABLE


def test_a_unit_is_told_with_its_number_or_not_at_all(repo: Repository) -> None:
    repo.commit(0, {"a.yml": "wait_limit: 30s\n"})
    repo.commit(5, {"a.yml": "wait_limit: 30\n"})
    assert judged(repo, "`wait_limit` is 30.") is Verdict.CURRENT


def test_another_number_is_still_another_number(repo: Repository) -> None:
    repo.commit(0, {"a.py": "WAIT_LIMIT = 300\n"})
    repo.commit(5, {"a.py": "WAIT_LIMIT = 600.0\n"})
    assert judged(repo, "`WAIT_LIMIT` is 300.") is Verdict.CONTRADICTED


# -- files that git takes for no text -----------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["-diff", "binary"])
def test_code_that_moves_to_a_file_that_is_marked_as_no_text_is_there(repo: Repository, mark: str) -> None:
    code = "def moved_function():\n    return 1\n"
    repo.commit(0, {".gitattributes": f"gen/** {mark}\n", "a.py": code + "WAIT_LIMIT = 30\n"})
    repo.commit(5, {"a.py": "import os\n", "gen/b.py": code + "WAIT_LIMIT = 30\n"})
    assert judged(repo, "`moved_function()` computes the price.") is Verdict.CURRENT
    assert judged(repo, "`WAIT_LIMIT` is 30.") is Verdict.CURRENT


def test_what_is_gone_is_gone_where_files_are_marked_as_no_text(repo: Repository) -> None:
    repo.commit(0, {"docs/.gitattributes": "*.py binary\n", "a.py": "def gone_function():\n    return 1\n"})
    repo.commit(5, {"a.py": "import os\n", "docs/b.py": "# gone_function was here\n"})
    assert judged(repo, "`gone_function()` computes the price.") is Verdict.CONTRADICTED


# -- files that git does not know ---------------------------------------------------------------------------------


def test_a_file_that_git_let_go_and_that_is_still_there_has_its_say(repo: Repository) -> None:
    repo.commit(0, {".env.local.py": "ALPHA_KEY = 5000\n", "x.py": "a = 1\n"})
    os.utime(repo.top / ".env.local.py", (day(0), day(0)))
    repo.git("rm", "-q", "--cached", ".env.local.py")
    repo.commit(3, {".gitignore": ".env.local.py\n"})
    assert judged(repo, "`ALPHA_KEY` is 5000 in `.env.local.py`.") is Verdict.CURRENT
    assert judged(repo, "`ALPHA_KEY` must be set.") is Verdict.CURRENT
    assert judged(repo, "`ALPHA_KEY` is 5000.") is Verdict.CURRENT
    repo.write({".env.local.py": "BETA_KEY = 1\n"})
    assert judged(repo, "`ALPHA_KEY` must be set.") is Verdict.CONTRADICTED


@pytest.mark.parametrize("path", ["conf/app.toml", "new/tool.py"])
def test_a_file_that_git_does_not_know_is_as_old_as_its_own_time(repo: Repository, path: str) -> None:
    repo.commit(0, {".gitignore": "conf/\n", "a.py": "x = 1\n"})
    repo.write({path: "x = 1\n"})
    os.utime(repo.top / path, (day(1), day(1)))
    assert judged(repo, f"`{path}` has it.") is Verdict.CURRENT
    os.utime(repo.top / path, (day(5), day(5)))
    assert judged(repo, f"`{path}` has it.") is Verdict.CHANGED


# -- comments -----------------------------------------------------------------------------------------------------


def test_code_that_looks_like_a_comment_of_another_language_is_code(repo: Repository) -> None:
    repo.commit(0, {"calc.py": "def page_size_limit():\n    return 3\n", "n.c": "int old_count_var;\n"})
    repo.commit(
        3, {"calc.py": "from lib import *\nn = 10 // page_size_limit()\n", "n.c": "* old_count_var = 3;\n"}
    )
    assert judged(repo, "`page_size_limit()` divides.") is Verdict.CURRENT
    assert judged(repo, "`old_count_var` counts.") is Verdict.CURRENT


# -- ports --------------------------------------------------------------------------------------------------------


@pytest.fixture
def ports(repo: Repository) -> Repository:
    repo.commit(0, {"c.yml": "port: 8080\n", "d.py": "TTL = 8080\n"})
    repo.commit(3, {"c.yml": "port: 9090\n"})
    return repo


def test_a_number_that_is_no_port_bears_no_port_out(ports: Repository) -> None:
    assert judged(ports, "The API listens on port 8080.") is Verdict.UNVERIFIABLE


def test_the_named_file_says_which_port_it_has(ports: Repository) -> None:
    assert judged(ports, "c.yml has port 8080.") is Verdict.CONTRADICTED
    assert judged(ports, "c.yml has port 9090.", 4) is Verdict.CURRENT


def test_a_port_that_stands_in_no_code_any_more_is_gone(ports: Repository) -> None:
    ports.commit(4, {"d.py": "TTL = 60\n"})
    assert judged(ports, "The API listens on port 8080.") is Verdict.CONTRADICTED


def test_a_number_that_goes_uncommitted_is_a_port_only_where_it_was_one(repo: Repository) -> None:
    repo.commit(0, {"a.py": "TTL = 8080\nPORT = 9090\n"})
    repo.write({"a.py": "TTL = 60\nPORT = 7070\n"})
    assert judged(repo, "The proxy listens on port 8080.") is Verdict.UNVERIFIABLE
    assert judged(repo, "The proxy listens on port 9090.") is Verdict.CONTRADICTED


def test_a_port_that_went_to_another_file_is_not_contradicted(ports: Repository) -> None:
    ports.commit(4, {"proxy.conf": "listen 8080;\n"})
    assert judged(ports, "The API listens on port 8080.") is Verdict.CURRENT
    assert judged(ports, "c.yml has port 8080.") is Verdict.CHANGED


def test_a_file_that_never_had_the_port_contradicts_nothing(repo: Repository) -> None:
    repo.commit(0, {"c.yml": "port: 9090\n", "d.yml": "port: 8080\n"})
    repo.commit(3, {"c.yml": "port: 9091\n", "d.yml": "name: d\n", "serve.py": "TTL = 8080\n"})
    assert judged(repo, "c.yml is asked through port 8080.") is Verdict.CHANGED


# -- tests --------------------------------------------------------------------------------------------------------


def test_what_a_test_binds_does_not_keep_a_stale_value_alive(repo: Repository) -> None:
    repo.commit(0, {"t/test_a.py": "MAX_RETRIES = 3\n", "app.py": "MAX_RETRIES = 3\n"})
    repo.commit(3, {"app.py": "MAX_RETRIES = 9\n"})
    checker = checker_for(repo.top.parent, repo.top)
    for _time in range(2):  # found, and remembered
        found = one(checker, "`MAX_RETRIES` is 3.")  # of the tests, it may be
        assert (found.verdict, found.findings[0].reason) == (Verdict.UNVERIFIABLE, "MAX_RETRIES is 9 now")
        assert one(checker, "`MAX_RETRIES` is 9.").verdict is Verdict.CURRENT
        assert not one(checker, "`MAX_RETRIES` is 3 in t/test_a.py.").contradicted


def test_what_only_a_test_binds_is_there(repo: Repository) -> None:
    repo.commit(0, {"t/test_a.py": "MAX_RETRIES = 3\n", "app.py": "MAX_RETRIES = limit()\n"})
    checker = checker_for(repo.top.parent, repo.top)
    for _time in range(2):
        found = one(checker, "`MAX_RETRIES` is 3.")
        assert "MAX_RETRIES = 3 stands in t/test_a.py:1" in [finding.reason for finding in found.findings]


def test_a_value_of_a_test_is_not_what_the_program_has_now(repo: Repository) -> None:
    repo.commit(0, {"t/test_a.py": "MAX_RETRIES = 5\n", "app.py": "MAX_RETRIES = 3\nrun(MAX_RETRIES)\n"})
    repo.commit(3, {"app.py": "from conf import MAX_RETRIES\nrun(MAX_RETRIES)\n"})
    assert judged(repo, "`MAX_RETRIES` is 3.") is Verdict.CURRENT


# -- long memories, long lines ------------------------------------------------------------------------------------


def test_memories_with_endless_names_take_no_verdict_from_others(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def alpha_one():\n    return 1\n"})
    repo.commit(3, {"a.py": "x = 1\n"})
    endless = ["\n".join(f"{'n' * 440}{k}_{j}_x is here" for j in range(60)) for k in range(6)]
    rows = [row("a", "`alpha_one()` does it, `other_name()` too.", 2)]
    rows += [row(str(number), text, 2) for number, text in enumerate(endless)]
    found = checker_for(repo.top.parent, repo.top).check(rows, LONG)
    assert found[rows[0].uri].verdict is Verdict.CONTRADICTED
    assert {found[one.uri].verdict for one in rows[1:]} == {Verdict.UNVERIFIABLE}


def test_more_paths_than_a_command_line_holds_are_searched_in_parts(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present, "_UNKNOWN_SECONDS", 600.0)
    folder = "/".join("d" * 240 for _level in range(10))
    repo.commit(0, {"a.py": "def alpha_one():\n    return 1\n", f"{folder}/b.py": "y = 1\n"})
    repo.commit(3, {"a.py": "x = 1\n"})
    repo.write({f"{folder}/{number:03}.py": "y = 1\n" for number in range(900)})
    repo.write({"z.py": "def alpha_one():\n    return 1\n"})
    assert judged(repo, "`alpha_one()` does it.") is Verdict.CURRENT


def test_what_git_says_is_not_told_as_a_lack_of_time(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def alpha_one():\n    return 1\n"})
    checker = checker_for(repo.top.parent, repo.top)
    one(checker, "`beta_one()` does it.")
    (repo.top / ".git/index").write_bytes(b"no index at all")
    found = one(checker, "`gamma_one()` does it.")
    assert found.verdict is Verdict.NOT_CHECKED
    assert "git says" in found.findings[0].reason
    assert "out of time" not in found.findings[0].reason


def test_code_that_a_later_commit_brings_in_a_file_that_is_marked_as_no_text_is_there(
    repo: Repository,
) -> None:
    code = "def moved_function():\n    return 1\n"
    repo.commit(0, {".gitattributes": "gen/** -diff\n", "a.py": code, "gen/b.py": "x = 1\n"})
    repo.commit(5, {"a.py": "import os\n"})
    checker = checker_for(repo.top.parent, repo.top)
    assert one(checker, "`moved_function()` computes the price.").verdict is Verdict.CONTRADICTED
    repo.commit(6, {"gen/b.py": code})
    assert one(checker, "`moved_function()` computes the price.").verdict is Verdict.CURRENT


def test_what_comes_in_a_new_folder_that_git_does_not_know_is_seen_at_once(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def alpha_one():\n    return 1\n"})
    repo.commit(3, {"a.py": "x = 1\n"})
    checker = checker_for(repo.top.parent, repo.top)
    assert one(checker, "`alpha_one()` computes it.").verdict is Verdict.CONTRADICTED
    repo.write({"new/b.py": "def alpha_one():\n    return 1\n"})
    assert one(checker, "`alpha_one()` computes it.").verdict is Verdict.CURRENT
