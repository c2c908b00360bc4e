"""A path to a scope."""

from __future__ import annotations

import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Scope
from recall.errors import UsageError
from recall.project import find_scope


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL
    )


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def scope_of(path: Path, home: Path | None = None) -> Scope:
    return find_scope(path, home=home or (path.anchor and Path(path.anchor) / "nobody"), env={})


def test_a_folder_inside_a_repository_belongs_to_its_root(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop-api")
    (root / "src" / "deep").mkdir(parents=True)
    scope = scope_of(root / "src" / "deep")
    assert (scope.root, scope.main_root, scope.in_git, scope.names) == (root, root, True, ("shop-api",))
    assert scope.cwd == root / "src" / "deep"


def test_a_worktree_knows_its_main_checkout_and_both_names(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop-api")
    git(root, "worktree", "add", "-q", "../feat-pay")
    scope = scope_of(tmp_path / "feat-pay")
    assert scope.root == tmp_path / "feat-pay"
    assert scope.main_root == root
    assert scope.names == ("shop-api", "shop-api/feat-pay", "feat-pay")
    assert scope.roots == (tmp_path / "feat-pay", root)


def test_the_top_of_a_bare_repository_is_in_git(tmp_path: Path) -> None:
    repository(tmp_path / "shop-api")
    git(tmp_path, "clone", "-q", "--bare", "shop-api", "shop.git")
    scope = scope_of(tmp_path / "shop.git")
    assert (scope.root, scope.main_root, scope.in_git) == (tmp_path / "shop.git", tmp_path / "shop.git", True)
    assert scope.names[:2] == ("shop.git", "shop")
    (tmp_path / "like").mkdir()
    (tmp_path / "like/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert not scope_of(tmp_path / "like").in_git


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner, outer = repository(tmp_path / "inner"), repository(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "lib")
    scope = scope_of(outer / "lib")
    assert (scope.root, scope.main_root) == (outer / "lib", outer / "lib")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.invalid/team/storefront.git",
        "git@example.invalid:team/storefront.git",
        "/srv/git/storefront/",
    ],
)
def test_the_remotes_name_is_a_name_of_the_project(tmp_path: Path, url: str) -> None:
    root = repository(tmp_path / "work")
    git(root, "remote", "add", "upstream", "https://example.invalid/other/other.git")
    git(root, "remote", "add", "origin", url)
    assert scope_of(root).names == ("work", "storefront")


def test_a_decomposed_folder_name_is_composed(tmp_path: Path) -> None:
    folder = tmp_path / unicodedata.normalize("NFD", "결제서버")
    folder.mkdir()
    assert scope_of(folder).names == ("결제서버",)


def test_outside_git_the_folder_itself_is_the_project(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    scope = scope_of(folder)
    assert (scope.root, scope.in_git, scope.names) == (folder, False, ("notes",))


def test_outside_git_a_folder_with_serena_above_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "app" / ".serena").mkdir(parents=True)
    (tmp_path / "app" / "src").mkdir()
    assert scope_of(tmp_path / "app" / "src").root == tmp_path / "app"


def test_the_home_folder_is_no_project_for_holding_serenas_own_files(tmp_path: Path) -> None:
    (tmp_path / ".serena").mkdir()
    (tmp_path / "scratch").mkdir()
    assert scope_of(tmp_path / "scratch", home=tmp_path).root == tmp_path / "scratch"


def test_a_path_through_a_link_is_the_real_project(tmp_path: Path) -> None:
    root = repository(tmp_path / "real")
    (tmp_path / "link").symlink_to(root)
    assert scope_of(tmp_path / "link").root == root


@pytest.mark.parametrize("content", ["", "gitdir: /nowhere/at/all", "gitdir:", "\0\0", "not git"])
def test_a_broken_git_file_still_gives_a_project(tmp_path: Path, content: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / ".git").write_text(content)
    scope = scope_of(tmp_path / "app")
    assert (scope.root, scope.main_root) == (tmp_path / "app", tmp_path / "app")


def test_a_missing_folder_is_a_usage_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: no such folder"):
        scope_of(tmp_path / "nowhere")


def test_names_from_the_settings_come_last(tmp_path: Path) -> None:
    scope = find_scope(tmp_path, home=tmp_path / "home", env={}, names=("alias", tmp_path.name))
    assert scope.names == (tmp_path.name, "alias")


def test_a_repository_that_keeps_itself_elsewhere_has_no_other_main_checkout(tmp_path: Path) -> None:
    root = tmp_path / "shop-api"
    root.mkdir()
    (tmp_path / "kept").mkdir()
    git(root, "init", "-q", "--separate-git-dir", str(tmp_path / "kept" / ".git"))
    scope = scope_of(root)
    assert (scope.root, scope.main_root, scope.in_git) == (root, root, True)


def test_what_a_git_file_names_is_taken_byte_for_byte(tmp_path: Path) -> None:
    root = repository(tmp_path / b"caf\xe9".decode("utf-8", "surrogateescape") / "shop-api")
    git(root, "worktree", "add", "-q", "../feat")
    assert scope_of(root.parent / "feat").main_root == root


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("clone") / "folder")


URL_PART = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Z"], blacklist_characters='/:\\"'), min_size=1
)


@given(URL_PART, st.sampled_from(["git@host:group/", "https://host/a/", "/srv/git/", "C:\\git\\", "host:"]))
def test_the_name_in_any_remote_is_a_name_of_the_project(cloned: Path, name: str, base: str) -> None:
    (cloned / ".git" / "config").write_text(
        f'[remote "origin"]\n\turl = {base}{name}.git\n', encoding="utf-8"
    )
    assert unicodedata.normalize("NFC", name) in scope_of(cloned).names


@given(
    st.binary(max_size=200)
    | st.text(alphabet='[remote "origin"]url = /.git\n\t', max_size=80).map(str.encode)
)
def test_whatever_a_repositorys_settings_hold_its_folder_is_the_projects_first_name(
    cloned: Path, content: bytes
) -> None:
    (cloned / ".git" / "config").write_bytes(content)
    names = scope_of(cloned).names
    assert names[0] == "folder"
    assert all(name and unicodedata.is_normalized("NFC", name) for name in names)
