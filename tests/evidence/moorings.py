"""More memories of the history in `harbor.py`, written when that set was understood and measured before anything was
changed for them: longer notes, records and conversations."""

from __future__ import annotations

from evidence.harbor import build, holds, peace, stale
from evidence.labelled import CHANGED, Built, Labelled

__all__ = ["build", "memories"]

ADR = """# 7. Sessions instead of bearer tokens

Date: 2026-02-08
Status: accepted

## Context and problem

Each request is checked by `verify_token`. That costs a lookup and cannot be revoked.

## Considered options

1. Keep `verify_token` and shorten its life
2. `SessionStore`

## Decision outcome

Option 2. `SessionStore` takes over, and the other function goes.
"""
ADR_REJECTED = """# 9. A cache in front of the slots

Status: rejected

We put a `CacheLayer` in front of `list_slots` and fill it with `warm_cache` when the process starts.
"""
ADR_STALE = """# 2. Retries

Status: accepted

## Decision

Failed jobs are put back by `requeue_failed`, at most `MAX_ATTEMPTS` times.
"""
HANDOFF = """# Hand-over

## Done
- removed the legend, web/src/old/Legend.jsx
- mail: harbor/notify/mailer.py moved, see harbor/notify/email.py

## Left
- `sweep_expired` needs an index
"""
SERENA = """# Architecture

- API: `create_booking`, `cancel_booking`, `list_slots`
- Tide: `tide_level` (harbor/tide.py)
- Distance: `distance_km`

## What we do not have any more
- the cache (`CacheLayer`, harbor/cache.py)
"""
OBSERVATION = """**Type**: refactor

Took the token check out. `verify_token` had two callers; both moved to `SessionStore.open_session`.
No behaviour change.
"""
KOREAN_NOTE = """# 정리 메모

- 범례 화면(web/src/old/Legend.jsx)은 디자인 개편 때 사라졌다.
- 재시도는 이제 없다. `requeue_failed`를 찾지 말 것.
- 조위는 그대로 `tide_level`을 쓴다.
"""


def memories(_built: Built) -> list[Labelled]:
    """The set."""
    return [
        # records, pages, hand-overs
        peace(ADR),
        peace(ADR_REJECTED),
        stale(ADR_STALE),
        peace(HANDOFF, None),
        peace(SERENA, None),
        peace(OBSERVATION, None),
        peace(KOREAN_NOTE, None),
        # gone, in words of every day
        peace("The cache experiment ended. Turns out harbor/cache.py cost more than it saved.", None),
        peace("Good riddance to `requeue_failed`!", None),
        peace("RIP `useBerths`, 2024-2026.", None),
        peace("With `verify_token` out of the picture, logins are two queries cheaper.", None),
        peace("Since dropping celery 5.3 the image is 40 MB smaller.", None),
        peace("If you are looking for harbor/notify/mailer.py: it is email.py in the same folder.", None),
        peace("You won't find `LEGACY_MODE` in the settings any more.", None),
        peace("`CacheLayer` is a thing of the past.", None),
        peace("Lost in the cleanup: `ShoreLegend`. Ask design before drawing a new one.", None),
        peace("The `--with-photos` switch fell victim to the storage budget.", None),
        peace("We're done with `requeue_failed`.", None),
        peace("Post-cache era: nothing should ever import harbor/cache.py.", None),
        peace("What replaced `verify_token`? Sessions, see `SessionStore`.", None),
        peace("`useBerths` → `fetchBerths` (hook folded into the fetcher)", None),
        peace("removed: `requeue_failed` (dead code), kept: `sweep_expired`", None),
        peace("`verify_token` 함수는 세션 도입과 함께 없어졌음.", None),
        peace("캐시는 실패한 실험이었다. harbor/cache.py를 찾아도 안 나온다.", None),
        peace("메일러 파일명이 mailer.py에서 email.py로 바뀜.", None),
        peace("`LEGACY_MODE`는 이제 의미 없음. 코드에서 빠짐.", None),
        peace("photos 옵션(`--with-photos`)은 지원 종료.", None),
        peace("celery 5.3 → 자체 루프로 전환 완료", None),
        # plans and wishes
        peace("Goal for Q1: no more `verify_token`."),
        peace("Once sessions ship, `verify_token` can go."),
        peace("I keep meaning to delete web/src/old/Legend.jsx."),
        peace("Would anyone mind if harbor/cache.py disappeared?"),
        peace("Ticket 88: extract mail code from harbor/notify/mailer.py into its own package."),
        peace("We agreed that `requeue_failed` has no future."),
        peace("`useBerths` is marked for deletion."),
        peace("Port 8000 is temporary; ops wants 8200."),
        peace("docs/deploy.md will end up below docs/ops/."),
        peace("`verify_token` 제거는 2월 목표."),
        peace("harbor/cache.py는 다음 스프린트에 정리하자."),
        peace("`MAX_BERTHS`를 40에서 60으로 늘리는 건을 논의 중."),
        peace("리액트는 17에서 18로 올릴 생각. React 17은 곧 지원이 끝난다."),
        # conditions, counterfactuals, options
        peace("Were it not for `CacheLayer`, the outage would not have happened.", None),
        peace("Option A: revive harbor/cache.py. Option B: an index. We took B.", None),
        peace("Even with `warm_cache` it would take a second.", None),
        peace("A `requeue_failed`-style helper is not what we want.", None),
        peace("`verify_token`을 남겨 뒀더라면 철회가 안 됐을 것이다.", None),
        peace("Alternatives: (a) `CacheLayer`, (b) materialised view. Chosen: b", None),
        # what was said
        peace(
            "user: where is verify_token?\nassistant: It was deleted in February; sessions do that now.", None
        ),
        peace('Reviewer wrote: "please put `warm_cache` into the start-up hook". Declined.', None),
        peace("개발: `useBerths` 아직 쓰나요? / 운영: 아뇨, 지웠어요", None),
        peace("The blog post recommends sqlalchemy 1.4 idioms; ours are newer.", None),
        peace("Wrong: the app listens on port 8000. Right: port 8200.", None),
        peace("Myth: `requeue_failed` runs at night. It does not exist.", None),
        # versions
        peace("With React 18 came concurrent rendering, which broke the map for a day.", None),
        peace("httpx 0.26 → 0.28: `proxies` became `proxy`.", None),
        peace("Coming from React 17 you need to change the root call.", None),
        holds("Anything newer than httpx 0.26 works.", None),
        holds("We require fastapi 0.100+ for lifespans.", None),
        holds("pydantic 2.5 or later, please.", None),
        peace("sqlalchemy 1.4 reached its end of life.", None),
        peace("Tested against React 17, 18 and 19.", None),
        # tables, lists, headings
        peace(
            "### Dropped in 2.0\n* `LEGACY_MODE`\n* `--with-photos`\n\n### New in 2.0\n* `open_session`", None
        ),
        peace(
            "| file | then | now |\n|---|---|---|\n| mail | harbor/notify/mailer.py | harbor/notify/email.py |",
            None,
        ),
        peace("Files that no longer exist:\n- harbor/cache.py\n- web/src/old/Legend.jsx", None),
        peace("1. ~~harbor/cache.py~~\n2. harbor/tide.py", None),
        peace("## 없어진 것들\n- `warm_cache`\n- `useBerths`", None),
        peace("## Ideas\n\n`verify_token` could read the session cookie too."),
        peace("Tasks\n- [X] drop celery 5.3\n- [ ] move docs/deploy.md"),
        # there, with words that mislead
        holds("`tide_level` is not going anywhere."),
        holds("Don't touch `distance_km` without a nautical chart."),
        holds("We considered splitting `list_slots`; it stays as it is."),
        holds("`cancel_booking` replaced a manual process long ago."),
        holds("조위 계산(`tide_level`)은 예전부터 있던 코드다."),
        holds("`GRACE_MINUTES = 15`는 바꾸지 말 것."),
        holds("Removed cron jobs are listed by `sweep_expired`."),
        Labelled("harbor/jobs.py will be split some day; for now all jobs are there.", 5, CHANGED),
        # stale, with words that mislead
        stale("`requeue_failed` is not a no-op: it really puts things back."),
        stale("Nothing is mailed unless harbor/notify/mailer.py is configured."),
        stale("`LEGACY_MODE` defaults to False, that will surprise new tenants."),
        stale("The map does not flicker thanks to `useBerths`."),
        stale("Before each deploy, call `warm_cache()`."),
        stale("`verify_token` rejects removed users."),
        stale("- [x] `requeue_failed` has tests"),
        stale("삭제된 예약도 `requeue_failed`가 다시 큐에 넣는다."),
        stale("토큰 검사는 `verify_token` 하나로 끝나며 다른 곳은 없다."),
        stale("배포 문서는 docs/deploy.md 참고."),
        stale("Read docs/deploy.md before you change anything; it is short."),
        stale("The app is on port 8000 behind a proxy that nobody likes."),
        stale("httpx 0.26 is what we have, because of proxies."),
        stale("# Notes\n\nAuth: `verify_token`. No roles yet.\n\n## Later\n\nRoles."),
    ]
