/** Of what is said to have lost its object the object has been gone for a while: an alarm that is none is believed once. */
import type { Installation } from '../../../kinds/capstan/installation/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'orphans';
/** An object may just have been made, or be on its way out. A little less than is promised, for clocks that go wrong. */
const grace = 4 * 60_000;
const owning = new Set(['clusters.cluster.x-k8s.io', 'awsmachines.infrastructure.cluster.x-k8s.io']);

export const orphans = ({ world }: Setting): Invariant => {
  const { clock, mirror } = world;
  const living = new Set(['Cluster', 'AWSMachine'].flatMap((kind) => mirror.all(kind)).map((one) => one.metadata.uid));
  const gone = new Map<string, number>();
  const expectLost = (id: string, uid: string) => {
    if (living.has(uid)) throw new Violation(rule, `${id} is said to have lost ${uid}, which is there`);
    const missed = clock.now() - (gone.get(uid) ?? Number.NEGATIVE_INFINITY);
    if (missed < grace)
      throw new Violation(rule, `${id} is said to have lost ${uid}, which went ${Math.round(missed / 1000)} s ago`);
  };
  return {
    onCommit: ({ type, event, uid, object, before }) => {
      if (owning.has(type) && event === 'ADDED') living.add(uid);
      if (owning.has(type) && event === 'DELETED') {
        living.delete(uid);
        gone.set(uid, clock.now());
      }
      if (object?.kind !== 'Installation') return;
      const known = new Set((before as Installation | undefined)?.status?.orphans?.map(({ id }) => id));
      for (const { id, clusterUid, machineUid } of (object as Installation).status?.orphans ?? [])
        if (!known.has(id)) expectLost(id, machineUid ?? clusterUid ?? '');
    },
  };
};
