/** Positions grow, times are told as Kubernetes tells them, and no status says what is not so. */

import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { unheard } from './patience.ts';

const isTrue = (object: KubeObject | undefined, type: string) =>
  (object?.status as { conditions?: Condition[] } | undefined)?.conditions?.some(
    (one) => one.type === type && one.status === 'True',
  ) ?? false;

/** As metav1.Time prints them. */
const isTime = (text: string | undefined) => text === undefined || /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z$/.test(text);

export const truth = ({ world, has }: Setting): Invariant => {
  const positions = new Map<string, number>();
  const { account, guests } = world;
  let served = Number.NEGATIVE_INFINITY;
  return {
    onCommit: ({ type, position, namespace, name, object, before }) => {
      const id = `${type} ${namespace}/${name}`;
      const last = positions.get(id) ?? 0;
      if (position <= last) throw new Violation('positions grow', `${id} at ${position}, after ${last}`);
      positions.set(id, position);
      if (guests.clusters.all().length > 0) served = world.clock.now();
      if (!object) return;
      const { generation = 0, uid } = object.metadata;
      const { observedGeneration, conditions = [] } = (object.status ?? {}) as {
        observedGeneration?: number;
        conditions?: Condition[];
      };
      const { creationTimestamp, deletionTimestamp } = object.metadata;
      const odd = [creationTimestamp, deletionTimestamp].find((time) => !isTime(time));
      if (odd !== undefined) throw new Violation('truth', `${id} tells a time as ${odd}`);
      const seen = Math.max(observedGeneration ?? 0, ...conditions.map((one) => one.observedGeneration ?? 0));
      if (seen > generation) throw new Violation('truth', `${id} observed generation ${seen} of ${generation}`);
      if (before && before.metadata.uid === uid && (before.metadata.generation ?? 0) > generation)
        throw new Violation('truth', `the generation of ${id} went back to ${generation}`);
      if (object.kind === 'AWSMachine' && isTrue(object, 'Ready') && !isTrue(before, 'Ready')) {
        const instance = (object as AWSMachine).spec?.instanceID;
        const found = account.list().find((one) => one.id === instance);
        if (!found || found.state === 'pending')
          throw new Violation('truth', `${id} is Ready with ${instance} ${found?.state}`);
      }
      if (object.kind === 'Cluster' && isTrue(object, 'Available') && !isTrue(before, 'Available')) {
        const cluster = object as Cluster;
        const host = cluster.spec?.controlPlaneEndpoint?.host;
        // An API that was lost just now may still be told of: what a probe saw is said a pass or two later.
        if (!host || world.clock.now() - served > unheard(has))
          throw new Violation('truth', `${id} is Available without an API`);
      }
    },
  };
};
