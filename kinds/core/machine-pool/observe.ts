import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Context,
  found,
  mapRead,
  type Read,
  type Reader,
  type Withheld,
} from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf } from '../../common/names.ts';
import type { Access, WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { isDeleting } from '../contract/machines.ts';
import { asNodeOwner } from '../contract/pool-as-machine.ts';
import { follow, unlessAnothers } from '../contract/references.ts';
import { snapshotOf } from '../contract/workload-snapshot.ts';
import { nodePatch } from '../machine/node-patch.ts';
import type { Machine } from '../machine/schema.ts';
import { accessTo, nodeNow } from '../shared/node-access.ts';
import { nodesOf } from './hosts.ts';
import { machineKindOf, providerIdsOf } from './infrastructure.ts';
import type { MachinePool } from './schema.ts';

export interface Observed {
  pool: MachinePool;
  cluster: Read<Cluster>;
  infrastructure: Read<KubeObject>;
  /** The infrastructure that it names is another object's, and counts as absent. */
  isAnothers: boolean;
  /** Undefined if the user supplies the bootstrap data. */
  bootstrapConfig: Read<KubeObject> | undefined;
  snapshot: WorkloadSnapshot | undefined;
  access: Access | undefined;
  /** Its Nodes in the snapshot. */
  nodes: WorkloadNode[];
  /** The live Nodes that lack what the pool writes on them, a few at a time. */
  stale: Read<KubeObject>[];
  /** Its Machines; read for an infrastructure that has an object for each host, and for a deletion. */
  machines: Read<Machine[]>;
  infraMachines: Read<KubeObject[]>;
  withheld: Withheld | undefined;
  now: number;
}

/** Nodes that one pass writes on. */
export const atOnce = 10;

const none: Read<never[]> = { state: 'found', value: [] };

/** The owner of the Nodes of `pool` in the form that decides what is written on them. */
export const nodeOwners = (pool: MachinePool) => ({
  machine: asNodeOwner(pool),
  machineSet: undefined,
  machineDeployment: undefined,
  infraMachine: undefined,
});

const staleNodes = (pool: MachinePool, nodes: readonly WorkloadNode[]): string[] =>
  nodes.filter((node) => nodePatch(node, nodeOwners(pool))).map(({ name }) => name);

export const observe = (pool: MachinePool, read: Reader, { now, withheld }: Context): Observed => {
  const { namespace = '', name, uid = '' } = pool.metadata;
  const { clusterName = '', template } = pool.spec ?? {};
  const { infrastructureRef, bootstrap } = template?.spec ?? {};
  const cluster = read.get('Cluster', { namespace, name: clusterName });
  const named: Read<KubeObject> = infrastructureRef
    ? follow(read, namespace, infrastructureRef, 'InfrastructureMachinePool')
    : { state: 'absent' };
  const infrastructure = unlessAnothers(pool, named);
  const isAnothers = infrastructure !== named;
  const bootstrapConfig =
    bootstrap?.configRef && unlessAnothers(pool, follow(read, namespace, bootstrap.configRef, 'BootstrapConfig'));
  const snapshot = snapshotOf(read, { namespace, name: clusterName }, found(cluster));
  const there = found(infrastructure);
  const kind = there && machineKindOf(there);
  const hosts = isAnothers ? [] : pool.spec?.providerIDList;
  const nodes = nodesOf(snapshot, there ? providerIdsOf(there) : hosts);
  const access = accessTo(read, namespace, clusterName);
  const writes = !isDeleting(pool) && !withheld?.releases && kind === undefined && access !== undefined;
  const stale = writes ? staleNodes(pool, nodes).slice(0, atOnce) : [];
  const matchLabels = { [labels.pool]: labelValueOf(name) };
  return {
    pool,
    cluster,
    infrastructure,
    isAnothers,
    bootstrapConfig,
    snapshot,
    access,
    nodes,
    stale: stale.map((node) => nodeNow(read, access, node)),
    machines: kind !== undefined || isDeleting(pool) ? read.list('Machine', { namespace, owner: uid }) : none,
    infraMachines:
      kind === undefined
        ? none
        : ofKind(
            read.list({ role: 'InfrastructureMachine' }, { namespace, cluster: clusterName, labels: { matchLabels } }),
            kind,
          ),
    withheld,
    now,
  };
};

const ofKind = (read: Read<KubeObject[]>, kind: string): Read<KubeObject[]> =>
  mapRead(read, (objects) => objects.filter((one) => one.kind === kind));
