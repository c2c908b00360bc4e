"""Secrets: masked in whatever surroundings, while everything that only talks about secrets stays.

No secret stands in this file: each is put together when a test runs, so that scanners have nothing to find.
"""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall.secrets import Secret, find, mask

ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + "234567"


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of token: what it begins with, and of what the rest consists."""

    kind: str
    prefix: str
    alphabet: str = ALNUM
    length: int = 36
    suffix: str = ""

    def token(self, rest: str) -> str:
        return self.prefix + rest + self.suffix


SHAPES = [
    Shape("AWS key", "AK" + "IA", CAPITALS, 16),
    Shape("AWS key", "AS" + "IA", CAPITALS, 16),
    *(Shape("GitHub token", f"gh{kind}_") for kind in "pousr"),
    Shape("GitHub token", "github_" + "pat_", ALNUM + "_", 82),
    Shape("GitLab token", "gl" + "pat-", URL_SAFE, 20),
    Shape("GitLab token", "gl" + "rt-", URL_SAFE, 20, ".01.0z1k2j3h4"),
    Shape("Slack token", "xo" + "xb-123456789012-", ALNUM, 24),
    Shape("Slack token", "xa" + "pp-1-A012B345-", HEX, 64),
    Shape("API key", "s" + "k-proj-x7Q", URL_SAFE, 60),
    Shape("API key", "s" + "k-ant-api03-", URL_SAFE, 93),
    Shape("API key", "AI" + "zaSyX7q", URL_SAFE, 30),
    Shape("API key", "gs" + "k_q7X", ALNUM, 48),
    Shape("API key", "h" + "f_q7X", ALNUM, 31),
    Shape("npm token", "np" + "m_"),
    Shape("PyPI token", "py" + "pi-AgEIcHlwaS5vcmcC", URL_SAFE, 100),
    Shape("service key", "sk" + "_live_q7X", ALNUM, 24),
    Shape("service key", "live" + "_gsk_q7X", ALNUM, 24),
    Shape("service key", "wh" + "sec_q7X", ALNUM, 32),
    Shape("service key", "S" + "G.aB3aB3aB3aB3aB3aB3aB3a.", URL_SAFE, 43),
    Shape("service key", "do" + "p_v1_", HEX, 64),
    Shape("service key", "123456789:" + "AA", URL_SAFE, 33),
    Shape("JWT", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0.", URL_SAFE, 43),
]


def made(shape: Shape, seed: int = 1) -> str:
    chosen = random.Random(f"{shape.prefix}{seed}")
    return shape.token("".join(chosen.choice(shape.alphabet) for _ in range(shape.length)))


@st.composite
def tokens(draw: st.DrawFn) -> str:
    shape = draw(st.sampled_from(SHAPES))
    return shape.token(draw(st.text(shape.alphabet, min_size=shape.length, max_size=shape.length)))


def private_key(kind: str = "RSA ", lines: int = 3) -> str:
    chosen = random.Random(kind)
    body = ["".join(chosen.choice(ALNUM + "+/") for _ in range(64)) for _ in range(lines)]
    return "\n".join(
        [f"-----BEGIN {kind}PRIVATE " + "KEY-----", *body, f"-----END {kind}PRIVATE " + "KEY-----"]
    )


# --- tokens that announce themselves ---


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind} {shape.prefix[:10]}")
@pytest.mark.parametrize(
    "line",
    ["token: {}\n", "키는 {} 이다.", "({})", '{{"a":"{}"}}', "x\\n{}\\n", "`{}`", "{}", "<{}>", "- 배포: {}"],
)
def test_a_token_is_masked_and_its_line_stays(shape: Shape, line: str) -> None:
    assert mask(line.format(made(shape))) == (line.format(f"[masked: {shape.kind}]"), 1)


_edges = st.sampled_from([" ", "\n", "\t", '"', "'", "(", ")", "=", ",", "`", "은 ", "|", "> "])
_around = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)


@given(tokens(), _around, _edges, _edges, _around)
def test_no_token_survives_in_any_surroundings(
    token: str, before: str, left: str, right: str, after: str
) -> None:
    if "EXAMPLE" in token:
        return
    masked, count = mask(before + left + token + right + after)
    assert token not in masked
    assert count >= 1


@given(st.lists(tokens(), min_size=1, max_size=5))
def test_every_token_of_a_list_is_masked(found: list[str]) -> None:
    masked, _ = mask("\n".join(f"- {token}" for token in found))
    assert not any(token in masked for token in found if "EXAMPLE" not in token)


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_masked_whole(kind: str) -> None:
    key = private_key(kind)
    assert mask(f"배포 키:\n{key}\n끝") == ("배포 키:\n[masked: private key]\n끝", 1)
    quoted = key.replace("\n", "\n> ")
    assert mask(f"> {quoted}\n") == ("> [masked: private key]\n", 1)
    escaped = key.replace("\n", "\\n")
    assert mask(f'{{"private_key": "{escaped}"}}') == ('{"private_key": "[masked: private key]"}', 1)


def test_a_private_key_with_headers_is_masked_whole() -> None:
    key = private_key().replace(
        "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n", 1
    )
    assert mask(key) == ("[masked: private key]", 1)


def test_a_private_key_that_was_cut_is_masked_as_far_as_it_goes() -> None:
    key = private_key().rsplit("\n", 1)[0]
    assert mask(f"{key}\n\n그 뒤의 글은 남는다.") == ("[masked: private key]\n\n그 뒤의 글은 남는다.", 1)


def test_two_private_keys_are_two() -> None:
    assert mask(private_key() + "\n그리고\n" + private_key("EC ")) == (
        "[masked: private key]\n그리고\n[masked: private key]",
        2,
    )


def test_a_chat_hook_keeps_its_host() -> None:
    secret = "T012ABCDE/B012ABCDE/" + made(Shape("", "", ALNUM, 24))
    assert mask(f"알림: https://hooks.slack.com/services/{secret} 로") == (
        "알림: https://hooks.slack.com/services/[masked: Slack token] 로",
        1,
    )


def test_credentials_of_requests_are_masked() -> None:
    token = made(Shape("", "", ALNUM, 40))
    assert mask(f"Authorization: Bearer {token}")[0] == "Authorization: Bearer [masked: authorization]"
    assert mask(f"curl -H 'authorization: token {token}' x")[0] == (
        "curl -H 'authorization: token [masked: authorization]' x"
    )
    basic = base64.b64encode(b"admin:" + b"s3cr3t").decode()
    assert mask(f"Authorization: Basic {basic}")[0] == "Authorization: Basic [masked: authorization]"
    assert mask("curl -u admin:hunter2" + " https://x")[0] == "curl -u admin:[masked: password] https://x"


@pytest.mark.parametrize("word", ["S3cret!", "p@ss:w@rd", "x", "비밀1234", "%40bc", "a" * 900])
def test_a_password_in_a_url_is_masked_and_the_url_stays(word: str) -> None:
    assert mask(f"DATABASE_URL=postgres://app:{word}@db.example:5432/shop?ssl=1") == (
        "DATABASE_URL=postgres://app:[masked: password]@db.example:5432/shop?ssl=1",
        1,
    )
    assert mask(f"redis://:{word}@cache:6379/0")[1] == 1


# --- values behind a label ---

_passwords = st.text(ALNUM + "!@#$%^*+?~", min_size=5, max_size=20).map(lambda rest: "Zx8" + rest)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("password: {}", "hunter2"),
        ("password={}", "qwer1234!"),
        ("DB_PASSWORD={}", "Sup3rS3cret"),
        ("비밀번호: {}", "qwer1234!"),
        ("비밀번호 : {} 이다", "abcd1234"),
        ("비밀번호는 {}입니다", "qwer1234!"),
        ("비번={}", "Abcd!234"),
        ("비밀번호(운영): {}", "Xy12zzQ9"),
        ("비밀번호: {}", "2580"),
        ("**비밀번호:** `{}`", "Abcd!234"),
        ("| password | {} |", "S3cretPass9"),
        ("PW: {}", "qwer1234!"),
        ("password (prod): {}", "Xy12zzQ9"),
        ("the password is {}.", "Xy12!zzQ9"),
        ("password:\n  {}\n", "qwer1234!"),
        ('"password": "{}"', "correct-horse"),
        ('{{\\"password\\": \\"{}\\"}}', "s3cr3tv4lue"),
        ("db_password: '{}'", "swordfish"),
        ("password: str = '{}'", "swordfish"),
        ("mysql --password {} -h db", "hunter22x"),
        ("CREATE USER app WITH PASSWORD '{}'", "letmein"),
        ("GRANT ALL IDENTIFIED BY '{}'", "letmein"),
        ("Server=db;User=sa;Password={};Database=shop", "Sup3rS3cret"),
        ("login(user='a', password='{}', x=1)", "hunter2"),
        ("https://x/y?password={}&user=me", "hunter2x"),
    ],
)
def test_a_password_behind_its_label_is_masked(line: str, value: str) -> None:
    assert mask(line.format(value)) == (line.format("[masked: password]"), 1)


@pytest.mark.parametrize(
    "line",
    [
        "api_key = '{}'",
        "API_KEY={}",
        "apiKey: {},",
        "x-api-key: {}",
        "aws_secret_access_key = {}",
        "client_secret: {}",
        "토큰={}",
        "토큰 : {}",
        "API 키: {}",
        "시크릿 키 = {}",
        "인증키: {}",
        "access token: {}",
        "//registry.npmjs.org/:_authToken={}",
        "_auth={}",
        "AccountName=x;AccountKey={};EndpointSuffix=y",
        "https://x/y?access_token={}&user=me",
        "deploy --api-key {} --now",
    ],
)
@pytest.mark.parametrize("alphabet", [ALNUM, HEX])
def test_a_key_behind_its_label_is_masked(line: str, alphabet: str) -> None:
    value = made(Shape("", "a1", alphabet, 40))
    assert mask(line.format(value)) == (line.format("[masked: secret]"), 1)


@given(
    _passwords,
    st.sampled_from(["password: {}", "비밀번호={}", "pwd = {}", '"passwd": "{}"', "**암호**: {} "]),
)
@example("Zx8$ecret", "password: {}")
def test_no_password_survives_behind_its_label(value: str, line: str) -> None:
    masked, count = mask(line.format(value))
    assert value not in masked
    assert count == 1


def test_a_long_value_is_masked_to_its_end() -> None:
    value = "a1b2c3d4" * 5000
    assert mask(f"token={value} 끝") == ("token=[masked: secret] 끝", 1)


def test_the_whole_secret_is_masked_where_two_rules_see_parts_of_it() -> None:
    token = made(Shape("", "gh" + "p_"))
    assert mask(f"token=deploy/{token}/q7X9z") == ("token=[masked: secret]", 1)
    assert mask(f"token={token}/q7X9z") == ("token=[masked: GitHub token]", 1)
    assert mask(f"password: {token}") == ("password: [masked: GitHub token]", 1)


def test_secrets_glued_together_are_both_masked() -> None:
    assert mask(made(SHAPES[0]) + made(SHAPES[-1])) == ("[masked: AWS key][masked: JWT]", 2)


# --- what is no secret ---


@pytest.mark.parametrize(
    "line",
    [
        "Password policy: 14 characters",
        "token 만료는 30분",
        "비밀번호는 bcrypt로 해시한다",
        "비밀번호는 argon2id로 해시한다",
        "비밀번호는 sha256으로 해시하지 않는다",
        "비밀번호: 8자 이상",
        "비밀번호 정책: 영문+숫자 12자",
        "비밀번호 찾기: /auth/reset/v2",
        "토큰은 base64url로 인코딩한다",
        "토큰: JWT (RS256)",
        "암호: AES-256-GCM",
        "API 키는 환경 변수로 넣는다",
        'password = os.environ["DB_PASSWORD"]',
        "password = getpass('Password: ')",
        "api_key: ${API_KEY}",
        "api_key: $API_KEY",
        "password: {{ vault_db_password }}",
        "password: %DB_PASSWORD%",
        "password: process.env.DB_PASSWORD2",
        "password: op://vault/item2/field",
        "password_file: /run/secrets/db_password1",
        "private key: ~/.ssh/id_ed25519",
        "token: <your-token>",
        "token: your-token-here",
        "token: xxxxxxxx1234",
        'password: "********"',
        'password: "change-me"',
        "password: str",
        "def login(password: str, token: str | None = None) -> None:",
        "token = get_token2(user)",
        "token: Uint8Array",
        'const token = req.headers["authorization"]',
        "secretName: my-app-tls-2",
        'secret_name = "prod/db/main-credentials-2"',
        "token_id: a1b2c3d4e5f6a7b8",
        'secret_name: "q7X9z8w6"',
        "password_hint: hunter2",
        "token=deployment9/[masked: JWT]/x8y7z6w5",
        "max_tokens: 4096",
        "tokens: 123456789",
        "token: 2026-09-01",
        "token refresh: 2026-09-01T10:00:00+09:00",
        '{"password": "비밀번호"}',
        '{"password": "required"}',
        'error.password = "Password is too short"',
        "password: contact admin1@corp.example",
        "password: 2026년부터 바뀐다",
        "the password is bcrypt-hashed",
        "primary key: user_id2",
        "cache key: user:1234:profile9",
        "monkey: a1b2c3d4e5f6a7b8c9",
        "use Bearer authentication-middleware for it",
        "Authorization: Bearer <token>",
        "basic authentication for admins",
        "curl -u 1000:1000 x",
        "http://localhost:8080/@vite/client",
        "docker://alpine:3.19@sha256:0123456789abcdef",
        "git+ssh://git@github.com:org/repo.git",
        "postgres://user:password@localhost/db",
        "postgres://app:${DB_PASSWORD}@db/app",
        "token_url: https://auth.example.com/oauth2/v2.0/token",
        "sk-folding-cube-loader-grid-big",
        "The sample id AKIA" + "IOSFODNN7EXAMPLE from the vendor's manual is not a secret.",
        "-----BEGIN PRIVATE " + "KEY----- and -----END PRIVATE " + "KEY----- frame the block",
        "commit: 3f2a9c1b4d5e6f708192a3b4c5d6e7f8a9b0c1d2",
        "sha256:3f2a9c1b4d5e6f708192a3b4c5d6e7f8a9b0c1d23f2a9c1b4d5e6f708192a3b4",
    ],
)
def test_text_about_secrets_stays_as_it_is(line: str) -> None:
    assert mask(line) == (line, 0)


# --- the whole ---


def test_a_find_tells_where_a_secret_stands() -> None:
    assert find("İ 비밀번호: qwer1234!\n") == [Secret("password", 8, 17)]
    assert find("") == find("비밀") == []


_WORDS = (
    "password token 비밀번호 키 API : = 는 is hunter2x9 \" ' \\ ` & , ; [masked: ] "
    ":// u: p4ss @h Bearer --password İ |"
)
_FRAGMENTS = [
    *_WORDS.split(),
    "(prod)",
    "\n",
    " ",
    "eyJhbGciOi1.",
    made(SHAPES[0]),
    made(SHAPES[2]),
    private_key(),
]


@given(st.lists(st.sampled_from(_FRAGMENTS) | st.text(max_size=3), max_size=14).map("".join))
def test_masking_never_raises_and_twice_is_once(text: str) -> None:
    masked, count = mask(text)
    assert mask(masked) == (masked, 0)
    assert (masked == text) == (count == 0)


_HOSTILE = (
    "password=§password=\"§password='§password=1.1§password: x3§key§API 키§eyJ§eyJaaaaaaaaa.§sk-§AKI§"
    "-----BEGIN PRIVATE "
    "KEY-----§://a:§://a:b@§curl -u a:§bearer §a-§1§token=a&§--password §비밀번호는 §my-§aa.bb§%"
).split("§")


@pytest.mark.parametrize("unit", _HOSTILE)
def test_a_megabyte_of_a_hostile_text_is_read_once(unit: str) -> None:
    # Any rule that went back over what it had read would need hours for this.
    text = unit * (1_000_000 // len(unit))
    masked, _ = mask(text)
    assert len(masked) <= 2 * len(text)
