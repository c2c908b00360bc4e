"""A second history, of another kind: a Go service, a TypeScript client, a Rust tool, merges and a long branch.

It was written after the code that judges was done, and it is kept apart from the first: see docs/evidence.md.
"""

from __future__ import annotations

from pathlib import Path

from evidence.labelled import CHANGED, CONTRADICTED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

TILES = """package tiles

const MaxZoom = 18
const tileSize = 256

// TileCache keeps rendered tiles.
type TileCache struct {
	ttlSeconds int
}

func NewTileCache() *TileCache {
	return &TileCache{ttlSeconds: 300}
}

func (c *TileCache) evictOldest() {}

func renderTile(x, y, z int) []byte {
	return nil
}
"""
ROUTES = """package server

func registerRoutes() {
	handle("/tiles", serveTile)
	handle("/styles", serveStyle)
}

func serveTile() {}
func serveStyle() {}
"""
CLIENT = """import { useQuery } from '@tanstack/react-query'

export function MapPanel() { return null }
export const useTileLayer = () => useQuery(['tiles'])
export const DEFAULT_CENTER = [37.56, 126.97]
"""
PACKER = """use clap::Parser;

#[derive(Parser)]
struct Args {
    #[arg(long)]
    keep_empty: bool,
}

fn pack_archive(path: &str) {}

fn main() { pack_archive("x"); }
"""
FILLER = "".join(f"export const shade{number} = {number * 7}\n" for number in range(20))
FIRST = {
    "cmd/atlasd/main.go": "package main\n\nfunc main() { listenAndServe(7000) }\n",
    "internal/tiles/cache.go": TILES,
    "internal/server/routes.go": ROUTES,
    "internal/auth/token.go": 'package auth\n\nfunc verifyToken(raw string) bool { return raw != "" }\n',
    "internal/geo/bounds.go": "package geo\n\nfunc clampBounds(b Box) Box { return b }\n",
    "client/src/MapPanel.tsx": CLIENT,
    "client/src/colors.ts": f"export const waterBlue = '#aadaff'\n{FILLER}",
    "client/src/store/index.ts": "export const createStore = () => ({})\n",
    "client/package.json": (
        '{"dependencies": {"react": "18.2.0", "@tanstack/react-query": "^4.29.0", "maplibre-gl": "^3.0.0"},'
        ' "engines": {"node": ">=18"}}\n'
    ),
    "tools/packer/src/main.rs": PACKER,
    "tools/packer/Cargo.toml": (
        '[package]\nname = "packer"\n\n[dependencies]\nclap = "4.4"\nserde = { version = "1.0" }\n'
    ),
    "go.mod": "module example.org/atlas\n\ngo 1.21\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.4.0\n)\n",
    "deploy/values.yaml": "service:\n  port: 7000\nreplicas: 3\nmetrics_port: 9464\nredis_url: redis://cache\n",
    "deploy/Dockerfile": "FROM golang:1.21\nENV ATLAS_ENV=prod\nEXPOSE 7000\n",
    "Makefile": "tiles:\n\tgo run ./cmd/atlasd\n",
    "docs/adr/0003-tile-cache.md": "# Tile cache\n\nWe cache tiles in memory for 300 seconds.\n",
    "docs/운영/배포_절차.md": "# 배포 절차\n\n이미지를 만들고 값을 바꾼다.\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    runs-on: ubuntu-22.04\n",
}


def build(top: Path) -> Built:
    """Write the history."""
    repo = Repository(top)
    first = repo.commit(0, FIRST, "Begin")
    repo.git("checkout", "-q", "-b", "long-branch")
    repo.commit(
        8,
        {
            "internal/auth/token.go": None,
            "internal/auth/session.go": "package auth\n\nfunc openSession() {}\n",
        },
    )
    repo.git("checkout", "-q", "main")
    repo.replace(10, {"internal/tiles/cache.go": ("func (c *TileCache) evictOldest() {}\n\n", "")})
    repo.replace(20, {"internal/tiles/cache.go": ("ttlSeconds: 300", "ttlSeconds: 900")})
    repo.replace(22, {"internal/tiles/cache.go": ("MaxZoom = 18", "MaxZoom = 22")})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge sessions", "long-branch", at=1_767_225_600 + 25 * 86_400)
    repo.move(30, "client/src/colors.ts", "client/src/theme/palette.ts")
    repo.move(33, "client/src/theme/palette.ts", "client/src/design/palette.ts")
    repo.replace(
        40,
        {
            "deploy/values.yaml": ("port: 7000", "port: 7100"),
            "deploy/Dockerfile": ("EXPOSE 7000", "EXPOSE 7100"),
            "cmd/atlasd/main.go": ("7000", "7100"),
        },
    )
    repo.replace(45, {"client/package.json": ("^4.29.0", "^5.8.0"), "go.mod": ("v5.4.0", "v5.6.0")})
    repo.replace(
        47, {"tools/packer/Cargo.toml": ('clap = "4.4"', 'clap = "4.5"'), "go.mod": ("go 1.21", "go 1.23")}
    )
    repo.replace(
        50, {"client/src/MapPanel.tsx": ("export const useTileLayer = () => useQuery(['tiles'])\n", "")}
    )
    repo.replace(52, {"tools/packer/src/main.rs": ("    #[arg(long)]\n    keep_empty: bool,\n", "")})
    repo.replace(55, {"deploy/values.yaml": ("replicas: 3", "replicas: 5")})
    repo.commit(58, {"client/src/store/index.ts": None}, "Drop the store")
    repo.replace(60, {"internal/server/routes.go": ("serveStyle", "serveStyleSheet")})
    repo.move(62, "docs/운영/배포_절차.md", "docs/운영/릴리스_절차.md")
    repo.commit(64, {"internal/geo/bounds.go": None})
    repo.commit(
        66, {"internal/geo/bounds.go": "package geo\n\nfunc clampBounds(b Box) Box { return b.clip() }\n"}
    )
    repo.replace(70, {"deploy/values.yaml": ("redis_url: redis://cache\n", "")})
    aside = repo.aside(71, {"internal/tiles/gpu.go": "package tiles\n\nfunc renderOnGpu() {}\n"}, first)
    repo.write({"internal/tiles/vector.go": "package tiles\n\nfunc encodeVector() []byte { return nil }\n"})
    return Built(repo, first, aside)


def memories(built: Built) -> list[Labelled]:
    """The set that nothing was tuned for."""
    first, aside = built.known, built.aside
    return [
        # current
        Labelled("`pack_archive` is the only entry of the packer.", 5, CURRENT),
        Labelled("The packer's main is in tools/packer/src/main.rs, built with cargo.", 60, CURRENT),
        Labelled("지도 화면 컴포넌트는 `MapPanel`이다.", 5, CURRENT),
        Labelled("`TileCache` is created by `NewTileCache()`.", 5, CURRENT),
        Labelled("tileSize = 256 everywhere.", 5, CURRENT),
        Labelled("메트릭 포트는 9464이다.", 5, CURRENT),
        Labelled("`metrics_port: 9464` in the chart, scraped by the operator.", 5, CURRENT),
        Labelled("ATLAS_ENV selects the environment.", 5, CURRENT),
        Labelled("CI runs on ubuntu; see .github/workflows/ci.yml", 5, CURRENT),
        Labelled("serde 1 derives are fine.", 60, CURRENT),
        Labelled("maplibre-gl 3 draws the map.", 10, CURRENT),
        Labelled("Tile cache decision: docs/adr/0003-tile-cache.md", 10, CURRENT),
        Labelled(f"Everything started with {first[:12]} (commit).", 10, CURRENT),
        Labelled("Sessions replaced tokens: `openSession` instead of `verifyToken`.", 26, CURRENT),
        Labelled(
            "We moved `client/src/colors.ts` to `client/src/theme/palette.ts` and later to "
            "`client/src/design/palette.ts`.",
            34,
            CURRENT,
        ),
        Labelled(
            "evictOldest() was removed because it raced with readers; `NewTileCache` sets a TTL.", 11, CURRENT
        ),
        Labelled("`evictOldest`는 제거되었다. `TileCache`는 TTL만 쓴다.", 11, CURRENT),
        Labelled(
            "배포 절차 문서 이름을 바꿈: docs/운영/배포_절차.md → docs/운영/릴리스_절차.md", 63, CURRENT
        ),
        Labelled("The service port went from 7000 to 7100.", 41, CURRENT),
        Labelled("Upgraded @tanstack/react-query from 4.29 to 5.8 without code changes.", 46, CURRENT),
        Labelled("`make tiles` needs the Makefile at the top.", 10, CURRENT),
        Labelled("Node 18 or newer is needed for the client.", 10, CURRENT),
        Labelled("`encodeVector()` is the new encoder, not committed yet.", 99, CURRENT),
        Labelled("go 1.23 is set in the module file.", 50, CURRENT),
        Labelled("clap 4 parses the arguments.", 10, CURRENT),  # 4.4 then, 4.5 now
        Labelled("The old store in client/src/store/index.ts is gone since the rewrite.", 59, CURRENT),
        # changed since
        Labelled("`registerRoutes` in internal/server/routes.go lists all routes.", 10, CHANGED),
        Labelled("Bounds are clamped in `internal/geo/bounds.go` by `clampBounds`.", 10, CHANGED),
        Labelled("캐시 구현: internal/tiles/cache.go (`TileCache`)", 5, CHANGED),
        Labelled("deploy/values.yaml holds the chart's values.", 5, CHANGED),
        Labelled("cache.go keeps rendered tiles in memory.", 15, CHANGED),
        Labelled("client/src/MapPanel.tsx is the entry of the map.", 49, CHANGED),
        Labelled("bounds.go에서 경계를 자른다.", 5, CHANGED),
        # contradicted
        Labelled("`evictOldest()` runs every minute.", 5, CONTRADICTED),
        Labelled("캐시는 `evictOldest`로 오래된 타일을 버린다.", 5, CONTRADICTED),
        Labelled("Tokens are checked by `verifyToken` in internal/auth/token.go.", 5, CONTRADICTED),
        Labelled("Colours are in client/src/colors.ts.", 10, CONTRADICTED),
        Labelled("색상 값은 `client/src/theme/palette.ts`에 모아 둔다.", 31, CONTRADICTED),
        Labelled("atlasd listens on port 7000.", 10, CONTRADICTED),
        Labelled("서비스 포트 7000번을 연다.", 10, CONTRADICTED),
        Labelled("MaxZoom is 18, the style has no more detail.", 10, CONTRADICTED),
        Labelled("`MaxZoom = 18`", 10, CONTRADICTED),
        Labelled("`ttlSeconds: 300` keeps memory low.", 10, CONTRADICTED),
        Labelled("react-query is at ^4: @tanstack/react-query 4.29.", 10, CONTRADICTED),
        Labelled("The client's `useTileLayer` hook fetches tiles.", 10, CONTRADICTED),
        Labelled("Pass `--keep-empty` to the packer for sparse tiles.", 10, CONTRADICTED),
        Labelled("`replicas: 3` in production.", 10, CONTRADICTED),
        Labelled("운영 환경은 `replicas`가 3이다.", 10, CONTRADICTED),
        Labelled("State is created by `createStore` (client/src/store/index.ts).", 10, CONTRADICTED),
        Labelled("serveStyle() answers /styles.", 10, CONTRADICTED),
        Labelled("배포할 때는 docs/운영/배포_절차.md를 따른다.", 10, CONTRADICTED),
        Labelled("`redis_url` points to the cache.", 10, CONTRADICTED),
        Labelled("Built with go 1.21.", 10, CONTRADICTED),
        Labelled("pgx v5.4 talks to Postgres.", 10, CONTRADICTED),
        Labelled("- map: `MapPanel`\n- hook: `useTileLayer`\n- centre: `DEFAULT_CENTER`", 10, CONTRADICTED),
        # cannot be told
        Labelled("Users want dark mode by spring.", 10, UNVERIFIABLE),
        Labelled("`renderOnGpu` in internal/tiles/gpu.go was twice as fast.", 72, UNVERIFIABLE),
        Labelled(f"GPU rendering was tried in commit {aside[:10]}.", 72, UNVERIFIABLE),
        Labelled(
            "https://example.org/atlas/blob/main/internal/auth/token.go shows the idea.", 5, UNVERIFIABLE
        ),
        Labelled("The iOS app has its own `TileDownloader.swift`.", 5, UNVERIFIABLE),
        Labelled("Zoom in/out buttons on/off per tenant.", 5, UNVERIFIABLE),
        Labelled("`kubectl rollout restart deploy/atlasd` after a change.", 5, UNVERIFIABLE),
        Labelled("Peak is 7000 requests a minute.", 5, UNVERIFIABLE),
        Labelled("See ~/notes/atlas.md and /etc/atlas/atlas.conf on the host.", 5, UNVERIFIABLE),
        Labelled("`evictOldest` should come back one day.", 50, UNVERIFIABLE),
        Labelled("회의는 매주 화요일 10시에 한다.", 5, UNVERIFIABLE),
        Labelled("Release 2.4 is planned for June 18.", 5, UNVERIFIABLE),
    ]
