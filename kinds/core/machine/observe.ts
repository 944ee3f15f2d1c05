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
import { controllerOf } from '../../common/owners.ts';
import { askWorkload } from '../../ports/index.ts';
import type { Access } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { isDeleting } from '../contract/machines.ts';
import { follow, unlessAnothers } from '../contract/references.ts';
import { snapshotOf } from '../contract/workload-snapshot.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import { rulesFor, selectsNamespaces } from '../machine-drain-rule/applies.ts';
import type { MachineDrainRule } from '../machine-drain-rule/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { accessTo, noAccess, nodeNow } from '../shared/node-access.ts';
import { type DeletionFacts, isDrainDue, isVolumeWaitDue, staysOfControlPlane, stepOf } from './deletion.ts';
import { type Drain, daemonSetKey, drainOf, isDrained } from './drain.ts';
import { isUnreachable, nodesOf } from './node.ts';
import { nodePatch, viewOf } from './node-patch.ts';
import type { Machine } from './schema.ts';

/** What the workload cluster reports about a Node that is being drained. */
export interface Emptying {
  node: Read<KubeObject>;
  drain: Read<Drain>;
  attachments: Read<KubeObject[]>;
  persistentVolumes: Read<KubeObject[]>;
}

export interface Observed extends DeletionFacts {
  withheld: Withheld | undefined;
  machineSet: MachineSet | undefined;
  machineDeployment: MachineDeployment | undefined;
  /** How to reach the workload cluster. */
  access: Access | undefined;
  /** The live Node; read only if the Machine will patch or delete it. */
  node: Read<KubeObject> | undefined;
  /** Present only while the Node is being drained. */
  emptying: Emptying | undefined;
}

const items = (read: Read<{ items: KubeObject[] }>): Read<KubeObject[]> => mapRead(read, (list) => list.items);

const readDrain = (
  read: Reader,
  facts: DeletionFacts,
  access: Access,
  name: string,
  node: Read<KubeObject>,
): Read<Drain> => {
  const { machine, cluster, now } = facts;
  const rules = read.list<MachineDrainRule>('MachineDrainRule', { namespace: machine.metadata.namespace ?? '' });
  const ownRules = rulesFor(found(rules) ?? [], machine, found(cluster));
  const namespaces: Read<{ items: KubeObject[] }> = selectsNamespaces(ownRules)
    ? askWorkload(read, 'list', { ...access, apiVersion: 'v1', kind: 'Namespace' })
    : { state: 'found', value: { items: [] } };
  const pods = askWorkload(read, 'list', {
    ...access,
    apiVersion: 'v1',
    kind: 'Pod',
    fieldSelector: `spec.nodeName=${name}`,
  });
  const daemonSets = askWorkload(read, 'list', { ...access, apiVersion: 'apps/v1', kind: 'DaemonSet' });
  if (rules.state !== 'found') return rules;
  if (pods.state !== 'found') return pods;
  if (namespaces.state !== 'found') return namespaces;
  if (daemonSets.state !== 'found') return daemonSets;
  if (node.state !== 'found') return node;
  const unreachable = isUnreachable(viewOf(node.value));
  const pending = {
    pods: pods.value.items,
    daemonSets: new Set(daemonSets.value.items.map(daemonSetKey)),
    rules: ownRules,
    namespaces: new Map(namespaces.value.items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
    unreachable,
    now,
  };
  return { state: 'found', value: drainOf(pending) };
};

const observeEmptying = (read: Reader, facts: DeletionFacts, access: Access | undefined, name: string): Emptying => {
  const node = nodeNow(read, access, name);
  const drain = access ? readDrain(read, facts, access, name, node) : noAccess;
  const isPastDrain = drain.state === 'found' && (isDrained(drain.value) || !isDrainDue(facts));
  const asksVolumes = isPastDrain && isVolumeWaitDue(facts);
  const list = (apiVersion: string, kind: string): Read<KubeObject[]> =>
    asksVolumes && access ? items(askWorkload(read, 'list', { ...access, apiVersion, kind })) : { state: 'unread' };
  return {
    node,
    drain,
    attachments: list('storage.k8s.io/v1', 'VolumeAttachment'),
    persistentVolumes: list('v1', 'PersistentVolume'),
  };
};

/** Reads the live Node if the last snapshot shows that it needs a patch. */
const observeNode = (read: Reader, observed: Omit<Observed, 'node' | 'emptying'>): Read<KubeObject> | undefined => {
  if (observed.isTornDown) return undefined;
  const [seen, ...others] = nodesOf(observed.snapshot, observed.machine.spec?.providerID);
  if (!seen || others.length > 0 || !observed.access) return undefined;
  const owners = { ...observed, infraMachine: found(observed.infraMachine) };
  return nodePatch(seen, owners) ? nodeNow(read, observed.access, seen.name) : undefined;
};

const unread = { state: 'unread' } as const;

/**
 * Lists only the control plane's Machines if they suffice: a cluster may have a thousand others.
 */
const machinesThatMatter = (
  read: Reader,
  { namespace, name }: { namespace: string; name: string },
  cluster: Read<Cluster>,
  controlPlane: Read<KubeObject> | undefined,
): Read<Machine[]> => {
  // Only the Cluster says which control plane it has.
  if (cluster.state === 'unread' || controlPlane?.state === 'unread') return unread;
  const owner = controlPlane && found(controlPlane)?.metadata.uid;
  if (owner !== undefined) {
    const owned = read.list('Machine', { namespace, owner });
    if (owned.state !== 'found' || owned.value.some(staysOfControlPlane)) return owned;
  }
  return read.list('Machine', { namespace, cluster: name });
};

export const observe = (machine: Machine, read: Reader, { now, withheld }: Context): Observed => {
  const { namespace = '' } = machine.metadata;
  const { clusterName = '', bootstrap, infrastructureRef } = machine.spec ?? {};
  const get = <T extends KubeObject>(kind: string, name: string) => read.get<T>(kind, { namespace, name });
  const cluster = get<Cluster>('Cluster', clusterName);
  const owner = controllerOf(machine);
  const deployment = machine.metadata.labels?.[labels.deployment];
  const of = found(cluster);
  const controlPlaneRef = of?.spec?.controlPlaneRef;
  const controlPlane = controlPlaneRef && follow(read, namespace, controlPlaneRef, 'ControlPlane');
  const base = {
    machine,
    cluster,
    controlPlane,
    machines: isDeleting(machine)
      ? machinesThatMatter(read, { namespace, name: clusterName }, cluster, controlPlane)
      : unread,
    infraMachine: infrastructureRef
      ? unlessAnothers(machine, follow(read, namespace, infrastructureRef, 'InfrastructureMachine'))
      : ({ state: 'absent' } as const),
    bootstrapConfig:
      bootstrap?.configRef && unlessAnothers(machine, follow(read, namespace, bootstrap.configRef, 'BootstrapConfig')),
    snapshot: snapshotOf(read, { namespace, name: clusterName }, of),
    withheld,
    isTornDown: withheld?.releases ?? false,
    now,
    machineSet: owner?.kind === 'MachineSet' ? found(get<MachineSet>('MachineSet', owner.name)) : undefined,
    machineDeployment:
      deployment === undefined ? undefined : found(get<MachineDeployment>('MachineDeployment', deployment)),
    access: accessTo(read, namespace, clusterName),
  };
  if (!isDeleting(machine)) return { ...base, node: observeNode(read, base), emptying: undefined };
  const step = stepOf(base);
  return {
    ...base,
    node: step?.at === 'end' && step.node !== undefined ? nodeNow(read, base.access, step.node) : undefined,
    emptying: step?.at === 'node' ? observeEmptying(read, base, base.access, step.node) : undefined,
  };
};
