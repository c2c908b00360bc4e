"""Words that take what a sentence says out of the present: denied, planned, supposed, reported, past. Data by language.

English markers are phrases. A word in braces is one of a class, "_" is a name, "*" up to four words; those of
`BETWEEN` may stand between, too.
What a phrase governs is told by the table it is in. Korean puts its verbs last and glues endings to them: its markers
are parts of words, spaces left out, and govern their clause.

A marker that is missing makes a memory look like an assertion; one too many only leaves it unverified.
"""

from __future__ import annotations

CLASSES = {
    "change": "remove delete drop rename move replace retire split merge fold migrate deprecate inline extract switch "
    "bump upgrade downgrade convert swap kill ditch scrap axe sunset decommission consolidate raise lower rewrite cut "
    "eliminate abandon discard unplug discontinue restore revert purge unify factor trim prune phase absorb rip tear",
    "changing": "removing deleting dropping renaming moving replacing retiring splitting merging folding migrating "
    "deprecating inlining extracting bumping upgrading downgrading converting swapping killing ditching scrapping axing "
    "sunsetting decommissioning consolidating rewriting cutting eliminating abandoning discarding discontinuing phasing",
    "changed": "removed deleted dropped renamed moved replaced retired split merged folded migrated deprecated inlined "
    "extracted swapped killed ditched scrapped axed sunset decommissioned consolidated rewritten cut eliminated ripped "
    "torn thrown phased purged unified collapsed absorbed superseded trimmed pruned abandoned discarded unplugged "
    "dismantled nuked discontinued taken pulled gone chopped zapped dissolved binned culled stripped wiped converted "
    "raised lowered bumped upgraded obsoleted shelved",
    "gave": "stopped quit ceased abandoned discarded scrapped axed killed ditched nuked eliminated sunset decommissioned "
    "retired dismantled unplugged gutted binned culled chopped shelved jettisoned outgrew discontinued purged",
    "make": "add introduce create write adopt try build make use have",
    "not": "not never no don't doesn't didn't won't can't cannot couldn't shouldn't mustn't isn't aren't wasn't weren't "
    "hasn't haven't hadn't wouldn't needn't ain't hardly nowhere stop",
    "nobody": "nobody nothing none neither nor",
    "use": "use uses using used call calls calling import imports importing imported invoke invokes need needs require "
    "requires reference references depend depends rely relies want wants exist bring recreate reintroduce restore readd "
    "resurrect revive reinstate rebuild have find see look add touches touch consume consumes keep create adopt return go going come",
    "used": "used called imported invoked needed required referenced wanted exist existed exists there present available "
    "supported maintained reachable wired around alive included shipped loaded survive survived here defined declared",
    "modal": "will shall should could might may must would can won't ought let's lets we'll i'll i'd we'd it'll need needs",
    "be": "is are was were been being get gets got getting has have had it's they're",
    "plan": "plan plans planned planning want wants wanted intend intends intended hope hopes hoping aim aims aiming like "
    "going about decide decides decided agree agreed propose proposes proposed suggest suggested ought due scheduled "
    "slated meant trying tried voted supposed prepare preparing wish expect expected tempted",
    "due": "need needs have has ought is are",
    "we": "we you i they anyone someone somebody you're we're",
    "lived": "lived sat stood went came stayed resided was were",
    "in": "in at under below inside",
    "if": "if should unless once when whenever",
    "said": "said claimed thought believed assumed believes thinks argues argued insists insisted suspects suspected heard "
    "suggested proposed recommends advises suggests wondered wonders allegedly supposedly apparently reportedly recommended advised guessed",
    "past": "ran held kept took did had made went sat stood came gave got wrote sent let was were put lived grew began "
    "broke brought built bought chose drew drove fell felt found knew led left lost met paid said saw sold spent told "
    "thought threw won became hid bound swept looked",
}
BETWEEN = (
    "ever also then just now still yet already really actually probably likely eventually soon simply finally please "
    "first later all again even only always completely fully entirely longer more we both currently the a an any our "
    "that this these to be its it as some"
)
# What stands behind the phrase, in its clause.
BEHIND = """
{not} {use}
{nobody} {use}
{nobody} {modal} {use}
riddance to
rip _
were it not for
was it not for
done with
finished with
looking for
searching for
to {change}
nothing left of
nothing remains of
last seen
{lived} {in} _
{not} _
{not} in _
{not} via _
{not} from _
{not} through _
{not} at _
no need for
no reason for
no trace of
avoid
refrain from
steer clear of
stay away from
away from
do without
doing without
did without
free of
rid of
bring back
bringing back
brought back
go back to
going back to
went back to
reintroduce
reintroducing
resurrect
resurrecting
revive
reviving
reinstate
recreate
return to
gave up on
giving up
{gave}
threw out
threw away
ripped out
tore out
took out
{plan} {change}
{plan} {make}
{modal} {change}
{modal} {plan} {change}
will {make}
shall {make}
{changing}
getting rid of
thinking of
thinking about
talk of
considering
considered
consider
idea of
propose
proposal
alternative to
successor to
successor of
replacement for
"""
# What stands in front of it.
BEFORE = """
{not} {used}
{not} in use
{not} come back
{not} return
{not} make it
{not} part of
no longer
no more
{be} {changed}
{be} going away
{be} going
{be} leaving
{be} on way out
{be} on their way out
{be} on way
{be} dead
{be} temporary
{be} over
{be} past
{be} thing of past
{be} marked for
{be} no future
{be} doomed
{be} history
{be} toast
{be} obsolete
{be} legacy
{be} scheduled
{be} slated
{be} {changing}
{modal} {changed}
{modal} called _
{modal} named _
{modal} live in _
{modal} disappear
{modal} end up
{modal} be dead
out of picture
out of way
out of game
out of code
out of equation
{modal} vanish
{modal} go
{modal} die
{modal} leave
{modal} move
{modal} retire
{due} go
{due} {changed}
{plan} {changed}
{plan} go
up for removal
went away
died
disappeared
vanished
evaporated
bit dust
has left
have left
turned into
became
"""
# All of its clause.
CLAUSE = """
used to
would
had been
would've
could have
maybe
perhaps
someday
some day
one day
at some point
in future
in past
wish
hypothetically
next quarter
next sprint
next release
next version
next month
next year
on roadmap
once sat
once lived
once was
once were
once had
once stood
once ran
once held
once did
there was
there were
took * out
take * out
taking * out
pulled * out
cut * out
tore * out
ripped * out
threw * out
threw * away
chose * over
chosen * over
preferred * over
picked * over
worth having
worth adding
"""
# All of its sentence.
SENTENCE = """
had we
had i
were we to
suppose
supposing
imagine
what if
pretend
{if} {we} {change}
{if} {we} had
{if} {we} decide
{if} {we} go back
{if} {we} went back
{if} {we} want back
{if} {we} revisit
{if} {we} bring
{if} {we} return
if _ were
if _ had
if _ is {changed}
if _ gets {changed}
if _ existed
if _ returns
if _ came back
if _ comes back
according to
{said}
asked * to
asked for
asked whether
asked if
claims that
claims _
says that
says _
back then
back when
in those days
at time
at that time
years ago
months ago
weeks ago
long ago
last year
last month
last spring
last summer
last autumn
last winter
in first version
in original
in early versions
in earlier versions
in older versions
in old versions
until recently
until last
until then
historically
formerly
previously
in beginning
in old days
before that
before rewrite
before migration
before refactor
before move
before split
before switch
before upgrade
something like
_ - style
_ - like
_ - ish
"""
# These take a denial back: "does not start without X" says that X is there.
TAKEN_BACK = "without unless until except other but call run pass"
# A clause begins with these.
JOINTS = "but because so while whereas although though however whose"
# Past tenses that are no participles: where one stands, and no verb of the present, a clause is of the past.
PAST = (
    "ran did had went sat stood came gave got wrote was were took lived grew began broke chose drew drove fell felt knew "
    "led rose spoke threw won became swept saw"
)
PRESENT = (
    "is are am isn't aren't has have hasn't haven't do does don't doesn't can cannot can't must should shall will won't may "
    "might needs need it's they're we're you're that's there's"
)
# Behind an "-ed" these show that it is a verb: "guarded every route", not "retired topics".
OBJECTS = (
    "a an the every each all any no some our its their his her my your us it them him at in on by to from for with into "
    "over under up down off out away back about after before because than and or when while until as through twice "
    "again badly more less too"
)
# Behind a name these tell of the present: "`X` defined in".
STATES = (
    "based called named defined needed required used imported located found shared included provided generated exported "
    "stored kept set declared implemented written tested mounted configured supposed marked expected allowed supported "
    "related returned created built raised fed need embed seed feed speed exceed proceed indeed shed red bed cached "
    "documented described installed pinned locked wrapped nested combined mixed encoded signed added released"
)

KOREAN = (
    # denied
    "쓰지않 쓰지말 쓰지마 쓰지못 쓰이지않 쓸필요 안쓰 안쓴 안씀 안써 안쓸 안부른 안불러 사용하지않 사용하지말 사용하지마 사용안함 미사용 "
    "호출하지않 호출하지말 부르지않 부르지말 부르지마 만들지말 만들지마 만들지않 되살리 부활 복원하지 복구하지 되돌아가 돌아가지 "
    "추가하지말 추가하지마 넣지말 넣지마 두지않 남기지않 남지않 남아있지않 필요없 필요가없 필요하지않 존재하지않 아니라 아니고 아니다 아님 "
    # gone
    "지웠 지움 지워졌 지워진 걷어냈 걷어냄 날렸 날림 날아갔 뺐 뺌 빠졌 빠짐 버렸 버림 들어냈 치웠 접었 철거했 은퇴 폐지 폐기 사용중단 "
    "그만쓰 그만썼 갈아탔 갈아엎 넘어갔 통합했 통합됐 통합되었 통합됨 흡수 대체했 대체됐 대체되었 대체됨 옮겼 옮김 이전했 이관했 삭제하고 "
    "제거하고 쪼갰 합쳤 "
    # planned
    "예정 계획 려고한 려고함 려고했 려한다 려함 할것이다 기로했 기로한 기로함 곧없 곧빠 곧지 곧삭 곧사라 앞으로 나중에 언젠가 추후 "
    "다음주 다음달 다음분기 다음버전 다음릴리스 고려중 고려했 검토중 검토했 논의중 논의했 제안했 제안한 해야겠 하면좋겠 싶다 하자 지울것 걷어낼 뺄것 없앨것 옮길것 바꿀것 삭제할것 제거할것 내릴것 옮기는작업 빼는작업 지우는작업 없애는작업 걷어내는작업 삭제하는작업 정리하는작업 "
    "지우자 빼자 없애자 옮기자 바꾸자 지워야 빼야 없애야 옮겨야 바꿔야 삭제해야 제거해야 "
    # supposed
    "찾지말 찾아도 안나오 안나온 안나옴 없이 의미없 쓸모없 소용없 지원종료 전환완료 전환했 전환됨 바뀜 변경됨 목표 늘리는건 올릴생각 다시쓴 다시쓰 다시썼 다시만 다시도입 다시살 더라면 했을것 "
    # reported
    "라고했 라고한 라고하 라고되 라고적 라고써 라고들 라고말 라고쓰 다고했 다고들 다고하 다고주장 다고적 에따르면 "
    # past
    "예전 옛날 한때 당시 초기버전 초창기 처음에는 처음엔 이전에 이전엔 이전버전 종전에"
)
NOT_PLANNED = "예정은없 예정이없 예정없 계획은없 계획이없 계획없"
# A past tense behind these tells that something came: "추가했다".
KOREAN_CAME = "추가 구현 작성 도입 생성 만들 적용 설정 지원 측정 결정 합의"
KOREAN_ASKED = "나요 인가 일까 는가 을까 할까 까요"

# Headings, labels in front of a colon, heads of columns, cells: what they rule is gone, or is not asserted.
GONE = (
    "removed deleted dropped gone retired deletions removals killed axed decommissioned 삭제 삭제됨 삭제함 삭제한 삭제된 제거 제거됨 "
    "제거함 제거한 제거된 폐기됨 폐기된 없앤 지운 걷어낸 사라진 없어진"
)
DOUBTFUL = (
    "deprecated obsolete legacy old former formerly previously previous superseded rejected abandoned history changelog "
    "past plan plans planned planning roadmap todo todos to-do fixme future idea ideas proposal proposals proposed "
    "alternative alternatives considered question questions wishlist backlog hypothesis hypotheses example examples draft "
    "removal cleanup timeline archive archived discarded replaced renamed unused postmortem originally e.g wrong false "
    "incorrect myth rumour rumor misconception mistake outdated background before next later dead quote then was once 오해 "
    "틀림 잘못 이력 과거 예전 이전 배경 계획 예정 할일 다음 향후 앞으로 나중 나중에 대안 검토 기각 기각됨 반려 제안 아이디어 질문 논의 초안 보류 예시 예 "
    "로드맵 백로그 옛 폐기 폐지 대체 대체됨 이관 옮긴 미사용 기존"
)
# Behind the first word of a heading these show that it rules what is under it: "Dropped in 2.0", not "Draft orders".
FOLLOWING = (
    "in on since by from with and or as for of during things stuff files folders code functions methods names modules "
    "features settings flags options steps step work items alternatives ideas questions plans notes approaches later 것 "
    "것들 파일 코드 기능 함수 항목 옵션 사항 일 작업 계획 단계 이력 설정 모듈"
)
# The same in a record of a decision: what was so before it.
OF_RECORDS = "context problem motivation situation forces issue 맥락 상황 문제 문제점"
# A record with one of these as its status asserts nothing.
OPEN = "rejected proposed draft superseded deprecated obsolete withdrawn abandoned 폐기 폐기됨 반려 대체됨 제안 초안 기각 기각됨"
