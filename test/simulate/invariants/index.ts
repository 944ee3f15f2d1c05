/** What must hold after every event; each file is one rule, or a few that look at the same. */
import { addresses } from './addresses.ts';
import { admitted } from './admitted.ts';
import { agreed } from './agreed.ts';
import { applied } from './applied.ts';
import { asked } from './asked.ts';
import { balanced } from './balanced.ts';
import { belonging } from './belonging.ts';
import { blocks } from './blocks.ts';
import { booted } from './booted.ts';
import { brief } from './brief.ts';
import { brought } from './brought.ts';
import { budget } from './budget.ts';
import { busy } from './busy.ts';
import { cancelled } from './cancelled.ts';
import { changes } from './changes.ts';
import { chosen } from './chosen.ts';
import { closed } from './closed.ts';
import { concluded } from './concluded.ts';
import { counted } from './counted.ts';
import { drained } from './drained.ts';
import { ended } from './ended.ts';
import { ending } from './ending.ts';
import { followed } from './followed.ts';
import { foreign } from './foreign.ts';
import { forgiven } from './forgiven.ts';
import { founded } from './founded.ts';
import { inherited } from './inherited.ts';
import { inside } from './inside.ts';
import { installed } from './installed.ts';
import { instances } from './instances.ts';
import type { CloudCall, Invariant, Setting } from './invariant.ts';
import { joined } from './joined.ts';
import { judged } from './judged.ts';
import { kept } from './kept.ts';
import { lacking } from './lacking.ts';
import { lasting } from './lasting.ts';
import { launched } from './launched.ts';
import { limited } from './limited.ts';
import { lineage } from './lineage.ts';
import { looked } from './looked.ts';
import { made } from './made.ts';
import { marked } from './marked.ts';
import { moved } from './moved.ts';
import { newest } from './newest.ts';
import { noted } from './noted.ts';
import { opened } from './opened.ts';
import { operations } from './operations.ts';
import { order } from './order.ts';
import { orphans } from './orphans.ts';
import { owners } from './owners.ts';
import { paused } from './paused.ts';
import { proven } from './proven.ts';
import { quorum } from './quorum.ts';
import { reachable } from './reachable.ts';
import { recorded } from './recorded.ts';
import { remediated } from './remediated.ts';
import { repeated } from './repeated.ts';
import { reported } from './reported.ts';
import { reserved } from './reserved.ts';
import { resolved } from './resolved.ts';
import { resting } from './resting.ts';
import { restless } from './restless.ts';
import { rollout } from './rollout.ts';
import { secrets } from './secrets.ts';
import { setup } from './setup.ts';
import { shape } from './shape.ts';
import { silent } from './silent.ts';
import { skew } from './skew.ts';
import { sparing } from './sparing.ts';
import { spread } from './spread.ts';
import { steady } from './steady.ts';
import { stepwise } from './stepwise.ts';
import { surge } from './surge.ts';
import { tagged } from './tagged.ts';
import { tokens } from './tokens.ts';
import { told } from './told.ts';
import { truth } from './truth.ts';
import { warned } from './warned.ts';
import { welcome } from './welcome.ts';

export { plant } from './foreign.ts';
export { type CloudCall, type Setting, Violation } from './invariant.ts';

export interface Invariants {
  onCall(call: CloudCall): void;
  atEnd(): Promise<void>;
}

export const createInvariants = (setting: Setting): Invariants => {
  const all: Invariant[] = [
    truth(setting),
    instances(setting),
    foreign(setting),
    forgiven(setting),
    quorum(setting),
    joined(setting),
    rollout(setting),
    secrets(setting),
    operations(setting),
    budget(setting),
    busy(setting),
    reachable(setting),
    remediated(setting),
    reported(setting),
    reserved(setting),
    resolved(setting),
    resting(setting),
    restless(setting),
    cancelled(setting),
    changes(setting),
    made(setting),
    moved(setting),
    owners(setting),
    closed(setting),
    concluded(setting),
    orphans(setting),
    warned(setting),
    ended(setting),
    kept(setting),
    lacking(setting),
    lasting(setting),
    launched(setting),
    order(setting),
    newest(setting),
    ending(setting),
    drained(setting),
    paused(setting),
    addresses(setting),
    admitted(setting),
    inside(setting),
    tokens(setting),
    told(setting),
    shape(setting),
    agreed(setting),
    asked(setting),
    booted(setting),
    chosen(setting),
    inherited(setting),
    installed(setting),
    setup(setting),
    spread(setting),
    surge(setting),
    tagged(setting),
    skew(setting),
    proven(setting),
    counted(setting),
    followed(setting),
    judged(setting),
    noted(setting),
    opened(setting),
    balanced(setting),
    blocks(setting),
    brought(setting),
    recorded(setting),
    repeated(setting),
    silent(setting),
    belonging(setting),
    founded(setting),
    stepwise(setting),
    marked(setting),
    welcome(setting),
    limited(setting),
    lineage(setting),
    looked(setting),
    brief(setting),
    sparing(setting),
    applied(setting),
    steady(setting),
  ];
  setting.world.mirror.onCommit((commit) => {
    for (const { onCommit } of all) onCommit?.(commit);
  });
  return {
    onCall: (call) => {
      for (const { onCall } of all) onCall?.(call);
    },
    atEnd: async () => {
      for (const { atEnd } of all) await atEnd?.();
    },
  };
};
