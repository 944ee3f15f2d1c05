/** What fails again and again is told as an Event of the object that it is about. */
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

/** Whoever dies in between tells nothing, and that may happen once or twice. */
const often = 4;

/** Of an Event that is told again and again, the longest that it may be silent; and of what is not worth another one. */
const longest = 10 * 60_000;

interface EventObject extends KubeObject {
  type?: string;
  involvedObject?: { uid?: string };
}
interface Launch {
  TagSpecifications?: { Tags: { Key: string; Value: string }[] }[];
}

export const warned = ({ world }: Setting): Invariant => {
  const { clock } = world;
  /** By the uid of the AWSMachine: launches that failed, as their caller saw it. */
  const failures = new Map<string, number>();
  /** The same: when that was last told, and when the last launch was refused. */
  const told = new Map<string, number>();
  const refused = new Map<string, number>();
  /** The same: of those that went on being refused, for how long without a word. */
  const silent = new Map<string, number>();
  return {
    onCommit: ({ type, object }) => {
      const { type: severity, involvedObject } = (object ?? {}) as Partial<EventObject>;
      if (type === 'events' && severity === 'Warning' && involvedObject?.uid) told.set(involvedObject.uid, clock.now());
    },
    onCall: ({ action, input, outcome }) => {
      if (action !== 'RunInstances' || outcome === 'done') return;
      const tags = (input as Launch).TagSpecifications?.[0]?.Tags ?? [];
      const uid = tags.find(({ Key }) => Key === 'capstan.dev/machine-uid')?.Value ?? '';
      failures.set(uid, (failures.get(uid) ?? 0) + 1);
      const before = refused.get(uid) ?? Number.NEGATIVE_INFINITY;
      refused.set(uid, clock.now());
      const since = told.get(uid);
      // After a time in which nothing was asked for it begins anew.
      if (since === undefined || clock.now() - before > longest) return;
      silent.set(uid, Math.max(silent.get(uid) ?? 0, clock.now() - since));
    },
    atEnd: () => {
      for (const { metadata } of world.mirror.all<AWSMachine>('AWSMachine')) {
        const count = failures.get(metadata.uid!) ?? 0;
        if (count >= often && !told.has(metadata.uid!))
          throw new Violation('warned', `${metadata.name} was refused ${count} times, and no Event says so`);
        const without = silent.get(metadata.uid!) ?? 0;
        if (count >= often && without > longest && !world.isDisturbed)
          throw new Violation(
            'warned',
            `${metadata.name} was refused for ${without / 60_000} minutes without another word`,
          );
      }
    },
  };
};
