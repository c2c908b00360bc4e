"""A fifth history, of a booking service; memories whose truth hangs on how a sentence is put.

Plans, negations, conditions, questions, quotes, tables, checklists, headings. Like `atlas.py` it was measured before
anything was changed for it.
"""

from __future__ import annotations

from pathlib import Path

from evidence.labelled import CHANGED, CONTRADICTED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

API = """from harbor.auth import verify_token
from harbor.jobs import sweep_expired


def create_booking(payload):
    return payload


def cancel_booking(booking_id):
    return booking_id


def list_slots(day):
    return [day]
"""
AUTH = """TOKEN_TTL = 3600


class SessionStore:
    def open_session(self, user):
        return user


def verify_token(raw):
    return bool(raw)
"""
JOBS = """MAX_ATTEMPTS = 4


def sweep_expired(now):
    return now


def requeue_failed(batch):
    return batch
"""
SETTINGS = """PORT = 8000
MAX_BERTHS = 40
GRACE_MINUTES = 15
LEGACY_MODE = False
"""
BERTH_MAP = """export function BerthMap() { return null }

export const useBerths = () => []
"""
SEED = """import argparse


def seed_demo(count):
    return count


parser = argparse.ArgumentParser()
parser.add_argument("--with-photos", action="store_true")
parser.add_argument("--small", action="store_true")
"""
FILLER = "".join(f"def bearing_{number}(value):\n    return value * {number}\n\n\n" for number in range(12))
FIRST = {
    "harbor/api.py": API,
    "harbor/auth.py": AUTH,
    "harbor/cache.py": "class CacheLayer:\n    pass\n\n\ndef warm_cache():\n    return None\n",
    "harbor/notify/mailer.py": f"def send_mail(to):\n    return to\n\n\n{FILLER}",
    "harbor/jobs.py": JOBS,
    "harbor/settings.py": SETTINGS,
    "harbor/util/geo.py": "def distance_km(a, b):\n    return a - b\n",
    "harbor/tide.py": "TIDE_STATIONS = 12\n\n\ndef tide_level(at):\n    return at\n",
    "web/src/BerthMap.tsx": BERTH_MAP,
    "web/src/api.ts": "export const fetchBerths = () => 1\n",
    "web/src/old/Legend.jsx": "export const ShoreLegend = () => null\n",
    "docs/setup.md": "# Setup\n\nRun make.\n",
    "docs/deploy.md": "# Deploy\n\nBuild the image, push it, and restart both machines one after the other.\n",
    "docker-compose.yml": ('services:\n  web:\n    ports: ["8000:8000"]\n  db:\n    ports: ["5432:5432"]\n'),
    "pyproject.toml": (
        '[project]\nname = "harbor"\nrequires-python = ">=3.11"\n'
        'dependencies = ["fastapi==0.110.0", "httpx>=0.26,<0.27", "sqlalchemy==1.4.50", "pydantic>=2.5,<3",'
        ' "celery>=5.3"]\n'
    ),
    "web/package.json": '{"dependencies": {"react": "^17.0.2", "vite": "^5.0.0"}}\n',
    "scripts/seed.py": SEED,
}


def build(top: Path) -> Built:
    """Write the history."""
    repo = Repository(top)
    first = repo.commit(0, FIRST, "Begin")
    repo.replace(
        15, {"harbor/jobs.py": ("\n\ndef requeue_failed(batch):\n    return batch\n", "")}, "No requeue"
    )
    repo.commit(20, {"harbor/cache.py": None}, "Drop the cache")
    repo.move(25, "harbor/notify/mailer.py", "harbor/notify/email.py")
    repo.replace(
        30,
        {
            "harbor/settings.py": ("PORT = 8000", "PORT = 8200"),
            "docker-compose.yml": ("8000:8000", "8200:8200"),
        },
    )
    repo.replace(32, {"harbor/settings.py": ("MAX_BERTHS = 40", "MAX_BERTHS = 60")})
    repo.replace(34, {"harbor/settings.py": ("LEGACY_MODE = False\n", "")})
    repo.replace(36, {"pyproject.toml": (', "celery>=5.3"', "")})
    repo.replace(38, {"harbor/auth.py": ("def verify_token(raw):\n    return bool(raw)\n", "")})
    repo.replace(38, {"harbor/api.py": ("from harbor.auth import verify_token\n", "")})
    repo.replace(40, {"web/src/BerthMap.tsx": ("export const useBerths = () => []\n", "")})
    repo.commit(42, {"web/src/old/Legend.jsx": None}, "Drop the legend")
    repo.move(45, "docs/deploy.md", "docs/ops/deploy.md")
    repo.replace(
        50,
        {
            "pyproject.toml": ("httpx>=0.26,<0.27", "httpx>=0.28,<0.29"),
            "web/package.json": ("^17.0.2", "^18.2.0"),
        },
    )
    repo.replace(52, {"pyproject.toml": ("sqlalchemy==1.4.50", "sqlalchemy==2.0.30")})
    repo.replace(54, {"scripts/seed.py": ('parser.add_argument("--with-photos", action="store_true")\n', "")})
    repo.replace(58, {"web/package.json": ("^18.2.0", "^19.0.0")})
    aside = repo.aside(60, {"harbor/fast.py": "def fast_slots():\n    return []\n"}, first)
    return Built(repo, first, aside)


def peace(text: str, day: float | None = 5) -> Labelled:
    """A memory that is true, or that asserts nothing of the present, of things that are gone by now."""
    return Labelled(text, day, UNVERIFIABLE, also=CURRENT)


def stale(text: str, day: float | None = 5) -> Labelled:
    """A memory that is wrong by now."""
    return Labelled(text, day, CONTRADICTED)


def holds(text: str, day: float | None = 5) -> Labelled:
    """A memory of what is there, untouched."""
    return Labelled(text, day, CURRENT)


def memories(built: Built) -> list[Labelled]:
    """The set."""
    return [
        # orders not to bring back
        peace("Don't bring back `warm_cache()`; it hid three bugs.", None),
        peace("Never reintroduce `requeue_failed`. It looped on poison messages.", None),
        peace("Please do not resurrect harbor/cache.py, whatever the benchmark says.", None),
        peace("`LEGACY_MODE` must not come back.", None),
        peace("`warm_cache`는 되살리지 말 것. 배포 때마다 DB가 죽었다.", None),
        peace("harbor/cache.py를 다시 만들지 마라.", None),
        peace("We are not going back to `verify_token`.", None),
        # no longer used
        peace("`verify_token` isn't used anymore.", None),
        peace("`useBerths` is not called anywhere now.", None),
        peace("Nobody imports `CacheLayer` these days.", None),
        peace("Nothing depends on harbor/cache.py any longer.", None),
        peace("`verify_token`은 쓰지 않는다. 세션으로 갔다.", None),
        peace("`CacheLayer`는 더 이상 쓰지 않음", None),
        peace("celery 5.3은 이제 안 쓴다.", None),
        peace("We stopped calling `requeue_failed()` in the spring.", None),
        peace("We have abandoned `LEGACY_MODE`.", None),
        # gone in other words
        peace("`verify_token` was superseded by `SessionStore`.", None),
        peace("`requeue_failed` got axed together with the retry screen.", None),
        peace("We threw out harbor/cache.py.", None),
        peace("`warm_cache` has been ripped out.", None),
        peace("harbor/cache.py was killed off after the outage. `sweep_expired` was enough.", None),
        peace("The team retired `useBerths` and web/src/old/Legend.jsx.", None),
        peace("`verify_token` didn't survive the rewrite.", None),
        peace("There used to be a `CacheLayer`.", None),
        peace("`requeue_failed` 지웠다.", None),
        peace("web/src/old/Legend.jsx는 걷어냈다.", None),
        peace("`verify_token`을 `SessionStore`로 대체했다.", None),
        peace("캐시 계층(`CacheLayer`)은 폐기.", None),
        peace("`useBerths` 훅은 날렸다. 지금은 `fetchBerths`로 충분하다.", None),
        peace("`LEGACY_MODE` 옵션을 뺐다.", None),
        # used to be, lived
        peace("Mail code used to live in harbor/notify/mailer.py.", None),
        peace("The mailer once sat in `harbor/notify/mailer.py`; look in email.py now.", None),
        peace("Before the rewrite `verify_token` guarded every route.", None),
        peace("Back then PORT = 8000 and nobody minded.", None),
        peace("In the first version, `requeue_failed` put everything back on the queue.", None),
        peace("예전엔 harbor/notify/mailer.py에 있었다.", None),
        peace("메일 코드는 harbor/notify/mailer.py에서 옮겼다.", None),
        peace("한때 `CacheLayer`가 있었다.", None),
        peace("초기 버전에서는 `verify_token`으로 확인했다.", None),
        peace("`warm_cache` ran at start-up and took forty seconds.", None),
        # plans
        peace("We plan to remove `verify_token` once sessions work."),
        peace("Planning to drop harbor/cache.py next quarter."),
        peace("Next step: delete `requeue_failed`."),
        peace("`useBerths` will be inlined into `BerthMap`."),
        peace("`LEGACY_MODE` is going away in the next release."),
        peace("I'd like to kill web/src/old/Legend.jsx at some point."),
        peace("harbor/notify/mailer.py should be called email.py some day."),
        peace("Let's get rid of `--with-photos`."),
        peace("celery 5.3 is on its way out."),
        peace("`verify_token`은 세션이 끝나면 삭제할 예정이다."),
        peace("다음 주에 harbor/cache.py를 지울 계획."),
        peace("`requeue_failed` 제거 예정"),
        peace("`useBerths`는 곧 없어진다."),
        peace("앞으로 `LEGACY_MODE`를 빼려고 한다."),
        peace("We intend to raise `MAX_BERTHS` = 40 to 60 before summer."),
        peace("The port will move from 8000 to 8200."),
        # to-do lists and checklists
        peace("TODO: split `verify_token` out of auth"),
        peace("- [ ] delete harbor/cache.py\n- [ ] tell ops"),
        peace("- [x] delete harbor/cache.py\n- [x] tell ops", None),
        peace("- [x] `warm_cache` gone\n- [x] `sweep_expired` kept", None),
        peace("* [ ] rename harbor/notify/mailer.py\n* [ ] test `send_mail`", 5),
        peace("- ✅ harbor/cache.py 삭제\n- ⬜ 문서", None),
        peace("FIXME later: `--with-photos` is a hack, drop it"),
        peace("할 일:\n- harbor/cache.py 없애기\n- `requeue_failed` 정리"),
        # conditions and hypotheses
        peace("If we ever go back to `verify_token`, rotate the keys first.", None),
        peace("Had we kept `CacheLayer`, reads would be stale.", None),
        peace("`warm_cache` would have saved 20 ms, but it is not worth it.", None),
        peace("Suppose harbor/cache.py existed again: who would clear it?", None),
        peace("만약 `verify_token`을 다시 쓴다면 키부터 바꿔야 한다.", None),
        peace("It might be worth having `CacheLayer` again.", None),
        # questions
        peace("Is `verify_token` still called from the API?"),
        peace("Do we need harbor/cache.py at all?"),
        peace("Why does `requeue_failed` exist?"),
        peace("`LEGACY_MODE`는 어디서 쓰나요?"),
        peace("PORT = 8000 인가 8200 인가?"),
        # what others said
        peace('The old README says "call `warm_cache()` after deploy"; that is wrong.', None),
        peace("> Just use `verify_token` everywhere, it is fine.\n\nNo: sessions.", None),
        peace("A newcomer thought the tokens were checked in `verify_token`; they are not.", None),
        peace("According to last year's wiki, the server listens on port 8000.", None),
        peace("문서에는 `warm_cache`를 부르라고 되어 있지만 틀렸다.", None),
        peace("An issue claims `useBerths` leaks. Not reproducible, it is not in the code.", None),
        # versions in prose
        peace("React 18 introduced automatic batching.", None),
        peace("React 17 dropped event pooling, which bit us.", None),
        peace("Upgrade to sqlalchemy 1.4 first, then to 2.0; that was the advice.", None),
        holds("Do not go below httpx 0.27: proxies broke there.", None),
        holds("Needs at least sqlalchemy 1.4.", None),
        holds("vite works for us since vite 4.", None),
        peace("Upgrade to pydantic 3 when it is out; `sweep_expired` does not care.", None),
        peace("Since httpx 0.26 the `proxies` argument is deprecated.", None),
        holds("sqlalchemy 1.4 이상이면 된다.", None),
        peace("React 17에서는 이벤트 풀링이 없어졌다.", None),
        peace("Bug only seen with fastapi 0.95, before our time. `list_slots` is fine.", None),
        peace("httpx 0.26 had a bug with redirects.", None),
        # headings that rule
        peace("## Removed\n\n- `verify_token`\n- harbor/cache.py\n", None),
        peace("## 삭제됨\n\n- `CacheLayer`\n- `requeue_failed`\n\n## 유지\n\n- `sweep_expired`\n", None),
        peace("# Jobs\n\n## Deprecated and gone\n`requeue_failed` put failed ones back.\n", None),
        peace("## Plan\n1. `verify_token` -> sessions\n2. harbor/cache.py out\n"),
        peace("## History\n\nTokens were opaque. `verify_token` looked them up in redis on port 8000.", None),
        peace("## Rejected alternatives\n\n- keep `CacheLayer` with a shorter life\n", None),
        peace("**Removed:**\n- `useBerths`\n- `ShoreLegend`", None),
        peace("## 앞으로 할 일\n- `LEGACY_MODE` 정리\n- `--with-photos` 정리"),
        stale("## Removed\n- the old legend\n\n## Jobs\n- `requeue_failed` puts failed ones back"),
        # tables
        peace("| old | new |\n|---|---|\n| harbor/notify/mailer.py | harbor/notify/email.py |", None),
        peace("| name | status |\n|---|---|\n| `verify_token` | removed |\n| `sweep_expired` | kept |", None),
        peace("| setting | before | after |\n|---|---|---|\n| `PORT` | port 8000 | port 8200 |", None),
        peace("| 항목 | 상태 |\n|---|---|\n| `warm_cache` | 삭제 |", None),
        stale("| name | what |\n|---|---|\n| `verify_token` | checks the header |\n| `tide_level` | tide |"),
        # samples
        peace(
            "Before:\n```python\nfrom harbor.cache import x  # harbor/cache.py\n```\nAfter: nothing.", None
        ),
        peace("```diff\n- see harbor/notify/mailer.py\n+ see harbor/notify/email.py\n```", None),
        peace("A good name for a test file would be something like `harbor/cache.py`.", None),
        # decisions
        peace(
            "# ADR 4: no cache\n\nStatus: accepted\n\n## Decision\n\nWe will delete harbor/cache.py and "
            "everything that calls `warm_cache`."
        ),
        peace("Decision: do without `CacheLayer`. `tide_level` is cheap enough.", None),
        peace("We chose sessions over `verify_token`.", None),
        # log entries, observations
        peace("Deleted: `requeue_failed`, `MAX_REQUEUE`; jobs only sweep now.", None),
        peace("2026-02-10: took `verify_token` out of auth, tests green.", None),
        peace("Cleanup done. Files removed: harbor/cache.py, web/src/old/Legend.jsx.", None),
        peace("커밋: `verify_token` 삭제하고 `SessionStore`만 남김", None),
        peace("dev: does anyone still use `useBerths`?\nops: no, deleting it", None),
        # true now, with every misleading word
        holds("Never call `sweep_expired` from a request."),
        holds("`tide_level` is not cached, and will not be."),
        holds("If `cancel_booking` fails, nothing is charged."),
        holds("`distance_km` should move to its own package one day."),
        holds("Is `list_slots` slow? No."),
        holds("`fetchBerths`는 아직 쓰지 않는 화면에서도 불린다."),
        holds("GRACE_MINUTES = 15 will stay, we plan no change."),
        holds("vite 5 introduced the new dev server, which we use."),
        holds("## Plan\n\nKeep `seed_demo` as it is."),
        holds("TODO: document `open_session`."),
        holds("- [x] `seed_demo` has a `--small` flag"),
        holds("`TIDE_STATIONS`는 12이고 늘릴 예정은 없다."),
        # stale, with words that mislead
        stale("`verify_token` never returns None."),
        stale("`requeue_failed` does not touch rows that were paid."),
        stale("If a job fails, `requeue_failed` puts it back."),
        stale("When the deploy is done, run `warm_cache()`."),
        stale("Set `LEGACY_MODE` for tenants that will move later."),
        stale("`useBerths` will refetch every minute."),
        stale("`verify_token`은 만료를 확인하지 않는다."),
        stale("실패하면 `requeue_failed`가 다시 넣는다."),
        stale("웹 서버는 포트 8000에서 뜬다. 바꿀 계획은 없다."),
        stale("Not in the README: the mail code is in harbor/notify/mailer.py."),
        stale("No tests yet for web/src/old/Legend.jsx."),
        stale("`MAX_BERTHS` is 40 and must never be raised."),
        stale("We use React 17 because of the map widget."),
        stale("fastapi aside, httpx 0.26 is pinned, do not touch it."),
        stale("Pass `--with-photos` if you want pictures."),
        stale("sqlalchemy는 1.4를 쓴다. sqlalchemy 1.4 스타일로 쿼리한다."),
        Labelled("harbor/jobs.py has no retries; `sweep_expired` is all.", 5, CHANGED),
    ]
