/** Protected means all of it: no part of the cluster goes by any way, as long as its annotation is there. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
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
  const isMember = ({ metadata: { labels = {} } }: KubeObject, cluster: string | undefined): boolean =>
    cluster !== undefined && labels[clusterName] === cluster && 'cluster.x-k8s.io/control-plane' in labels;
  return {
    onCommit: ({ object, before, event, writer }) => {
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
      // A restore deletes all members, a user never the last one.
      const cluster = labels[clusterName];
      if (one.kind === 'Machine' && !writer && isMember(one, cluster) && isProtected(namespace, cluster!)) {
        const stays = (other: KubeObject) =>
          other.metadata.namespace === namespace && isMember(other, cluster) && !isGoing(other);
        if (!mirror.all('Machine').some(stays)) throw broken(`a user deletes ${name}, the last control-plane Machine`);
      }
      if (!carrying.includes(one.kind)) return;
      if (one.kind === 'Cluster') {
        if (before?.metadata.annotations?.[protection] === 'true') throw broken(`Cluster ${name} is being deleted`);
      } else if (isProtected(namespace, labels[clusterName] ?? name))
        throw broken(`${one.kind} ${name} is being deleted`);
    },
  };
};
