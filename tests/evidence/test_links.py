"""Files that became symbolic links."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.repository import Repository
from evidence.rows import checker_for, one
from recall.evidence.result import Verdict

CODE = "MAX_RETRIES = 3\n\n\ndef load_limits():\n    return MAX_RETRIES\n"
TARGETS = {
    "inside": "../lib/limits.py",
    "ignored": "../build/limits.py",
    "outside": "../../elsewhere/limits.py",
    "nowhere": "no_such_file.py",
    "a folder": "../lib",
}


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_file_that_became_a_link_is_not_gone_and_takes_nothing_with_it(
    tmp_path: Path, target: str, committed: bool
) -> None:
    repo = Repository(tmp_path / "project")
    repo.commit(
        0,
        {
            "src/limits.py": CODE,
            "requirements.txt": "httpx==0.27.2\n",
            "src/main.py": "import limits\n",
            ".gitignore": "build/\n",
        },
    )
    for folder in (repo.top / "lib", repo.top / "build", tmp_path / "elsewhere"):
        folder.mkdir()
        (folder / "limits.py").write_text(CODE, encoding="utf-8")
        (folder / "requirements.txt").write_text("httpx==0.27.2\n", encoding="utf-8")
    for name, leads in (("src/limits.py", target), ("requirements.txt", "../elsewhere/requirements.txt")):
        (repo.top / name).unlink()
        (repo.top / name).symlink_to(leads)
    if committed:
        repo.commit(20, {}, "Link")
    checker = checker_for(tmp_path, repo.top)
    path = one(checker, "The limits are in `src/limits.py`.")
    assert path.verdict is Verdict.CHANGED, path
    for text in ("`load_limits()` reads them.", "`MAX_RETRIES` is 3", "httpx is pinned to 0.27.2"):
        found = one(checker, text)
        assert found.verdict is not Verdict.CONTRADICTED, found
