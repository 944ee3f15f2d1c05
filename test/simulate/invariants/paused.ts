/** Of a cluster that is paused nothing is made, changed or ended. */
import type { Cluster } from '../../../kinds/cluster/index.ts';
import { isMutating } from '../../../kinds/ports/cloud.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { underWay } from './patience.ts';

export const paused = ({ world, has }: Setting): Invariant => {
  const { clock, mirror } = world;
  const since = new Map<string, number>();
  return {
    onCommit: ({ type, namespace, name, object }) => {
      if (type !== 'clusters.cluster.x-k8s.io') return;
      const isPaused = (object as Cluster | undefined)?.spec?.paused === true;
      const id = `${namespace}/${name}`;
      if (!isPaused) since.delete(id);
      else if (!since.has(id)) since.set(id, clock.now());
    },
    onCall: ({ action, happened }) => {
      if (!happened || !isMutating(action) || has('worker.late')) return;
      const clusters = mirror.all('Cluster');
      // Of which of several a call is, it does not say.
      if (clusters.length === 0 || since.size < clusters.length) return;
      const last = Math.max(...since.values());
      // What was decided before goes on.
      if (clock.now() - last > underWay(has))
        throw new Violation('pauses', `${action}, ${Math.round((clock.now() - last) / 1000)} s after all was paused`);
    },
  };
};
