"""The contract catches every fault it is there for, by a test whose name tells it, and nothing in a right provider.

The table of what caught what is printed at the end of the tests (`tests/conftest.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from support.distributions import install
from support.worlds import REPOSITORY
from support.wrong import providers

SUITE = REPOSITORY / "tests/support/wrong/suite.py"
FAULTS = {
    **{fault.__name__: (fault.__doc__ or "", test) for fault, test in providers.CAUGHT_BY.items()},
    **{
        f"_{name}": ((REPOSITORY / f"tests/support/wrong/{name}.py").read_text("utf-8").split('"""')[1], test)
        for name, test in providers.IMPORT_CAUGHT_BY.items()
    },
}


class Verdict(NamedTuple):
    """What the contract said of one provider."""

    failed: dict[str, str]  # test -> message
    skipped: dict[str, str]
    passed: int


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """By the name of the provider's class."""
    folder = tmp_path_factory.mktemp("suite")
    points = {"right-notes": "support.wrong.right", "right-search": "support.wrong.right_search"}
    installed = install(folder / "installed", "right-providers", points, {})
    report = folder / "report.xml"
    paths = [os.fspath(REPOSITORY / "tests"), os.fspath(installed), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-c", os.fspath(folder / "pytest.ini"), f"--rootdir={folder}",
            "-p", "no:cacheprovider", f"--junitxml={report}", f"--basetemp={folder / 'tmp'}", os.fspath(SUITE),
        ],
        cwd=_made(folder / "pytest.ini"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    return _read(report)


def _made(ini: Path) -> Path:
    ini.write_text("[pytest]\n")
    return ini.parent


def _read(report: Path) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("classname", "").rpartition(".Test")[2]
        verdict = found.setdefault(name, Verdict({}, {}, 0))
        told = {kind: case.find(kind) for kind in ("failure", "error", "skipped")}
        for kind, where in (
            ("failure", verdict.failed),
            ("error", verdict.failed),
            ("skipped", verdict.skipped),
        ):
            if (element := told[kind]) is not None:
                where[case.get("name", "")] = f"{element.get('message')}\n{element.text}"
        if not any(element is not None for element in told.values()):
            found[name] = verdict._replace(passed=verdict.passed + 1)
    return found


@pytest.mark.parametrize("name", ["RightNotes", "RightSearch"])
def test_a_right_provider_passes_wholly(verdicts: dict[str, Verdict], name: str) -> None:
    assert verdicts[name].failed == {}
    assert verdicts[name].skipped == {}
    assert verdicts[name].passed >= 20


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_provider_is_caught_by_the_test_that_is_called_like_its_fault(
    verdicts: dict[str, Verdict], name: str, record_property: Callable[[str, object], None]
) -> None:
    words, test = FAULTS[name]
    failed = verdicts[name].failed
    record_property("fault", (words, test, len(failed) - (test in failed)))
    assert test in failed, f"{words}: caught by {sorted(failed)}"


@pytest.mark.parametrize("name", FAULTS)
def test_a_message_says_what_is_wrong_and_where_to_read_on(verdicts: dict[str, Verdict], name: str) -> None:
    message = verdicts[name].failed[FAULTS[name][1]]
    page, anchor = message.split("read on: ")[1].split()[0].split("#")
    headings = (REPOSITORY / page).read_text("utf-8").splitlines()
    assert f"### {anchor}" in headings
    assert "Traceback" not in message


def test_every_fault_has_a_provider_of_its_own() -> None:
    module = import_module("support.wrong.providers")
    wrong = {
        name for name, found in vars(module).items() if getattr(found, "__module__", "") == module.__name__
    }
    assert {name for name in FAULTS if not name.startswith("_")} == wrong - {"LooseOptions"}
