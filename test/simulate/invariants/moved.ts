/** What a Cluster leaves behind that is moved, or comes back from a backup, belongs to another one: nobody touches it until its tags say to whom. */
import { deleteForMove } from '../../../kinds/core/cluster/protection.ts';
import { isMutating } from '../../../kinds/ports/cloud.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

export const isMoved = (object: KubeObject | undefined): boolean =>
  object?.metadata.annotations?.[deleteForMove] !== undefined;

/** Whoever has an instance has these, too. */
const goesWithInstance = /^(volume|network-interface)$/;

export const moved = ({ world, has }: Setting): Invariant => {
  const { account } = world;
  const uids = new Set<string>();
  // Whoever stood still does what was decided before.
  const isStrict = !has('worker.frozen') && !has('worker.late');
  world.onAsked((asked) => {
    if (uids.size === 0 || !isStrict || asked.door !== 'cloud' || !isMutating(asked.action)) return;
    const text = JSON.stringify(asked.input);
    for (const { id, type, tags } of account.list())
      if (uids.has(tags['capstan.dev/cluster-uid'] ?? '') && text.includes(`"${id}"`) && !goesWithInstance.test(type))
        throw new Violation('moved', `${asked.action} of ${type} ${id} of a Cluster that was moved`);
  });
  return {
    onCommit: ({ event, uid, before }) => {
      if (event === 'DELETED' && before?.kind === 'Cluster' && isMoved(before)) uids.add(uid);
    },
  };
};
