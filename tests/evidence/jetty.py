"""A third lot of memories of the history in `harbor.py`, measured before anything was changed for them: half of them
plain stale notes, so that care with what is true is not bought by missing what is false."""

from __future__ import annotations

from evidence.harbor import build, holds, peace, stale
from evidence.labelled import CHANGED, Built, Labelled

__all__ = ["build", "memories"]

STALE_PAGE = """# Background jobs

Jobs live in a small module. Two functions matter:

- `sweep_expired` frees berths that were not paid.
- `requeue_failed` puts failed jobs back, up to `MAX_ATTEMPTS` times.

Neither may be called from a request.
"""
STALE_KO = """# 인증

- 요청마다 `verify_token`이 헤더를 확인한다.
- 세션은 `SessionStore`가 만든다. 만료는 `TOKEN_TTL`초.
- 권한 검사는 아직 없다.
"""
CLAUDE_MEM = """Discovered that slot listing does not hit the cache

`list_slots` reads from the database directly. `CacheLayer` is only used by the tide page. Consider an index before
adding more caching.
"""
RECORD = """# 5. Drop the cache

Status: accepted
Deciders: ops, web

## Problem

`warm_cache` blocks the start for 40 seconds and harbor/cache.py has no tests.

## Decision

The cache is taken out.

## Consequences

`list_slots` gets slower by 3 ms.
"""
CHANGES = """# Changelog

## 2.1
- Gone: `--with-photos`
- Port changed to port 8200 (was port 8000)

## 2.0
- BREAKING: `verify_token` no longer part of the API
"""


def memories(_built: Built) -> list[Labelled]:
    """The set."""
    return [
        # stale, plainly put
        stale(STALE_PAGE),
        stale(STALE_KO),
        stale(CLAUDE_MEM),
        stale("The token lifetime is checked inside `verify_token`, not in the store."),
        stale("To add a route, import `verify_token` and wrap the handler."),
        stale("New tenants get `LEGACY_MODE = False`; ask before you flip it."),
        stale("Use `useBerths` in components, never fetch by hand."),
        stale("Cold start is slow because `warm_cache` reads every slot."),
        stale("All outgoing mail passes through harbor/notify/mailer.py."),
        stale("Where is the legend drawn? In web/src/old/Legend.jsx."),
        stale("Local: http://localhost:8000/docs shows the API."),
        stale("Run `python scripts/seed.py --with-photos` once after cloning."),
        stale("`MAX_BERTHS = 40`, see the contract with the marina."),
        stale("DB is on port 5432, the app on port 8000."),
        stale("sqlalchemy==1.4.50 is pinned until the models are typed."),
        stale("Jobs that failed go through `requeue_failed`, jobs that expired through `sweep_expired`."),
        stale("`CacheLayer` holds slots for a minute so that the database is not asked twice."),
        stale("Reminder: `requeue_failed` needs a lock, otherwise two workers take the same job."),
        stale("The deploy checklist is docs/deploy.md. Follow it to the letter."),
        stale("`verify_token` returns False when the token was revoked."),
        stale("If you get a 401, look at `verify_token` first."),
        stale("Don't forget to call `warm_cache` after a restore."),
        stale("We use celery 5.3 with redis as the broker."),
        stale("Frontend: React 17, vite 5, no state library."),
        stale("`ShoreLegend` is the only class-free component so far."),
        stale("토큰 검사를 건너뛰려면 `verify_token`에 빈 문자열을 넘긴다."),
        stale("사진까지 넣으려면 `--with-photos`를 준다."),
        stale("메일 발송은 harbor/notify/mailer.py 한 곳에서만 한다."),
        stale("`useBerths`가 60초마다 새로 읽는다."),
        stale("최대 선석 수 `MAX_BERTHS`는 40이다."),
        stale("배포 후에는 반드시 `warm_cache()`를 호출한다."),
        stale("`CacheLayer`를 쓰면 목록이 빨라진다."),
        # true, or asserting nothing
        peace(RECORD),
        peace(CHANGES, None),
        peace("The decision to scrap harbor/cache.py was unanimous.", None),
        peace("Whatever happened to `ShoreLegend`? Design asked for it to go.", None),
        peace("`requeue_failed`: gone. `sweep_expired`: stays.", None),
        peace("Last seen in January: `--with-photos`.", None),
        peace("It took a week to get `verify_token` out.", None),
        peace("There is nothing left of `CacheLayer`.", None),
        peace("`useBerths` has been history since the map was redone.", None),
        peace("No `LEGACY_MODE` here any more, all tenants are on the new flow.", None),
        peace("Everything that lived in harbor/notify/mailer.py is in email.py.", None),
        peace("Celery (5.3) made way for a plain loop. celery 5.3 was too heavy.", None),
        peace("The removal of `requeue_failed` surprised nobody.", None),
        peace("Deleting harbor/cache.py also fixed the flaky test.", None),
        peace("As of March the API answers on port 8200 rather than port 8000.", None),
        peace("`verify_token` has been replaced; call `open_session`.", None),
        peace("Ops asked us to phase out port 8000 by the end of the month."),
        peace("Working on: moving docs/deploy.md below docs/ops"),
        peace("Backlog: kill `LEGACY_MODE`; rename mailer.py; drop `--with-photos`"),
        peace("Depending on the review we may fold `useBerths` into the map."),
        peace("`requeue_failed` 없이도 잘 돈다.", None),
        peace("선석 훅(`useBerths`)은 지도 개편과 함께 삭제.", None),
        peace("`warm_cache`를 없애니 기동이 40초 빨라졌다.", None),
        peace("예전 문서에 나오는 `CacheLayer`는 무시할 것.", None),
        peace("포트가 8000에서 8200으로 바뀌었다. 포트 8000은 닫혀 있다.", None),
        peace("docs/deploy.md를 docs/ops 아래로 옮기는 작업을 하고 있다."),
        peace("`LEGACY_MODE`는 3월에 걷어낼 것."),
        peace("harbor/cache.py 복구 요청이 있었으나 거절.", None),
        holds("React 19 and vite 5 build the map.", None),
        holds("`SessionStore` was picked over three alternatives."),
        holds("No plan to change `TIDE_STATIONS` = 12."),
        holds("`distance_km`는 아무 데서도 안 부르지만 지우지 말 것."),
        # changed since
        Labelled("web/src/BerthMap.tsx draws the map, and should not know of money.", 5, CHANGED),
    ]
