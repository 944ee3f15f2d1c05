/** A machine whose instance was ended outside says that it failed, and an Event tells of it. */
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'ended';
/** Events are written after the status that they are about. */
const soon = 5 * 60_000;

export const ended = ({ world, has }: Setting): Invariant => {
  const { clock } = world;
  const told = new Set<string>();
  /** By uid: since when their instance is known to have ended. */
  const since = new Map<string, number>();
  const expectTold = (uid: string, name: string) => {
    const at = since.get(uid);
    if (at === undefined || told.has(uid) || clock.now() - at < soon) return;
    // Whoever dies in between tells nothing.
    if (has('worker.crashed') || has('worker.frozen') || has('table.throttled') || has('table.unknown')) return;
    throw new Violation(rule, `no Event tells that the instance of ${name} was ended`);
  };
  return {
    onCommit: ({ type, uid, event, object, before }) => {
      if (type === 'events') {
        const { type: severity, involvedObject } = (object ?? {}) as {
          type?: string;
          involvedObject?: KubeObject['metadata'];
        };
        if (severity === 'Warning' && involvedObject?.uid) told.add(involvedObject.uid);
      }
      if (event === 'DELETED' && before?.kind === 'AWSMachine') expectTold(uid, before.metadata.name);
      if (object?.kind !== 'AWSMachine') return;
      const { metadata, status } = object as AWSMachine;
      const isEnded = status?.instanceState === 'terminated' && !metadata.deletionTimestamp;
      if (isEnded && !status.failureReason)
        throw new Violation(rule, `${metadata.name} does not say that it failed, and its instance is terminated`);
      if (isEnded && !since.has(uid)) since.set(uid, clock.now());
    },
    atEnd: () => {
      for (const { metadata } of world.mirror.all<AWSMachine>('AWSMachine')) expectTold(metadata.uid!, metadata.name);
    },
  };
};
