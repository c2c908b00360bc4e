"""A sixth history, of a grocery service; ordinary memories of it as tools and people write them, half in Korean.

Like `atlas.py` it was measured before anything was changed for it; no label was changed afterwards.
"""

from __future__ import annotations

from pathlib import Path

from evidence.harbor import holds, peace, stale
from evidence.labelled import CHANGED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

BASKETS = """MAX_ITEMS = 50


def add_item(basket, item):
    if len(basket) >= MAX_ITEMS:
        raise ValueError(item)
    basket.append(item)
"""
ORDERS = """from orchard.services.pricing import price_basket


def place_order(basket):
    return price_basket(basket)


def cancel_order(order):
    return order
"""
PRICING = """VAT_RATE = 10


def price_basket(basket):
    return sum(basket) * (100 + VAT_RATE) / 100
"""
COUPONS = """COUPON_TTL = 3600


def apply_coupon(basket, code):
    return basket


def is_expired(code, now):
    return now > code.until
"""
NOTIFIER = """def send_push(user, text):
    return user.device, text


def send_sms(user, text):
    return user.phone, text
"""
STOCK_SYNC = """BATCH_SIZE = 200


class StockSync:
    def run_once(self, source):
        return source.take(BATCH_SIZE)
"""
STOCK_FUNCTION = """BATCH_SIZE = 200


def sync_stock(source):
    return source.take(BATCH_SIZE)
"""
CONFIG = """import os

REDIS_URL = os.environ["REDIS_URL"]
CACHE_TTL = 60
MAX_RETRIES = 3
"""
DRAWER = """import { useBasket } from "../hooks/useBasket";

export function BasketDrawer() {
  const basket = useBasket();
  return basket.length;
}
"""
HOOK = """export function useBasket() {
  return JSON.parse(localStorage.getItem("basket") ?? "[]");
}
"""
COMPOSE = """services:
  api:
    ports:
      - "8000:8000"
  redis:
    ports:
      - "6379:6379"
"""
PACKAGE = '{\n  "dependencies": {\n    "react": "17.0.2",\n    "vite": "4.5.0"\n  }\n}\n'
PYPROJECT = """[project]
name = "orchard"
dependencies = [
    "fastapi==0.110.0",
    "redis==5.0.1",
    "httpx==0.26.0",
]
"""


def build(top: Path) -> Built:
    """Write the history."""
    repo = Repository(top)
    repo.commit(
        0,
        {
            "pyproject.toml": PYPROJECT,
            "orchard/api/baskets.py": BASKETS,
            "orchard/api/orders.py": ORDERS,
            "orchard/services/pricing.py": PRICING,
            "orchard/services/coupons.py": COUPONS,
            "orchard/services/notifier.py": NOTIFIER,
            "orchard/workers/stock_sync.py": STOCK_SYNC,
            "orchard/config.py": CONFIG,
            "web/package.json": PACKAGE,
            "web/src/components/BasketDrawer.tsx": DRAWER,
            "web/src/hooks/useBasket.ts": HOOK,
            "docker-compose.yml": COMPOSE,
            "scripts/backfill_prices.py": "import argparse\n\nargparse.ArgumentParser().parse_args()\n",
            "docs/runbook.md": "Restart the api first.\n",
        },
        "Begin",
    )
    reserve = "def reserve_stock(order):\n    return order\n"
    known = repo.commit(
        10,
        {
            "orchard/services/stock.py": reserve,
            "orchard/api/orders.py": ORDERS.replace(
                "return price_basket", "reserve_stock(basket)\n    return price_basket"
            ),
        },
        "Reserve stock with each order",
    )
    aside = repo.aside(15, {"orchard/rules.py": "RULES = []\n"})
    repo.move(20, "orchard/services/coupons.py", "orchard/services/promotions.py")
    repo.replace(
        20, {"orchard/services/promotions.py": ("apply_coupon", "apply_promotion")}, "Rename the entry"
    )
    repo.commit(21, {"orchard/services/notifier.py": NOTIFIER.partition("\n\n\n")[0] + "\n"}, "Push only")
    repo.replace(
        25,
        {
            "orchard/config.py": ("MAX_RETRIES = 3", "MAX_RETRIES = 5"),
            "docker-compose.yml": ("8000:8000", "8080:8080"),
            "web/package.json": ("17.0.2", "18.2.0"),
        },
        "Retries, port, React",
    )
    repo.move(30, "web/src/components/BasketDrawer.tsx", "web/src/features/basket/BasketDrawer.tsx")
    repo.commit(31, {"scripts/backfill_prices.py": None}, "Prices are computed when asked for")
    repo.commit(35, {"orchard/workers/stock_sync.py": STOCK_FUNCTION}, "A function will do")
    repo.replace(36, {"pyproject.toml": ("httpx==0.26.0", "httpx==0.27.2")}, "Upgrade httpx")
    repo.replace(
        40,
        {
            "orchard/workers/stock_sync.py": ("BATCH_SIZE = 200", "BATCH_SIZE = 500"),
            "orchard/api/orders.py": ("return order\n", "return order.freed()\n"),
        },
        "Larger batches",
    )
    return Built(repo, known, aside)


OBSERVATION = """Request: make checkout faster
Investigated: `price_basket`, orchard/api/orders.py
Learned: VAT_RATE is read once for each basket
Completed: prices are cached for CACHE_TTL seconds
Next steps: drop `StockSync`
"""
SETTINGS = "| setting | value |\n|---|---|\n| CACHE_TTL | 60 |\n| MAX_RETRIES | 3 |"
STATEMENTS_KO = (
    "`from orchard.services.coupons import apply_coupon` 을 "
    "`from orchard.services.promotions import apply_promotion` 으로 바꿨다."
)


def memories(_built: Built) -> list[Labelled]:
    """The set."""
    return [
        holds("`add_item` in orchard/api/baskets.py rejects a basket with more than `MAX_ITEMS` = 50 rows."),
        holds("Prices are computed by price_basket() in `orchard/services/pricing.py`; VAT_RATE is 10."),
        stale("SMS go out through `send_sms()` in orchard/services/notifier.py."),
        stale("Coupons live in orchard/services/coupons.py, entry point `apply_coupon`."),
        stale("## Files modified\n- orchard/services/coupons.py\n- orchard/api/orders.py"),
        holds(
            "## What was done\n- added `reserve_stock` to orchard/services/stock.py\n- `place_order` calls it",
            12,
        ),
        stale("MAX_RETRIES is 3 for all outgoing calls."),
        holds("MAX_RETRIES is 5 for all outgoing calls.", 45),
        stale("The API listens on port 8000 (docker-compose.yml)."),
        holds("The API listens on port 8080, see docker-compose.yml.", 45),
        Labelled("Redis is on port 6379 in docker-compose.yml.", 5, CHANGED),
        stale("Frontend is on React 17."),
        holds("httpx is pinned to 0.27.2", 45),
        peace("We removed `send_sms`; only push is left.", 45),
        peace("TODO: retry `send_sms` on timeouts"),
        Labelled(OBSERVATION, 38, CHANGED),
        stale("`StockSync.run_once` pulls 200 rows at a time."),
        holds("The stock worker is `sync_stock` in orchard/workers/stock_sync.py; BATCH_SIZE = 500.", 45),
        stale("Basket UI: web/src/components/BasketDrawer.tsx, state in `useBasket`."),
        peace("BasketDrawer moved from web/src/components/ to web/src/features/basket/BasketDrawer.tsx.", 45),
        holds("`useBasket` keeps the basket in localStorage."),
        stale("Run `python scripts/backfill_prices.py --since 2025-01-01` after a VAT change."),
        peace("Should we replace `apply_promotion` by a rule engine? Not decided.", 45),
        holds("Until March orders were placed by a cron; now `place_order` does it at once.", 45),
        holds("cancel_order() refunds through the payment provider and frees the reserved stock."),
        holds("If Redis is down the API answers 503. Look at `REDIS_URL` first."),
        Labelled("Deployed v1.4.2 on Friday, no incidents.", 5, UNVERIFIABLE),
        Labelled("The team prefers small pull requests and writes tests first.", 5, UNVERIFIABLE),
        stale(SETTINGS),
        peace("`orchard/services/coupons.py` was renamed to `orchard/services/promotions.py`.", 45),
        # the same in Korean
        holds("`add_item`은 장바구니에 `MAX_ITEMS`(50)개까지만 담는다."),
        holds("가격 계산은 orchard/services/pricing.py의 `price_basket`에서 한다."),
        stale("문자 발송은 `send_sms`를 쓴다."),
        stale("쿠폰 로직은 orchard/services/coupons.py에 있다."),
        stale("## 변경한 파일\n- orchard/services/coupons.py\n- orchard/services/notifier.py"),
        holds("## 완료한 작업\n- `reserve_stock` 추가\n- 주문 시 재고 확인", 12),
        stale("MAX_RETRIES는 3이다."),
        holds("재시도 횟수(`MAX_RETRIES`)는 5로 올렸다.", 45),
        stale("개발 서버 포트는 8000이다 (docker-compose.yml)."),
        holds("API 포트는 8080, docker-compose.yml 참고.", 45),
        stale("프런트는 React 17을 쓴다."),
        holds("httpx는 0.27.2로 고정했다.", 45),
        peace("`send_sms`는 20일에 제거했다. 이제 푸시만 보낸다.", 45),
        peace("할 일: `send_sms`에 재시도 추가"),
        peace("남은 일:\n- `StockSync` 로그 정리\n- scripts/backfill_prices.py 삭제"),
        peace("해야 할 것: coupons.py를 promotions.py로 이름 변경"),
        holds(STATEMENTS_KO, 45),
        holds("`apply_coupon`을 `apply_promotion`으로 바꿨다.", 45),
        stale("재고 동기화는 `StockSync` 클래스가 담당하고 한 번에 200건씩 가져온다."),
        holds("재고 동기화는 `sync_stock` 함수로 바꿨다. BATCH_SIZE는 500.", 45),
        stale("장바구니 화면은 web/src/components/BasketDrawer.tsx 참고."),
        holds("`useBasket` 훅은 localStorage에 장바구니를 저장한다."),
        stale("부가세율이 바뀌면 `scripts/backfill_prices.py`를 실행한다."),
        peace("`apply_promotion`을 규칙 엔진으로 바꾸는 방안을 검토 중이다.", 45),
        holds("주문 취소는 cancel_order()가 처리하며 예약된 재고를 되돌린다."),
        holds("레디스 주소는 `REDIS_URL` 환경 변수에서 읽는다."),
        Labelled("금요일에 배포했고 장애는 없었다.", 5, UNVERIFIABLE),
        Labelled("팀은 커밋 메시지를 영어로 쓴다.", 5, UNVERIFIABLE),
        Labelled("주문 생성은 orchard/api/orders.py의 `place_order`가 한다.", 5, CHANGED),
        Labelled(
            "예전에는 `send_sms`로 인증 번호를 보냈지만 지금은 `send_push`를 쓴다.",
            45,
            CURRENT,
            also=UNVERIFIABLE,
        ),
    ]
