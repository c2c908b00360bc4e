"""A fourth lot of memories of the history in `harbor.py`, of fresh turns of phrase."""

from __future__ import annotations

from evidence.harbor import build, holds, peace, stale
from evidence.labelled import CHANGED, Built, Labelled

__all__ = ["build", "memories"]


def memories(_built: Built) -> list[Labelled]:
    """The set."""
    return [
        # true, or asserting nothing
        peace("After three incidents the group voted `requeue_failed` off the island.", None),
        peace("harbor/cache.py bit the dust in January. Nobody noticed.", None),
        peace("Kept `sweep_expired`, lost `requeue_failed`. Simple as that.", None),
        peace("Someone will propose `CacheLayer` again; point them to this note.", None),
        peace("The name `verify_token` lingers in a few old tickets only.", None),
        peace("A year ago you would have looked in harbor/notify/mailer.py.", None),
        peace("`useBerths` was fine, but the fetcher does the same.", None),
        peace("Don't be confused by tutorials that mention `LEGACY_MODE`.", None),
        peace("Sessions made `verify_token` redundant, so it went.", None),
        peace("Blocked until `verify_token` is out of every handler."),
        peace("Should `warm_cache` be dropped? Leaning yes."),
        peace("Proposal (not accepted yet): fold `useBerths` into `BerthMap`."),
        peace("My hunch is that nobody reads web/src/old/Legend.jsx and that we can bin it."),
        peace("Sprint goal: docs/deploy.md rewritten and moved."),
        peace("Remaining work: port 8000 has to change before the audit."),
        peace("In case of a rollback you get `verify_token` back, with all its bugs.", None),
        peace("Compared with `CacheLayer`, an index is boring and right.", None),
        peace("Not using `LEGACY_MODE` saved us a branch in every handler.", None),
        peace("Q: what about `requeue_failed`? A: gone, see the log.", None),
        peace("- ~~`warm_cache` at start~~ (obsolete)", None),
        peace("> ops wrote:\n> port 8000 is hard-coded in three places\n\nFixed.", None),
        peace("sqlalchemy 1.4 to 2.0 took two days.", None),
        peace("Guides for React 17 still show the old root call.", None),
        peace("httpx 0.26 would not do, hence the upgrade.", None),
        peace(
            "| what | fate |\n|---|---|\n| `CacheLayer` | deleted in 1.4 |\n| `SessionStore` | new |", None
        ),
        peace("| removed | reason |\n|---|---|\n| `requeue_failed` | loops |\n| `warm_cache` | slow |", None),
        peace("### What went away\n\n- `verify_token`\n- `--with-photos`", None),
        peace("`verify_token`은 역사 속으로 사라졌다.", None),
        peace("`requeue_failed`는 지난달에 정리했다.", None),
        peace("`CacheLayer`가 왜 빠졌는지는 회의록 참고.", None),
        peace("`useBerths`는 이미 제거된 상태.", None),
        peace("혹시 `warm_cache`를 찾는다면, 이제 그런 함수는 없다.", None),
        peace("`LEGACY_MODE`를 언제 없앨지 정해야 한다."),
        peace("harbor/notify/mailer.py 이름이 헷갈려서 곧 바꿀 생각이다."),
        peace("React 17 시절에는 이벤트 풀링 때문에 고생했다.", None),
        peace("`--with-photos`로 채우던 방식은 버렸다.", None),
        # there
        holds("`tide_level` was rewritten twice and still returns metres."),
        holds("The removal of the cache did not touch `distance_km`."),
        holds("`BerthMap` is the survivor of the redesign.", None),
        holds("`cancel_booking`은 취소된 예약을 다시 취소하지 않는다."),
        # stale
        stale("`verify_token` is called twice per request, once in the middleware."),
        stale("Jobs: `requeue_failed` runs every five minutes. Old entries are skipped."),
        stale("Careful: `warm_cache` deletes what it does not know."),
        stale("The hook `useBerths` removes duplicates before it returns."),
        stale("See harbor/notify/mailer.py for how bounced mail is dropped."),
        stale("Legend colours come from web/src/old/Legend.jsx and were agreed with design."),
        stale("`CacheLayer` was added because slots were slow. It expires after a minute."),
        stale("`LEGACY_MODE` must be off in production."),
        stale("docs/deploy.md explains how to roll back."),
        stale("Which port? port 8000."),
        stale("`MAX_BERTHS` is 40. The marina will not extend before 2027."),
        stale("celery 5.3 never lost a job so far."),
        stale("취소된 예약은 `requeue_failed`가 무시한다."),
        stale("`verify_token`이 실패하면 401을 준다. 예외는 없다."),
        stale("캐시는 `CacheLayer`에 있고 지우려면 재시작한다."),
        stale("개발 서버는 포트 8000을 쓴다."),
        # changed since
        Labelled("If the seed fails, look into scripts/seed.py before anything else.", 5, CHANGED),
    ]
