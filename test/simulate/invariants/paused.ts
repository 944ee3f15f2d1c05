/** Of a cluster that is paused nothing is made, changed or ended, in the account or of its objects. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import { isMutating } from '../../../kinds/ports/cloud.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { underWay } from './patience.ts';

const acting = new Set(['kubeadm-control-plane', 'machine-deployment', 'machine-set', 'machine']);
const parts = /^(Machine|MachineSet|AWSMachine|KubeadmConfig)$/;

export const paused = ({ world, has }: Setting): Invariant => {
  const { clock, mirror } = world;
  const since = new Map<string, number>();
  const expectStill = ({ kind, metadata }: KubeObject, isNew: boolean, before: KubeObject | undefined) => {
    const isDeletion = metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
    if (!parts.test(kind) || (!isNew && !isDeletion) || has('worker.late')) return;
    const at = since.get(`${metadata.namespace}/${metadata.labels?.['cluster.x-k8s.io/cluster-name']}`);
    if (at !== undefined && clock.now() - at > underWay(has))
      throw new Violation(
        'pauses',
        `${kind} ${metadata.name} ${isNew ? 'is made' : 'goes'} while its cluster is paused`,
      );
  };
  return {
    onCommit: ({ type, namespace, name, event, object, before, writer }) => {
      if (object && acting.has(writer ?? '')) expectStill(object, event === 'ADDED', before);
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
