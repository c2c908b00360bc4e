"""English words that take what a sentence says out of the present: denied, planned, supposed, reported, past. Data.

Markers are phrases. A word in braces is one of a class, "_" is a name, "*" up to four words; those of `BETWEEN` may
stand between, too. What a phrase governs is told by the table it is in. A marker that is missing makes a memory look
like an assertion; one too many only leaves it unverified.
"""

from __future__ import annotations

CLASSES = {
    "change": (
        "remove delete drop rename move replace retire split merge fold migrate deprecate inline extract switch bump "
        "upgrade downgrade convert swap kill ditch scrap axe sunset decommission consolidate raise lower rewrite cut "
        "eliminate abandon discard unplug discontinue restore revert purge unify factor trim prune phase absorb rip "
        "tear"
    ),
    "changing": (
        "removing deleting dropping renaming moving replacing retiring splitting merging folding migrating "
        "deprecating inlining extracting bumping upgrading downgrading converting swapping killing ditching scrapping "
        "axing sunsetting decommissioning consolidating rewriting cutting eliminating abandoning discarding "
        "discontinuing phasing"
    ),
    "changed": (
        "removed deleted dropped renamed moved replaced retired split merged folded migrated deprecated inlined "
        "extracted swapped killed ditched scrapped axed sunset decommissioned consolidated rewritten cut eliminated "
        "ripped torn thrown phased purged unified collapsed absorbed superseded trimmed pruned abandoned discarded "
        "unplugged dismantled nuked discontinued taken pulled gone chopped zapped dissolved binned culled stripped "
        "wiped converted raised lowered bumped upgraded obsoleted shelved redone"
    ),
    "gave": (
        "stopped quit ceased abandoned discarded scrapped axed killed ditched nuked eliminated sunset decommissioned "
        "retired dismantled unplugged gutted binned culled chopped shelved jettisoned outgrew discontinued purged"
    ),
    "make": "add introduce create write adopt try build make use have",
    "not": (
        "not never no don't doesn't didn't won't can't cannot couldn't shouldn't mustn't isn't aren't wasn't weren't "
        "hasn't haven't hadn't wouldn't needn't ain't hardly nowhere stop"
    ),
    "nobody": "nobody nothing none neither nor",
    "use": (
        "use uses using used call calls calling import imports importing imported invoke invokes need needs require "
        "requires reference references depend depends rely relies want wants exist bring recreate reintroduce restore "
        "readd resurrect revive reinstate rebuild have find see look add touches touch consume consumes keep create "
        "adopt return go going come reads mention mentions remembers knows"
    ),
    "used": (
        "used called imported invoked needed required referenced wanted exist existed exists there present available "
        "supported maintained reachable wired around alive included shipped loaded survive survived here defined "
        "declared"
    ),
    "modal": (
        "will shall should could might may must would can won't ought let's lets we'll i'll i'd we'd it'll need "
        "needs"
    ),
    "be": "is are was were been being get gets got getting has have had it's they're",
    "plan": (
        "plan plans planned planning want wants wanted intend intends intended hope hopes hoping aim aims aiming like "
        "going about decide decides decided agree agreed propose proposes proposed suggest suggested ought due "
        "scheduled slated meant trying tried voted supposed prepare preparing wish expect expected tempted"
    ),
    "due": "need needs have has ought is are",
    "we": "we you i they anyone someone somebody you're we're",
    "lived": "lived sat stood went came stayed resided was were",
    "in": "in at under below inside",
    "if": "if should unless once when whenever",
    "said": (
        "said claimed thought believed assumed believes thinks argues argued insists insisted suspects suspected "
        "heard suggested proposed recommends advises suggests wondered wonders allegedly supposedly apparently "
        "reportedly recommended advised guessed"
    ),
    "past": (
        "ran held kept took did had made went sat stood came gave got wrote sent let was were put lived grew began "
        "broke brought built bought chose drew drove fell felt found knew led left lost met paid said saw sold spent "
        "told thought threw won became hid bound swept looked"
    ),
    "get": "get gets getting have has having want wants give gives take takes got",
    "fooled": "confused fooled misled surprised irritated tempted",
}
BETWEEN = (
    "ever also then just now still yet already really actually probably likely eventually soon simply finally "
    "please first later all again even only always completely fully entirely longer more we both currently the a "
    "an any our that this these to be its it as some"
)
# What stands behind the phrase, in its clause.
BEHIND = (
    "{not} {use}, {nobody} {use}, {nobody} {modal} {use}, riddance to, rip _, were it not for, was it not for, "
    "done with, finished with, looking for, searching for, to {change}, nothing left of, nothing remains of, "
    "{lived} {in} _, {not} _, {not} in _, {not} via _, {not} from _, {not} through _, {not} at _, "
    "no need for, no reason for, no trace of, avoid, refrain from, steer clear of, stay away from, away from, "
    "do without, doing without, did without, free of, rid of, bring back, bringing back, brought back, "
    "go back to, going back to, went back to, reintroduce, reintroducing, resurrect, resurrecting, revive, "
    "reviving, reinstate, recreate, return to, gave up on, giving up, {gave}, threw out, threw away, ripped out, "
    "tore out, took out, {plan} {change}, {plan} {make}, {modal} {change}, {modal} {plan} {change}, will {make}, "
    "shall {make}, {changing}, getting rid of, thinking of, thinking about, talk of, considering, considered, "
    "consider, idea of, propose, proposal, alternative to, successor to, successor of, replacement for, "
    "{fooled} by, compared with, compared to, unlike, as opposed to, versus, goodbye to, bye to, migrated off, "
    "moved off, moved away from, weaned off, minus, sans, in place of, in lieu of, independent of"
)
# What stands in front of it.
BEFORE = (
    "{not} {used}, {not} in use, {not} come back, {not} return, {not} make it, {not} part of, no longer, no more, "
    "{be} {changed}, {be} going away, {be} going, {be} leaving, {be} on way out, {be} on their way out, "
    "{be} on way, {be} dead, {be} temporary, {be} over, {be} past, {be} thing of past, {be} marked for, "
    "{be} no future, {be} doomed, {be} history, {be} toast, {be} obsolete, {be} legacy, {be} scheduled, "
    "{be} slated, {be} {changing}, {modal} {changed}, {modal} called _, {modal} named _, {modal} live in _, "
    "{modal} disappear, {modal} end up, {modal} be dead, out of picture, out of way, out of game, out of code, "
    "out of equation, {modal} vanish, {modal} go, {modal} die, {modal} leave, {modal} move, {modal} retire, "
    "{due} go, {due} {changed}, {plan} {changed}, {plan} go, up for removal, went away, died, disappeared, "
    "vanished, evaporated, bit dust, has left, have left, turned into, became, lingers, linger, {be} out, "
    "{due} change, {modal} change, {be} redundant, {be} superfluous, {be} unnecessary, {be} unneeded, "
    "{be} defunct, {be} extinct, {be} forgotten, {be} unmaintained, goes away, go away, got boot, got chop, "
    "got axe, made way, gave way, had to go, {modal} be gone, fell out of use, {be} out of use, {be} end of life, "
    "had its day, in bin, {be} up for"
)
# All of its clause.
CLAUSE = (
    "used to, would, had been, would've, could have, maybe, perhaps, someday, some day, one day, at some point, "
    "in future, in past, wish, hypothetically, next quarter, next sprint, next release, next version, next month, "
    "next year, on roadmap, once sat, once lived, once was, once were, once had, once stood, once ran, once held, "
    "once did, there was, there were, took * out, take * out, taking * out, pulled * out, cut * out, tore * out, "
    "ripped * out, threw * out, threw * away, chose * over, chosen * over, preferred * over, picked * over, "
    "worth having, worth adding, {get} * back"
)
# All of its sentence.
SENTENCE = (
    "last seen, "
    "had we, had i, were we to, suppose, supposing, imagine, what if, pretend, {if} {we} {change}, {if} {we} had, "
    "{if} {we} decide, {if} {we} go back, {if} {we} went back, {if} {we} want back, {if} {we} revisit, "
    "{if} {we} bring, {if} {we} return, if _ were, if _ had, if _ is {changed}, if _ gets {changed}, "
    "if _ existed, if _ returns, if _ came back, if _ comes back, according to, {said}, asked * to, asked for, "
    "asked whether, asked if, claims that, claims _, says that, says _, back then, back when, in those days, "
    "at the time, at that time, years ago, months ago, weeks ago, long ago, last year, last month, last spring, "
    "last summer, last autumn, last winter, in first version, in original, in early versions, "
    "in earlier versions, in older versions, in old versions, until recently, until last, until then, "
    "historically, formerly, previously, in beginning, in old days, before that, before rewrite, "
    "before migration, before refactor, before move, before split, before switch, before upgrade, something like, "
    "_ - style, _ - like, _ - ish, hunch, my guess, impression that, feeling that, opinion that, "
    "in case of rollback, in hindsight, with hindsight"
)
# These end what a phrase governs: "does not start without X" says that X is there.
TAKEN_BACK = "without unless until except other but call run pass"
# A clause begins with these.
JOINTS = "but because so while whereas although though however whose"
# Past tenses that are no participles: where one stands, and no verb of the present, a clause is of the past.
PAST = (
    "ran did had went sat stood came gave got wrote was were took lived grew began broke chose drew drove fell "
    "felt knew led rose spoke threw won became swept saw"
)
PRESENT = (
    "is are am isn't aren't has have hasn't haven't do does don't doesn't can cannot can't must should shall will "
    "won't may might needs need it's they're we're you're that's there's"
)
# Behind an "-ed" these show that it is a verb: "guarded every route", not "retired topics".
OBJECTS = (
    "a an the every each all any no some our its their his her my your us it them him at in on by to from for "
    "with into over under up down off out away back about after before because than and or when while until as "
    "through twice again badly more less too"
)
# "was" and one of these tells how something came to be, not that it went.
CAME = (
    "added introduced built created written implemented designed chosen meant made developed born extracted"
)
# Behind a name these tell of the present: "`X` defined in".
STATES = (
    "based called named defined needed required used imported located found shared included provided generated "
    "exported stored kept set declared implemented written tested mounted configured supposed marked expected "
    "allowed supported related returned created built raised fed need embed seed feed speed exceed proceed indeed "
    "shed red bed cached documented described installed pinned locked wrapped nested combined mixed encoded "
    "signed added released"
)
# Headings, labels in front of a colon, heads of columns, cells: what they rule is gone,
GONE = "removed deleted dropped gone retired deletions removals killed axed decommissioned"
# or is not asserted.
DOUBTFUL = (
    "deprecated obsolete legacy old former formerly previously previous superseded rejected abandoned history "
    "changelog past plan plans planned planning roadmap todo todos to-do fixme future idea ideas proposal "
    "proposals proposed alternative alternatives considered question questions wishlist backlog hypothesis "
    "hypotheses example examples draft removal cleanup timeline archive archived discarded replaced renamed "
    "unused postmortem originally e.g wrong false incorrect myth rumour rumor misconception mistake outdated "
    "background before next later dead quote then was once remaining goal goals blocked pending"
)
# Headings with one of these are of what somebody did: what stands under them is there.
DEEDS = (
    "modified changed edited updated touched altered fixed resolved solved corrected repaired patched completed "
    "complete done finished added created introduced implemented built written wrote made accomplished achieved "
    "delivered shipped released merged committed deployed refactored improved optimized optimised extended enabled "
    "configured installed tested verified checked reviewed investigated examined explored analyzed analysed "
    "learned learnt found discovered discussed decided agreed documented covered addressed affected involved"
)
# Behind the first word of a heading these show that it rules what is under it: "Dropped in 2.0", not "Draft orders".
FOLLOWING = (
    "in on since by from with and or as for of during things stuff files folders code functions methods names "
    "modules features settings flags options steps step work items alternatives ideas questions plans notes "
    "approaches later"
)
# Headings that rule so in the record of a decision: what was so before it.
OF_RECORDS = "context problem motivation situation forces issue"
# A record with one of these as its status asserts nothing.
OPEN = "rejected proposed draft superseded deprecated obsolete withdrawn abandoned"
