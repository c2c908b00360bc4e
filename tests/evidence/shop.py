"""A shop's repository over 100 days, and memories of it with the verdict each should get on day 100."""

from __future__ import annotations

from pathlib import Path

from evidence.labelled import CHANGED, CONTRADICTED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

PAYMENTS = '''"""Payments."""

import httpx

MAX_RETRIES = 3


class PaymentGateway:
    """Talks to the bank."""

    def authorize(self, amount):
        return httpx.post("/authorize", json={"amount": amount})


def charge_card(amount):
    for _attempt in range(MAX_RETRIES):
        PaymentGateway().authorize(amount)


def refund_payment(amount):
    return PaymentGateway().authorize(-amount)


def settle_batch(rows):
    return sum(rows)
'''
ORDERS = '''"""Orders."""

ORDER_TIMEOUT = 30


class OrderBook:
    def place(self, order):
        return order


def get(order_id):
    return order_id
'''
FILLER = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(12))
FIRST = {
    "README.md": "# Shop\n\nRun `make dev`.\n",
    "src/shop/__init__.py": "",
    "src/shop/payments.py": PAYMENTS,
    "src/shop/orders.py": ORDERS,
    "src/shop/config.py": 'import os\n\nPORT = 8080\nDSN = os.environ["DATABASE_URL"]\nCACHE_TTL = 600\n',
    "src/shop/util/dates.py": f"def parse_when(text):\n    return text\n\n\n{FILLER}",
    "src/shop/util/text.py": "def slugify_title(text):\n    return text.lower()\n",
    "src/shop/legacy/export.py": "def export_csv(rows):\n    return rows\n",
    "src/shop/coupons.py": "COUPON_LIMIT = 5\n\n\ndef apply_coupon(order):\n    return order\n",
    "src/shop/stock.py": "def reserve_stock(item):\n    return item\n",
    "src/shop/tax.py": "def vat_rate(country):\n    return 0.1\n",
    "src/shop/worker.py": "def drain_queue(queue):\n    return list(queue)\n",
    "docker-compose.yml": (
        'services:\n  web:\n    ports: ["8080:8080"]\n  db:\n    ports: ["5432:5432"]\n'
        '  cache:\n    ports: ["6379:6379"]\n'
    ),
    "pyproject.toml": (
        '[project]\nname = "shop"\nrequires-python = ">=3.11"\n'
        'dependencies = ["httpx>=0.26,<0.27", "pydantic>=1.10,<2", "sqlalchemy==2.0.25"]\n'
    ),
    "package.json": '{"name": "shop-web", "dependencies": {"react": "^17.0.2", "vite": "^5.0.0"}}\n',
    "web/app.tsx": "export function CartPanel() { return null }\n",
    "web/api/client.ts": "export const fetchOrders = () => 1\n",
    "docs/payments.md": "# Payments\n\n`refund_payment` pays money back.\n",
    "docs/결제.md": "# 결제\n\n승인 뒤에 매입한다. 실패하면 다시 시도하고 기록을 남긴다.\n",
    "scripts/deploy.sh": '#!/bin/sh\n[ "$1" = "--dry-run" ] && exit 0\nexec ./release\n',
    "tests/test_payments.py": "def test_charge_is_retried():\n    assert True\n",
    "infra/nginx.conf": "server {\n  listen 443;\n  proxy_pass web;\n}\n",
}


def build(top: Path) -> Built:
    """Write the history; uncommitted changes of day 100 are in the work tree."""
    repo = Repository(top)
    repo.commit(0, FIRST, "Begin")
    retry = repo.commit(5, {"docs/retry.md": "Three attempts.\n"}, "Retry three times")
    repo.move(10, "src/shop/util/dates.py", "src/shop/clock.py")
    repo.commit(15, {"src/shop/report.py": f"def daily_report():\n    return 1\n\n\n{FILLER}"})
    repo.commit(20, {"src/shop/legacy/export.py": None}, "Drop the old export")
    repo.replace(
        30,
        {
            "src/shop/payments.py": (
                "def refund_payment(amount):\n    return PaymentGateway().authorize(-amount)\n",
                "def reverse_charge(amount):\n    return -amount\n",
            )
        },
    )
    settle = "def settle_batch(rows):\n    return sum(rows)\n"
    repo.write({"src/shop/payments.py": (top / "src/shop/payments.py").read_text().replace(settle, "")})
    repo.commit(35, {"src/shop/settlement.py": f'"""Settlement."""\n\n\n{settle}'}, "Settle elsewhere")
    repo.replace(
        40,
        {
            "src/shop/config.py": ("PORT = 8080", "PORT = 9090"),
            "docker-compose.yml": ("8080:8080", "9090:9090"),
        },
    )
    repo.replace(
        50,
        {
            "pyproject.toml": (
                '"httpx>=0.26,<0.27", "pydantic>=1.10,<2"',
                '"httpx>=0.28,<0.29", "pydantic>=2.6"',
            ),
            "package.json": ("^17.0.2", "^18.2.0"),
        },
    )
    repo.replace(55, {"src/shop/config.py": ('os.environ["DATABASE_URL"]', 'os.environ["DB_DSN"]')})
    repo.commit(60, {"web/api/client.ts": None}, "The client is generated now")
    repo.move(65, "docs/결제.md", "docs/결제_흐름.md")
    repo.move(70, "src/shop/report.py", "src/shop/reports/daily.py")
    repo.replace(
        72,
        {
            "src/shop/payments.py": (
                "def reverse_charge",
                "# refund_payment is reverse_charge now\ndef reverse_charge",
            )
        },
    )
    repo.commit(75, {"src/shop/report.py": "def weekly_report():\n    return 7\n"}, "A weekly report")
    repo.replace(80, {"src/shop/payments.py": ("MAX_RETRIES = 3", "MAX_RETRIES = 5")})
    repo.replace(85, {"docker-compose.yml": ("5432:5432", "5433:5432")})
    repo.replace(90, {"scripts/deploy.sh": ('"--dry-run"', '"--plan"')})
    aside = repo.aside(91, {"src/shop/aside.py": "def only_aside():\n    return 0\n"})
    repo.commit(95, {"src/shop/util/money.py": "def round_up(amount):\n    return amount\n"})
    repo.write(
        {
            "src/shop/stock.py": "def reserve_stock(item):\n    return [item]\n",
            "src/shop/tax.py": None,
            "src/shop/worker.py": "def drain_all(queue):\n    return list(queue)\n",
            "src/shop/draft.py": "def draft_total(order):\n    return order\n",
        }
    )
    return Built(repo, retry, aside)


def memories(built: Built) -> list[Labelled]:
    """The labelled set."""
    retry, aside = built.known, built.aside
    return [
        # what was never touched
        Labelled("Coupons are applied in `src/shop/coupons.py`.", 20, CURRENT),
        Labelled("`apply_coupon()` runs before tax is added.", 20, CURRENT),
        Labelled("쿠폰은 `src/shop/coupons.py`에서 적용하고 한도는 `COUPON_LIMIT`이다.", 20, CURRENT),
        Labelled("쿠폰 한도: COUPON_LIMIT = 5", 20, CURRENT),
        Labelled("`COUPON_LIMIT` is 5, agreed with marketing.", 3, CURRENT),
        Labelled(
            "The redis cache listens on port 6379 in docker-compose.yml, which compose starts.", 96, CURRENT
        ),
        Labelled("sqlalchemy 2.0 everywhere, no 1.4 style queries.", 60, CURRENT),
        Labelled("We build the web part with vite 5.", 60, CURRENT),
        Labelled("web/app.tsx has the `CartPanel` component.", 10, CURRENT),
        Labelled("장바구니 화면은 web/app.tsx에 있다.", 10, CURRENT),
        Labelled("`slugify_title` lower-cases titles; see src/shop/util/text.py", 50, CURRENT),
        Labelled("`src\\shop\\util\\text.py` holds the text helpers.", 50, CURRENT),
        Labelled(f"The retry rule came with commit {retry[:10]}.", 50, CURRENT),
        Labelled(f"재시도 규칙은 커밋 {retry[:8]}에서 들어왔다.", 50, CURRENT),
        Labelled("Python 3.11 is the oldest version we support.", 60, CURRENT),
        Labelled("text.py has the slug helper.", 40, CURRENT),
        Labelled("`get()` returns an order by its id.", 10, CURRENT),  # a common word
        Labelled("Tests of charging: `tests/test_payments.py::test_charge_is_retried`", 30, CURRENT),
        Labelled("infra/nginx.conf:2 listens on 443 for everything.", 30, CURRENT),
        # told after the change, of what is there now
        Labelled("`reverse_charge` pays back; it replaced `refund_payment`.", 33, CURRENT),
        Labelled("Use `reverse_charge()` instead of `refund_payment()`.", 33, CURRENT),
        Labelled("`refund_payment` 대신 `reverse_charge`를 쓴다.", 33, CURRENT),
        Labelled("`src/shop/util/dates.py` was renamed to `src/shop/clock.py`.", 12, CURRENT),
        Labelled("src/shop/util/dates.py → src/shop/clock.py (이름 변경)", 12, CURRENT),
        Labelled("`src/shop/legacy/export.py` was deleted, nobody used the export.", 21, CURRENT),
        Labelled("`src/shop/legacy/export.py`는 삭제했다. 쓰는 곳이 없었다.", 19.9, CURRENT),
        Labelled("The web port is 9090 now, not what it was before.", 45, CURRENT),
        Labelled("httpx 0.28 and pydantic 2 since the upgrade.", 52, CURRENT),
        Labelled("React 18 is in use.", 52, CURRENT),
        Labelled("DB_DSN holds the data source; it is read in `DB_DSN`.", 58, CURRENT),
        Labelled("`draft_total` is being written.", 99, CURRENT),  # in a file that git does not know yet
        Labelled("The settlement adds up in `settle_batch()`.", 10, CURRENT),  # moved to another file
        # changed since
        Labelled("`src/shop/payments.py` talks to the bank.", 1, CHANGED),
        Labelled("결제 코드는 src/shop/payments.py에 있다.", 31, CHANGED),
        Labelled("Compose: see docker-compose.yml for the services.", 10, CHANGED),
        Labelled("`settle_batch()` in `src/shop/payments.py` adds up the batch.", 10, CHANGED),
        Labelled("src/shop/report.py makes reports.", 16, CHANGED),  # renamed away, and made again
        Labelled("scripts/deploy.sh releases.", 10, CHANGED),
        Labelled("`src/shop/stock.py` reserves stock at once.", 50, CHANGED),  # not committed
        Labelled("Settings live in src/shop/config.py, e.g. `CACHE_TTL`.", 20, CHANGED),
        Labelled("설정은 src/shop/config.py의 `CACHE_TTL`을 보라.", 54, CHANGED),
        Labelled("pyproject.toml has all dependencies.", 10, CHANGED),
        # gone, renamed, another value
        Labelled("`refund_payment()` must be idempotent.", 10, CONTRADICTED),
        Labelled("환불은 `refund_payment`가 처리한다.", 10, CONTRADICTED),  # left in a comment and a document
        Labelled("Dates are parsed in `src/shop/util/dates.py`.", 5, CONTRADICTED),
        Labelled("날짜 파싱은 src/shop/util/dates.py에서 한다.", 5, CONTRADICTED),
        Labelled("The CSV export is in src/shop/legacy/export.py.", 10, CONTRADICTED),
        Labelled("`export_csv` writes the rows for accounting.", 10, CONTRADICTED),
        Labelled("The web server listens on port 8080.", 10, CONTRADICTED),
        Labelled("`PORT = 8080` in the settings.", 10, CONTRADICTED),
        Labelled("웹 서버 포트는 8080이다.", 10, CONTRADICTED),
        Labelled("We pin httpx 0.26.", 10, CONTRADICTED),
        Labelled("pydantic<2 only: pydantic 1.10 models.", 10, CONTRADICTED),
        Labelled("React 17 class components.", 10, CONTRADICTED),
        Labelled("리액트는 React 17을 쓴다.", 10, CONTRADICTED),
        Labelled("`DATABASE_URL` must be set before start.", 10, CONTRADICTED),
        Labelled("web/api/client.ts has `fetchOrders`.", 10, CONTRADICTED),
        Labelled("The client lives below `web/api/`.", 10, CONTRADICTED),
        Labelled("결제 흐름은 docs/결제.md를 읽어라.", 10, CONTRADICTED),
        Labelled("`MAX_RETRIES` is 3.", 10, CONTRADICTED),
        Labelled("재시도 횟수는 `MAX_RETRIES = 3`이다.", 10, CONTRADICTED),
        Labelled("Postgres: port 5432 is published as `5432:5432` in docker-compose.yml", 10, CHANGED),
        Labelled("Deploy with `--dry-run` first.", 10, CONTRADICTED),
        Labelled(
            "`vat_rate` in src/shop/tax.py decides the tax.", 50, CONTRADICTED
        ),  # deleted, not committed
        Labelled("`drain_queue` empties the queue.", 50, CONTRADICTED),  # replaced, not committed
        Labelled("`refund_payment` and `apply_coupon` share a lock.", 10, CONTRADICTED),  # one of two
        Labelled("`export_csv` writes the rows.", None, CONTRADICTED),  # no date, told in the present
        # a past-sounding word that speaks of something else
        Labelled("`refund_payment()` handles legacy orders.", 10, CONTRADICTED),
        Labelled("Every migration calls `refund_payment()` first.", 10, CONTRADICTED),
        Labelled("`refund_payment()` is switched on by a flag.", 10, CONTRADICTED),
        Labelled("환불은 수기 처리 대신 `refund_payment()`로 한다.", 10, CONTRADICTED),
        Labelled("옛 주문의 환불도 `refund_payment()`가 맡는다.", 10, CONTRADICTED),
        Labelled("`refund_payment()` used to be slow, it is fast today.", 10, UNVERIFIABLE),
        Labelled("`refund_payment()`는 더 이상 재시도하지 않는다.", 10, UNVERIFIABLE),
        Labelled("`refund_payment()` deletes rows that were moved to the archive.", 10, UNVERIFIABLE),
        Labelled("`apply_coupon()` handles deleted orders, too.", 10, CURRENT),
        Labelled("더 이상 쓰지 않는 쿠폰은 `apply_coupon()`이 버린다.", 10, CURRENT),
        # another value than the one that is there, and never was as told
        Labelled("`COUPON_LIMIT`는 7", 10, UNVERIFIABLE),
        Labelled("`COUPON_LIMIT` is 7 since the campaign.", 10, UNVERIFIABLE),
        Labelled("`CACHE_TTL = 900` in the settings.", 10, UNVERIFIABLE),
        Labelled("The web server opens port 7777 in infra/nginx.conf.", 10, UNVERIFIABLE),
        Labelled("sqlalchemy 1.4 is what `apply_coupon` was written for.", 10, UNVERIFIABLE),
        # records and their links
        Labelled("Status: superseded by [7](docs/retry.md)\n\nCoupons: src/shop/coupons.py", 3, CURRENT),
        Labelled("docs/retry.md will hold the rule; `charge_card()` follows it.", 3, CURRENT),
        # cannot be told
        Labelled("See https://example.org/shop/src/shop/legacy/export.py for the idea.", 10, UNVERIFIABLE),
        Labelled("The team prefers small pull requests.", 10, UNVERIFIABLE),
        Labelled("작은 단위로 배포한다.", 10, UNVERIFIABLE),
        Labelled("The mobile app keeps it in `app/src/Cart.kt`.", 10, UNVERIFIABLE),
        Labelled("`KafkaConsumer` was considered and not used.", 10, UNVERIFIABLE),
        Labelled("Read/write splitting and/or caching come later.", 10, UNVERIFIABLE),
        Labelled("`git rebase --autosquash` before review.", 10, UNVERIFIABLE),
        Labelled("Logs are in /var/log/shop/app.log on the host.", 10, UNVERIFIABLE),
        Labelled(f"Tried in commit {aside[:9]}.", 92, UNVERIFIABLE),
        Labelled("`only_aside` was an experiment.", 92, UNVERIFIABLE),
        Labelled("All `src/**/*.py` files are type-checked.", 10, UNVERIFIABLE),
        Labelled("`export_csv` writes the rows.", 50, UNVERIFIABLE),  # gone before it was written
        Labelled("Commit deadbee1234567 broke it.", 10, UNVERIFIABLE),
        Labelled("Meet at room 8080 on floor 3.", 10, UNVERIFIABLE),
        Labelled("We answer within 30 seconds, 99 percent of the time.", 10, UNVERIFIABLE),
    ]
