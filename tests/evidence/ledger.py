"""A third history, and memories as tools and people really leave them: long pages, logs, terse notes, mixed language.

Like `atlas.py` it was measured before anything was changed for it.
"""

from __future__ import annotations

from pathlib import Path

from evidence.labelled import CHANGED, CONTRADICTED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

APP = """from fastapi import FastAPI

from ledger.core.engine import LedgerEngine
from ledger.settings import settings

app = FastAPI()


@app.post("/entries")
def post_entry(entry: dict) -> dict:
    return LedgerEngine(settings).append(entry)
"""
ENGINE = '''class LedgerEngine:
    """Appends entries."""

    BATCH_SIZE = 500

    def append(self, entry):
        self._validate_balance(entry)
        return entry

    def _validate_balance(self, entry):
        assert entry["debit"] == entry["credit"]

    def close_period(self, period):
        return period


def rebuild_snapshots(since):
    return since
'''
SETTINGS = """from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    db_pool_size: int = 10
    snapshot_interval: int = 3600
    kafka_topic: str = "ledger.entries"
    enable_shadow_writes: bool = False


settings = Settings()
"""
FILLER = "".join(f"COLUMN_{number} = {number}\n" for number in range(30))
FIRST = {
    "ledger/app.py": APP,
    "ledger/core/engine.py": ENGINE,
    "ledger/core/money.py": "def quantize_amount(value):\n    return round(value, 2)\n",
    "ledger/settings.py": SETTINGS,
    "ledger/export/xlsx.py": f"def write_workbook(rows):\n    return rows\n\n\n{FILLER}",
    "ledger/export/pdf.py": "def write_statement(rows):\n    return rows\n",
    "ledger/tasks/nightly.py": "def run_nightly():\n    pass\n\n\nRETENTION_DAYS = 90\n",
    "migrations/0001_init.sql": "create table entries (id bigint, amount numeric);\n",
    "migrations/0002_periods.sql": "create table periods (id bigint);\n",
    "tests/core/test_engine.py": "def test_append_balances():\n    assert True\n",
    "requirements.txt": "fastapi==0.110.0\npydantic-settings==2.2.1\nopenpyxl==3.1.2\ncelery>=5.3,<5.4\n",
    ".env.example": "DB_POOL_SIZE=10\nSENTRY_DSN=\n",
    "config/gunicorn.conf.py": 'bind = "0.0.0.0:8600"\nworkers = 4\n',
    "AGENTS.md": "# Agents\n\nRun `make check`.\n",
    "Makefile": "check:\n\tpytest\n",
}


def build(top: Path) -> Built:
    """Write the history."""
    repo = Repository(top)
    first = repo.commit(0, FIRST, "Begin")
    repo.replace(12, {"ledger/core/engine.py": ("_validate_balance", "_check_double_entry")})
    repo.move(18, "ledger/export/xlsx.py", "ledger/reports/workbook.py")
    repo.replace(25, {"ledger/settings.py": ("db_pool_size: int = 10", "db_pool_size: int = 25")})
    repo.replace(
        26,
        {".env.example": ("DB_POOL_SIZE=10", "DB_POOL_SIZE=25"), "config/gunicorn.conf.py": ("8600", "8700")},
    )
    repo.replace(30, {"ledger/settings.py": ("    enable_shadow_writes: bool = False\n", "")})
    repo.replace(35, {"requirements.txt": ("fastapi==0.110.0", "fastapi==0.115.2")})
    repo.replace(36, {"requirements.txt": ("celery>=5.3,<5.4\n", "")})
    repo.commit(40, {"ledger/tasks/nightly.py": None, "ledger/tasks/schedule.py": "RETENTION_DAYS = 30\n"})
    repo.replace(
        45, {"ledger/core/engine.py": ("def rebuild_snapshots(since):\n    return since\n", "")}, "No rebuild"
    )
    repo.commit(46, {"ledger/core/snapshots.py": "def replay_entries(since):\n    return since\n"})
    repo.commit(
        50,
        {
            "migrations/0002_periods.sql": None,
            "migrations/0002_fiscal_periods.sql": "create table fiscal (id int);\n",
        },
    )
    repo.replace(55, {"config/gunicorn.conf.py": ("workers = 4", "workers = 8")})
    aside = repo.aside(56, {"ledger/core/fast.py": "def fast_append():\n    pass\n"}, first)
    return Built(repo, first, aside)


PAGE = """# Ledger core

The service keeps a double-entry ledger. FastAPI app in `ledger/app.py`, engine in `ledger/core/engine.py`.

- `LedgerEngine.append()` is the only writer.
- Amounts go through `quantize_amount` (`ledger/core/money.py`).
- Entry point for tests: `tests/core/test_engine.py`.
- PDF statements: `ledger/export/pdf.py`, `write_statement`.
- Commands: `make check`, `uvicorn ledger.app:app`.
"""
PAGE_KO = """# 원장 핵심

이 서비스는 복식부기 원장이다.

- 쓰기는 `LedgerEngine.append()`만 한다.
- 금액 반올림: `quantize_amount` (`ledger/core/money.py`)
- PDF 명세서: `ledger/export/pdf.py`
"""


def memories(built: Built) -> list[Labelled]:
    """The set."""
    return [
        # long pages
        Labelled(PAGE, 10, CHANGED),
        Labelled(PAGE, 58, CURRENT),
        Labelled(PAGE_KO, 3, CURRENT),
        Labelled(f"{PAGE}- Snapshots: `rebuild_snapshots`.\n", 10, CHANGED),  # one of a dozen is gone
        Labelled(
            f"{PAGE_KO}- 스냅샷: `rebuild_snapshots`\n- 야간 작업: `ledger/tasks/nightly.py`\n",
            3,
            CONTRADICTED,
        ),
        # logs of what was done
        Labelled(
            "Renamed `_validate_balance` to `_check_double_entry` across the engine; tests pass.",
            12.2,
            CURRENT,
        ),
        Labelled(
            "Completed: moved xlsx export from ledger/export/xlsx.py into ledger/reports/workbook.py.",
            18.2,
            CURRENT,
        ),
        Labelled("Investigated slow close. `close_period` holds the lock. No change made.", 5, CURRENT),
        Labelled("Bumped fastapi 0.110 -> 0.115.2, celery dropped from requirements.txt.", 36.5, CURRENT),
        Labelled("Removed the flag `enable_shadow_writes`; settings are simpler now.", 29.9, CURRENT),
        Labelled("`rebuild_snapshots`를 없애고 `replay_entries`로 바꿨다.", 44.9, CURRENT),
        Labelled("작업 기록: 포트를 8600에서 8700으로 변경했다.", 26.2, CURRENT),
        Labelled("Decided against Kafka transactions; `kafka_topic` stays as it is.", 9, CURRENT),
        Labelled("Learned: `quantize_amount` rounds half to even. Watch out in reports.", 2, CURRENT),
        Labelled("마감(`close_period`)은 트랜잭션 하나로 끝낸다.", 2, CURRENT),
        Labelled("openpyxl 3.1 cannot stream formulas.", 9, CURRENT),
        Labelled("SENTRY_DSN is empty locally.", 9, CURRENT),
        Labelled("snapshot_interval: 3600", 9, CURRENT),
        Labelled("`BATCH_SIZE` = 500 was measured to be best.", 9, CURRENT),
        Labelled("LedgerEngine lives in engine.py below core, batches of `BATCH_SIZE`.", 50, CURRENT),
        Labelled("테스트는 tests/core/test_engine.py 하나면 충분하다.", 9, CURRENT),
        Labelled("pydantic-settings 2.2 reads the environment.", 9, CURRENT),
        Labelled("`workers = 8` on the large machine.", 56, CURRENT),
        Labelled("Migrations: 0002 was split, see migrations/0002_fiscal_periods.sql", 51, CURRENT),
        # stale notes
        Labelled("- engine validates with `_validate_balance()`\n- never bypass it", 5, CONTRADICTED),
        Labelled("Excel: ledger/export/xlsx.py → uses openpyxl write-only mode", 5, CONTRADICTED),
        Labelled("엑셀 출력은 `ledger/export/xlsx.py`의 `write_workbook`.", 5, CONTRADICTED),
        Labelled("`db_pool_size` is 10, do not raise it.", 5, CONTRADICTED),
        Labelled("DB_POOL_SIZE=10 in .env.example", 5, CONTRADICTED),
        Labelled("gunicorn binds port 8600 (config/gunicorn.conf.py).", 5, CONTRADICTED),
        Labelled("로컬 포트: 8600", 5, CONTRADICTED),
        Labelled("Set `enable_shadow_writes` before the cut-over.", 5, CONTRADICTED),
        Labelled("fastapi 0.110 needs the lifespan shim.", 5, CONTRADICTED),
        Labelled("celery 5.3 runs the nightly jobs.", 5, CONTRADICTED),
        Labelled("Nightly job: `run_nightly` in `ledger/tasks/nightly.py`.", 5, CONTRADICTED),
        Labelled("보존 기간은 `RETENTION_DAYS = 90`이다.", 5, CONTRADICTED),
        Labelled("To fix drift call `rebuild_snapshots(since)`.", 5, CONTRADICTED),
        Labelled("Periods table comes from migrations/0002_periods.sql", 5, CONTRADICTED),
        Labelled("`workers = 4` in gunicorn.", 5, CONTRADICTED),
        Labelled("gotcha!! nightly.py deletes rows older than RETENTION_DAYS", 5, CONTRADICTED),
        Labelled("xlsx.py is slow with many columns", 5, CONTRADICTED),
        # changed
        Labelled("requirements.txt pins everything.", 5, CHANGED),
        Labelled("engine.py: append → validate → write", 5, CHANGED),
        Labelled("설정은 모두 ledger/settings.py에 있다.", 5, CHANGED),
        Labelled("config/gunicorn.conf.py has the worker count.", 30, CHANGED),
        # nothing to hold on to
        Labelled("Users asked for CSV. Later.", 5, UNVERIFIABLE),
        Labelled("배포는 금요일에 하지 않는다.", 5, UNVERIFIABLE),
        Labelled("`fast_append` is on a side branch, unmerged.", 57, UNVERIFIABLE),
        Labelled("Budget is 8600 euros a year, 10 people.", 5, UNVERIFIABLE),
        Labelled("The gateway team owns `gateway/router.ts`.", 5, UNVERIFIABLE),
        Labelled("Celebrate at 5.3 km, version 2 of the route.", 5, UNVERIFIABLE),
        Labelled("Ask `#ledger-ops` in chat; runbook at wiki/ledger/close.", 5, UNVERIFIABLE),
        Labelled("`docker compose up -d && sleep 5` then open http://localhost:3000/x", 5, UNVERIFIABLE),
        Labelled("p95 was 250 ms in March, 180 ms in April.", 5, UNVERIFIABLE),
        Labelled("TODO: write `ledger/core/archive.py` with `archive_entries()`.", 5, UNVERIFIABLE),
    ]
