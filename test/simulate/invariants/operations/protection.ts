/** Protected means all of it: no part of the cluster goes by any way, as long as its annotation is there. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import { clusterName, isGoing } from '../relations.ts';
import type { Rule } from '../rule.ts';

const protection = 'capstan.dev/protected';
const carrying = ['Cluster', 'AWSCluster', 'KubeadmControlPlane', 'MachineDeployment'];
const key = /-(ca|etcd|sa|proxy)$/;

export const protectedParts: Rule = ({ world: { mirror } }, broken) => {
  const isProtected = (namespace: string, name: string): boolean => {
    const cluster = mirror.get<Cluster>('Cluster', namespace, name);
    return cluster?.metadata.annotations?.[protection] === 'true' && !isGoing(cluster);
  };
  return {
    onCommit: ({ object, before, event }) => {
      const one = object ?? before;
      if (!one || (object && !isGoing(object)) || (before && isGoing(before) && object)) return;
      const { namespace = '', name, labels = {} } = one.metadata;
      if (
        one.kind === 'Secret' &&
        key.test(name) &&
        event === 'DELETED' &&
        isProtected(namespace, name.replace(key, ''))
      )
        throw broken(`Secret ${name} is gone`);
      if (!carrying.includes(one.kind)) return;
      if (one.kind === 'Cluster') {
        if (before?.metadata.annotations?.[protection] === 'true') throw broken(`Cluster ${name} is being deleted`);
      } else if (isProtected(namespace, labels[clusterName] ?? name))
        throw broken(`${one.kind} ${name} is being deleted`);
    },
  };
};
