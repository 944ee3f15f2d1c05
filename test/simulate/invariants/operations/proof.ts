import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { DeleteStep } from '../../../../kinds/operations/delete/steps.ts';
import type { Rule } from '../rule.ts';

const isOver = (state: string) => /terminat|delet|shutting/.test(state);

export const proof: Rule = ({ world, has }, broken) => {
  const { account, mirror } = world;
  const ofAccount = (uid: string, types: RegExp) =>
    account.list().filter(({ type, tags, state }) => {
      return types.test(type) && tags['capstan.dev/cluster-uid'] === uid && !isOver(state);
    });
  /**
   * Instances that an AWSMachine still names. A Machine whose finalizer a user removed may leave
   * its instance for a while.
   */
  const instancesOf = (uid: string, isControlPlane: boolean) => {
    const machines = mirror
      .all<Machine>('Machine')
      .filter(({ metadata: { labels = {} } }) => 'cluster.x-k8s.io/control-plane' in labels === isControlPlane)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const ids = mirror
      .all<AWSMachine>('AWSMachine')
      .filter(({ metadata }) => machines.includes(`${metadata.namespace}/${metadata.name}`))
      .map(({ spec }) => spec?.instanceID);
    return ofAccount(uid, /^instance$/).filter(({ id }) => ids.includes(id));
  };
  const left: Record<DeleteStep, (uid: string) => { id: string }[]> = {
    DeleteWorkers: (uid) => instancesOf(uid, false),
    DeleteControlPlane: (uid) => instancesOf(uid, true),
    DeleteLoadBalancers: (uid) => ofAccount(uid, /^load-balancer$/),
    DeleteNetwork: (uid) => ofAccount(uid, /^(vpc|subnet|natgateway|internet-gateway|route-table)$/),
    // Copies of disks that a restore kept aside stay.
    Prove: (uid) => ofAccount(uid, /^(?!network-interface|snapshot)/),
  };
  const verdictsOf = (operation: ClusterOperation | undefined) =>
    new Map((operation?.status?.steps ?? []).map(({ name, verdict }) => [name, verdict]));
  const fail = (operation: ClusterOperation, what: string) => {
    throw broken(`${operation.metadata.name} ${what}`);
  };
  /** After a teardown only what the users wrote is left. */
  const expectTornDown = (operation: ClusterOperation, uid: string) => {
    const ids = left.Prove(uid).map(({ id }) => id);
    if (ids.length > 0) fail(operation, `is TornDown, but ${ids.join()} remains`);
    for (const kind of ['Cluster', 'AWSCluster'] as const)
      for (const { metadata, spec } of mirror.all<Cluster | AWSCluster>(kind))
        if (metadata.name === operation.spec?.clusterName && metadata.namespace === operation.metadata.namespace)
          if (spec?.controlPlaneEndpoint?.host)
            fail(operation, `is TornDown, but ${kind} ${metadata.name} has an endpoint`);
  };
  return {
    onCommit: ({ object, before }) => {
      if (object?.kind !== 'ClusterOperation') return;
      const operation = object as ClusterOperation;
      // A frozen worker may create a resource after the teardown; a later scan finds it.
      if (has('worker.late') || has('worker.frozen')) return;
      const uid = operation.metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.uid;
      const was = (before as ClusterOperation | undefined)?.status?.phase;
      if (uid && operation.status?.phase === 'TornDown' && was !== 'TornDown') expectTornDown(operation, uid);
      if (operation.spec?.type !== 'delete') return;
      const known = verdictsOf(before as ClusterOperation | undefined);
      for (const [step, verdict] of verdictsOf(operation)) {
        if (!uid || verdict !== 'Succeeded' || known.get(step) === verdict) continue;
        const ids = left[step as DeleteStep]?.(uid).map(({ id }) => id) ?? [];
        if (ids.length > 0) fail(operation, `reports ${step} done, but ${ids.join()} remains`);
      }
    },
  };
};
