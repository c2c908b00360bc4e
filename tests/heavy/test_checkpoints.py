"""A thousand checkpoints at once, three hundred ends at random moments, disks that are really full."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.checkpoints import JOURNAL, VIEWS, Wrong, is_sealed
from recall.context import journal
from recall.context.entry import Entry
from recall.context.saving import save
from recall.errors import ContextUnavailable
from support import saver

pytestmark = pytest.mark.heavy

PROCESSES, EACH = 8, 125
KILLS = 300
_LONGEST = 0.06  # seconds from the first acknowledged save to the end: several saves on any disk


def test_a_thousand_checkpoints_of_eight_processes_are_all_there_in_order_and_whole(tmp_path: Path) -> None:
    savers = [saver.started(tmp_path, f"p{number}", EACH) for number in range(PROCESSES)]
    told = [saver.acknowledged(one) for one in savers]
    contents = journal.read(tmp_path).contents
    assert contents.damages == ()
    assert [record.seq for record in contents.records] == list(range(1, PROCESSES * EACH + 1))
    for number, ids in enumerate(told):
        own = [record for record in contents.records if record.text.startswith(f"p{number} ")]
        assert ids == [record.id for record in own]
        assert [record.text for record in own] == [f"p{number} {turn} 결제" for turn in range(1, EACH + 1)]


def test_killed_at_three_hundred_random_moments_no_acknowledged_entry_is_lost(tmp_path: Path) -> None:
    moments = random.Random(7)
    acknowledged: list[str] = []
    torn = 0
    for number in range(KILLS):
        one = saver.started(tmp_path, f"k{number}", 0)
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
        acknowledged += (
            [one.stdout.readline().strip()] if number % 3 else []
        )  # a third ends in the first save
        time.sleep(moments.uniform(0, _LONGEST))  # the random moment
        one.kill()
        acknowledged += saver.acknowledged(one)
        contents = journal.read(tmp_path).contents
        ids = [record.id for record in contents.records]
        assert [name for name in acknowledged if name not in set(ids)] == []
        assert {damage.what for damage in contents.damages} <= {Wrong.TORN}
        torn = len(contents.damages)
    places = {name: place for place, name in enumerate(ids)}
    assert [places[name] for name in acknowledged] == sorted(places[name] for name in acknowledged)
    assert len(acknowledged) > KILLS // 2
    assert save(tmp_path, Entry("handoff", "after all of it")).saved
    assert all(is_sealed(name, (tmp_path / ".context" / name).read_bytes()) for name in VIEWS)
    assert not [path for path in (tmp_path / ".context").iterdir() if "edited" in path.name]
    print(f"{len(acknowledged):,} acknowledged, {len(ids) - len(acknowledged):,} not, {torn} torn records")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    mount = shutil.which("mount")
    if os.geteuid() or mount is None:
        pytest.skip("only root can mount a small file system")
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run([mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], check=False).returncode:
        pytest.skip("this machine mounts no tmpfs")
    yield place
    subprocess.run(["umount", place], check=True)


def test_on_a_disk_that_fills_up_every_acknowledged_entry_stays_and_the_rest_is_refused(small: Path) -> None:
    acknowledged: list[str] = []
    refusals: list[str] = []
    while not refusals:
        try:
            acknowledged.append(save(small, Entry("decision", "결제 " * 500)).revision)
        except ContextUnavailable as error:
            refusals.append(str(error))
    assert "no space left on device; nothing was saved, earlier entries are intact" in refusals[0]
    contents = journal.read(small).contents
    assert ([record.id for record in contents.records], contents.damages) == (acknowledged, ())
    before = (small / ".context" / JOURNAL).read_bytes()
    with pytest.raises(ContextUnavailable):
        save(small, Entry("decision", "결제 " * 500))
    assert (small / ".context" / JOURNAL).read_bytes() == before
    assert len(acknowledged) > 10


def test_on_a_disk_that_is_full_from_the_start_the_first_save_is_refused(small: Path) -> None:
    filler = os.open(small / "filler", os.O_WRONLY | os.O_CREAT)
    os.posix_fallocate(filler, 0, os.statvfs(small).f_bavail * os.statvfs(small).f_frsize)
    os.close(filler)
    with pytest.raises(ContextUnavailable, match="no space left on device"):
        save(small, Entry("decision", "결제 " * 100))
    assert journal.read(small).contents.records == ()
