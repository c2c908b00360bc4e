"""Providers of one file: found, loaded like any plugin, and run only if nobody else can have written them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from recall import plugins, settings
from recall.engine import Engine
from recall.errors import SettingsError
from recall.places import Places
from recall.plugins import Plugin
from recall.settings import trust
from support.distributions import good_plugin, install
from support.worlds import process_env, run_recall, snapshot


def _private(folder: Path) -> None:
    """Make a folder, and those above it that are not there, whatever the umask."""
    if not folder.is_dir():
        _private(folder.parent)
        folder.mkdir()
        folder.chmod(0o700)


class World:
    """A user with a settings folder, and a project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "shop-api"
        self.config = self.home / ".config" / "recall"
        self.files = self.config / "providers"
        for made in (self.home, self.config.parent, self.config, self.files, self.project):
            _private(made)
        self.env = {"XDG_CONFIG_HOME": str(self.home / ".config")}

    def write(self, text: str, path: Path | None = None, mode: int = 0o600) -> Path:
        path = path or self.files / "notes.py"
        _private(path.parent)
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def set(self, text: str) -> None:
        (self.config / "config.toml").write_text(text, "utf-8")

    def engine(self) -> Engine:
        return Engine.start(self.project, home=self.home, env=self.env)

    def rows(self, name: str = "notes") -> list[Plugin]:
        engine = self.engine()
        engine.close()
        return [row for row in engine.plugins if row.name == name]

    def row(self, name: str = "notes") -> Plugin:
        (row,) = self.rows(name)
        return row


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_file_in_the_users_folder_is_a_source_that_answers(world: World) -> None:
    path = world.write(good_plugin("notes", "결제는 세 번까지 재시도한다"))
    row = world.row()
    assert (row.broken, row.file, row.distribution) == (False, str(path), "")
    engine = world.engine()
    hits = engine.recall("결제 재시도", providers=["notes"], deadline=30).hits
    engine.close()
    assert [hit.ranked.row.provider for hit in hits] == ["notes"]


def test_after_an_edit_of_the_file_its_memories_are_read_again(world: World) -> None:
    for text in ("결제는 세 번까지 재시도한다", "결제는 다섯 번까지 재시도한다"):
        world.write(good_plugin("notes", text))  # the entry's stamp stays as it is
        engine = world.engine()
        hits = engine.recall("결제 재시도", providers=["notes"], deadline=30).hits
        engine.close()
        assert [hit.ranked.row.text for hit in hits] == [text]


def test_a_file_that_the_settings_name_is_loaded_under_the_name_they_give(world: World) -> None:
    path = world.write(good_plugin("notes"), world.home / "code" / "anything.py")
    world.set('[providers.notes]\nfile = "~/code/anything.py"\n')
    assert (world.row().broken, world.row().file) == (False, str(path))


def test_a_relative_path_is_below_the_settings_file_and_not_below_the_project(world: World) -> None:
    world.write(good_plugin("notes"), world.project / "mine.py")
    world.set('[providers.notes]\nfile = "mine.py"\n')
    assert world.row().broken
    world.write(good_plugin("notes"), world.config / "mine.py")
    assert not world.row().broken


def test_the_environment_can_name_a_file(world: World) -> None:
    world.env["RECALL_PROVIDERS__NOTES__FILE"] = str(world.write(good_plugin("notes"), world.home / "a.py"))
    assert not world.row().broken


def test_options_of_a_file_are_set_like_any_others(world: World) -> None:
    source = good_plugin("notes").replace("    pass\n", '    folder: str = "~/notes"\n', 1)
    world.write("from __future__ import annotations\n" + source)
    world.set('[providers.notes]\nfolder = "~/elsewhere"\n')
    assert world.row().options.folder == "~/elsewhere"


def test_an_option_cannot_have_the_name_of_a_key_of_every_table(world: World) -> None:
    world.write(good_plugin("notes").replace("    pass\n", '    file: str = ""\n', 1))
    assert "'file'" in world.row().reason


def test_loading_leaves_nothing_beside_the_file(world: World) -> None:
    world.write(good_plugin("notes"))
    before = snapshot(world.config)
    assert not world.row().broken
    assert snapshot(world.config) == before


def test_hidden_and_private_files_and_other_things_are_no_providers(world: World) -> None:
    for name in (".hidden.py", "_helper.py", "README.md", "notes.pyc"):
        world.write("raise SystemExit", world.files / name)
    known = {row.name for row in world.engine().plugins}
    assert not known & {".hidden", "_helper", "README", "notes", "hidden", "helper"}


def test_a_file_that_is_switched_off_is_not_run(world: World) -> None:
    world.write("raise SystemExit")
    world.set("[providers.notes]\nenabled = false\n")
    row = world.row()
    assert (row.enabled, row.reason) == (False, "disabled in the settings")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def broken(:", "SyntaxError: "),
        ("import a_module_nobody_has", "a_module_nobody_has"),
        ("import sys; sys.exit('bye')", "SystemExit while importing"),
        ("x = 1", "implements no recall_provider hook"),
        ("def recall_provider(): ...", "not marked with @hookimpl"),
        (good_plugin("other"), "its name is 'other', its file says 'notes'"),
        (good_plugin("notes").replace("def health", "def wealth"), "has no health method"),
        ("#" * (1 << 20) + "\n", "larger than"),
        ("\0", ""),
    ],
)
def test_whatever_is_wrong_with_a_file_is_one_row(world: World, source: str, reason: str) -> None:
    world.write(source)
    row = world.row()
    assert row.broken
    assert reason in row.reason
    assert row.next_step


def test_a_file_that_fails_leaves_no_module_behind(world: World) -> None:
    path = world.write("raise RuntimeError('boom')")
    assert world.row().reason == "RuntimeError: boom"
    assert str(path) not in {getattr(module, "__file__", "") for module in list(sys.modules.values())}


def test_a_file_that_hangs_is_given_up(world: World) -> None:
    path = world.write("import threading; threading.Event().wait()")
    (offer,), _problem = plugins.in_files(world.config, {})
    row = plugins.load(offer, lambda _name, cls: cls(), limit=0.1)
    assert (row.file, "within 0.1 s" in row.reason) == (str(path), True)


def test_what_a_file_prints_goes_to_stderr(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("print('hello')\n" + good_plugin("notes"))
    assert not world.row().broken
    assert capsys.readouterr() == ("", "hello\n")


# -- who may have written it ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_run(world: World, mode: int) -> None:
    path = world.write("raise SystemExit('it was run')", mode=mode)
    row = world.row()
    assert (row.reason, row.next_step) == ("others can write to it", f"chmod go-w {path}")


@pytest.mark.parametrize("above", [1, 2, 3])
def test_a_folder_above_that_others_can_write_keeps_it_from_being_run(world: World, above: int) -> None:
    path = world.write("raise SystemExit('it was run')")
    folder = path.parents[above - 1]
    folder.chmod(0o777)
    row = world.row()
    folder.chmod(0o700)
    assert row.reason.startswith("others can write to ")
    assert row.next_step == f"chmod go-w {folder}"


def test_a_folder_where_nobody_can_replace_what_is_anothers_is_as_good(world: World) -> None:
    world.write(good_plugin("notes"))
    world.home.chmod(0o777 | stat.S_ISVTX)
    assert not world.row().broken


def test_another_users_file_is_not_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("raise SystemExit('it was run')")
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert world.row().reason.startswith("another user owns ")


def test_where_it_cannot_be_told_who_may_write_nothing_is_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("raise SystemExit('it was run')")
    monkeypatch.delattr(os, "geteuid")
    assert "cannot be told" in world.row().reason


def test_a_link_out_of_the_folder_is_not_followed_and_one_inside_it_is(world: World) -> None:
    outside = world.write(good_plugin("notes"), world.home / "code" / "notes.py")
    (world.files / "notes.py").symlink_to(outside)
    row = world.row()
    assert row.reason == "it is a link out of its folder"
    assert f'set providers.notes.file = "{outside}"' in row.next_step
    (world.files / "notes.py").unlink()
    world.write(good_plugin("notes"), world.files / "_kept.py")
    (world.files / "notes.py").symlink_to("_kept.py")
    assert not world.row().broken


def test_a_folder_that_is_a_link_is_judged_at_both_its_places(world: World, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    world.write(good_plugin("notes"), kept / "providers" / "notes.py")
    world.files.rmdir()
    world.files.symlink_to(kept / "providers")
    assert not world.row().broken
    kept.chmod(0o777)
    assert world.row().next_step == f"chmod go-w {kept}"


def test_every_link_on_the_way_to_the_folder_is_judged(world: World, tmp_path: Path) -> None:
    world.write(good_plugin("notes"), tmp_path / "kept" / "notes.py")
    between = tmp_path / "between"
    between.mkdir(mode=0o700)
    (between / "link").symlink_to(tmp_path / "kept")
    world.files.rmdir()
    world.files.symlink_to(between / "link")
    assert not world.row().broken
    between.chmod(0o777)
    assert world.row().next_step == f"chmod go-w {between}"


def test_a_pipe_is_not_waited_for(world: World) -> None:
    os.mkfifo(world.files / "notes.py", 0o600)
    row = world.row()
    assert "named pipe" in row.reason
    assert row.next_step


@pytest.mark.parametrize("name", ["my notes.py", "Notes.py", "a.b.py", "노트.py", "-x.py"])
def test_a_file_whose_name_is_none_for_a_provider_is_a_row_that_says_so(world: World, name: str) -> None:
    world.write("raise SystemExit('it was run')", world.files / name)
    row = world.row(name.removesuffix(".py"))
    assert (row.broken, row.reason) == (True, "its name is none for a provider")


def test_a_folder_that_cannot_be_listed_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_folder: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("recall.provider_files.os.listdir", denied)
    engine = world.engine()
    engine.close()
    assert any("providers: cannot be listed: permission denied" in line for line in engine.notices())


# -- names that are taken ---------------------------------------------------------------------------------------


def test_a_file_cannot_take_the_name_of_one_of_the_projects_own_sources(world: World) -> None:
    path = world.write("raise SystemExit('it was run')", world.files / "serena.py")
    own, refused = world.rows("serena")
    assert (own.broken, own.distribution) == (False, "recall-orchestrator")
    assert (refused.file, refused.reason) == (str(path), "the name is taken by recall-orchestrator")
    assert refused.next_step == "give the file and its provider another name"
    world.set(f'[providers.serena]\nfile = "{path}"\n')
    own, refused = world.rows("serena")
    assert (own.distribution, refused.broken) == ("recall-orchestrator", True)


def test_a_file_and_a_distribution_of_one_name_are_both_refused_until_the_settings_decide(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path / "site", "recall-notes", {"notes": "recall_noted"}, {"recall_noted": good_plugin("notes")}
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    path = world.write(good_plugin("notes"))
    world.set('[providers.notes]\nauthority = "chat"\n')  # settings of a name that is offered are no mistake
    assert [row.broken for row in world.rows()] == [True, True]
    assert {row.next_step for row in world.rows()} == {
        'set providers.notes.distribution = "recall-notes" to use this one',
        f'set providers.notes.file = "{path}" to use this one',
    }
    world.set(f'[providers.notes]\nfile = "{path}"\n')
    assert [(row.file, row.broken) for row in world.rows()] == [(str(path), False), ("", True)]
    world.set('[providers.notes]\ndistribution = "recall-notes"\n')
    assert [(row.distribution, row.broken) for row in world.rows()] == [("recall-notes", False), ("", True)]


def test_a_file_of_the_folder_that_the_settings_name_too_is_there_once(world: World) -> None:
    path = world.write(good_plugin("minutes"))
    world.set(f'[providers.minutes]\nfile = "{path}"\n')
    assert not world.row("minutes").broken
    assert world.rows("notes") == []


def test_a_file_that_is_not_there_is_a_row(world: World) -> None:
    for path in ("~/gone.py", "~/gone/too.py"):
        world.set(f'[providers.notes]\nfile = "{path}"\n')
        row = world.row()
        assert (row.broken, row.reason) == (True, "no such file")
        assert "providers.notes.file" in row.next_step


# -- a project that names one -----------------------------------------------------------------------------------


def test_a_project_cannot_name_a_file_before_it_is_trusted(world: World) -> None:
    world.write(good_plugin("notes", "from the project"), world.project / "notes.py")
    file = world.write('[providers.notes]\nfile = "notes.py"\n', world.project / ".recall.toml")
    engine = world.engine()
    engine.close()
    assert "notes" not in {row.name for row in engine.plugins}
    assert any("providers.notes.file" in line and "trust" in line for line in engine.notices())
    state = Places.find(world.env, world.home).state
    trust.trust(file, file.read_bytes(), state)
    assert (world.row().broken, world.row().file) == (False, str(world.project / "notes.py"))


def test_a_project_cannot_put_its_file_in_the_place_of_the_users(world: World) -> None:
    mine = world.write(good_plugin("notes"))
    world.write("raise SystemExit('it was run')", world.project / "notes.py")
    world.write('[providers.notes]\nfile = "notes.py"\n', world.project / ".recall.toml")
    assert (world.row().broken, world.row().file) == (False, str(mine))


def test_the_folder_of_a_project_is_not_looked_into(world: World) -> None:
    world.write("raise SystemExit('it was run')", world.project / "providers" / "notes.py")
    world.write("raise SystemExit('it was run')", world.project / ".config/recall/providers/notes.py")
    assert world.rows() == []


def test_a_name_that_nothing_offers_is_still_a_mistake(world: World) -> None:
    world.set("[providers.nots]\nenabled = true\n")
    world.write(good_plugin("notes"))
    with pytest.raises(SettingsError, match="notes"):
        settings.check_provider_names(
            settings.load(places=Places.find(world.env, world.home), root=None, env=world.env), ["notes"]
        )


# -- what it costs those who have none ----------------------------------------------------------------------------


def test_without_the_folder_nothing_is_imported_for_it(world: World) -> None:
    world.files.rmdir()
    code = "import sys\nfrom recall.cli.run import run\nrun(['query', 'x'])\n"
    code += "sys.exit('recall.provider_files' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_a_broken_file_hurts_no_command(world: World) -> None:
    world.write("print('chatter')\nimport sys; sys.exit(5)")
    assert run_recall(["--help"], home=world.home, cwd=world.project).returncode == 0
    listed = run_recall(["providers"], home=world.home, cwd=world.project)
    assert (listed.returncode, listed.stdout.count("SystemExit while importing")) == (1, 1)
    assert "chatter" not in listed.stdout
    answered = run_recall(["query", "결제"], home=world.home, cwd=world.project)
    assert answered.returncode in (1, 3)
    assert "SystemExit while importing" in answered.stdout
