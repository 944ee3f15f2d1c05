import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { NodeObject } from '../../../../simulation/workload/objects.ts';
import { expecting, type Rule } from '../rule.ts';

/** Labels that propagate from Machines to Nodes. */
const handedOn =
  /^node-role\.kubernetes\.io\/|^([^/]+\.)?(node-restriction\.kubernetes\.io|node\.cluster\.x-k8s\.io)\//;
/** Taints that are removed before pods may run. */
const early = ['node.cluster.x-k8s.io/uninitialized', 'node.cloudprovider.kubernetes.io/uninitialized'];
const outdated = 'node.cluster.x-k8s.io/outdated-revision';

interface Tainted {
  taints?: { key: string; value?: string; effect: string; propagation?: string }[];
  unschedulable?: boolean;
  providerID?: string;
}
type Labelled = { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } };

type Facts = Readonly<Record<string, unknown>>;
type Seen = NonNullable<WorkloadSnapshotObject['spec']>['nodes'][number];
const inOrder = (texts: readonly string[]) => [...texts].sort();
const factsOf = ({ spec, status, metadata }: NodeObject): Facts => ({
  labels: metadata.labels ?? {},
  taints: inOrder(
    ((spec as Tainted | undefined)?.taints ?? []).map((one) => `${one.key}=${one.value ?? ''}:${one.effect}`),
  ),
  unschedulable: (spec as Tainted | undefined)?.unschedulable ?? false,
  conditions: inOrder((status?.conditions ?? []).map((one) => `${one.type} ${one.status}`)),
  addresses: inOrder((status?.addresses ?? []).map((one) => `${one.type} ${one.address}`)),
});
const reportedFactsOf = ({ labels, taints, unschedulable, conditions, addresses }: Seen): Facts => ({
  labels,
  taints: inOrder(taints.map((one) => `${one.key}=${one.value ?? ''}:${one.effect}`)),
  unschedulable,
  conditions: inOrder(conditions.map((one) => `${one.type} ${one.status}`)),
  addresses: inOrder(addresses.map((one) => `${one.type} ${one.address}`)),
});

export const nodeMetadata: Rule = ({ world, isRuined = () => false }, broken) => {
  const { guests, mirror } = world;
  const expect = expecting(broken);

  /** By the uid of a Machine: the taints that it was created with. */
  const born = new Map<string, ReadonlySet<string>>();
  /** By the uid of a Machine: every label that it ever propagated. */
  const handed = new Map<string, Set<string>>();
  const expectNode = (machine: Machine, node: NodeObject) => {
    const { name, namespace, labels = {}, ownerReferences = [] } = machine.metadata;
    const { providerID, taints = [], unschedulable = false } = (node.spec ?? {}) as Tainted;
    const { annotations = {}, labels: carried = {} } = node.metadata;
    const owner = ownerReferences.find(({ controller }) => controller);
    const at = (key: string) => annotations[`cluster.x-k8s.io/${key}`];
    expect(`the providerID of ${name}`, machine.spec?.providerID, providerID);
    expect(`the cluster that the node of ${name} names`, at('cluster-name'), machine.spec?.clusterName);
    expect(`the namespace that the node of ${name} names`, at('cluster-namespace'), namespace);
    expect(`the machine that the node of ${name} names`, at('machine'), name);
    expect(`the owner that the node of ${name} names`, at('owner-name'), owner?.name);
    expect(`the kind of owner that the node of ${name} names`, at('owner-kind'), owner?.kind);
    for (const [label, value] of Object.entries(labels))
      if (handedOn.test(label)) expect(`label ${label} of the node of ${name}`, carried[label], value);
    for (const label of handed.get(machine.metadata.uid!) ?? [])
      if (!(label in labels))
        expect(`label ${label} of the node of ${name}, which its Machine no longer has`, carried[label], undefined);
    for (const label of (at('labels-from-machine') ?? '').split(',').filter(Boolean))
      expect(
        `whether ${name} has ${label}, as its node says`,
        label in labels || label.endsWith('interruptible'),
        true,
      );
    for (const key of [...early, outdated])
      expect(`taint ${key} of the node of ${name}`, taints.some((taint) => taint.key === key) && key, false);
    expect(`whether the node of ${name} is unschedulable`, unschedulable, false);
    for (const { key, value = '', effect, propagation } of (machine.spec as Tainted).taints ?? []) {
      const found = taints.some(
        (taint) => taint.key === key && taint.effect === effect && (taint.value ?? '') === value,
      );
      const isDue = propagation === 'Always' || born.get(machine.metadata.uid!)?.has(`${key}:${effect}=${value}`);
      if (isDue) expect(`taint ${key} of the node of ${name}`, found, true);
    }
    const version = (node.status as { nodeInfo?: { kubeletVersion?: string } } | undefined)?.nodeInfo?.kubeletVersion;
    expect(`the version of the node of ${name}`, version, machine.spec?.version);
    expect(`nodeInfo.kubeletVersion of ${name}`, machine.status?.nodeInfo?.kubeletVersion, version);
    const internal = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    const isReported = machine.status?.addresses?.some(({ address }) => address === internal);
    expect(`whether ${name} reports the address ${internal}`, isReported, true);
  };

  /** The snapshot matches the cluster. */
  const expectSeen = async ({ metadata: { name, namespace = '' } }: Cluster) => {
    const seen = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', namespace, name)?.spec;
    const isOf = ({ metadata }: Machine) =>
      metadata.namespace === namespace && metadata.labels?.['cluster.x-k8s.io/cluster-name'] === name;
    const ids = new Set(
      mirror
        .all<Machine>('Machine')
        .filter(isOf)
        .map(({ spec }) => spec?.providerID),
    );
    const there: string[] = [];
    for (const cluster of guests.clusters.all())
      for (const node of await cluster.list<NodeObject>('nodes')) {
        if (!ids.has((node.spec as Tainted | undefined)?.providerID)) continue;
        there.push(node.metadata.name);
        const known = seen?.nodes.find((one) => one.name === node.metadata.name);
        for (const [what, is] of Object.entries(factsOf(node)))
          if (known && !isDeepStrictEqual(reportedFactsOf(known)[what], is))
            throw broken(
              `${what} of ${node.metadata.name}: ${JSON.stringify(reportedFactsOf(known)[what])} in the snapshot, not ${JSON.stringify(is)}`,
            );
      }
    const isHere = (node: { providerID?: string }) => ids.has(node.providerID);
    const reported = (seen?.nodes ?? []).filter(isHere).map((node) => node.name);
    expect(`Nodes in the snapshot of ${name}`, reported.sort().join(' '), there.sort().join(' '));
    expect(`reachable in the snapshot of ${name}`, seen?.reachable, true);
    expect(`unreachableSince in the snapshot of ${name}`, seen?.unreachableSince, undefined);
  };

  /** In-place fields of a template propagate to the objects created from it. */
  const expectFlown = (from: MachineDeployment | MachineSet, into: KubeObject) => {
    const { labels = {}, annotations = {} } = (from.spec?.template as Labelled | undefined)?.metadata ?? {};
    const isSet = into.kind === 'MachineSet';
    const to = isSet ? ((into as MachineSet).spec?.template as Labelled).metadata : into.metadata;
    for (const [key, value] of Object.entries(labels))
      expect(`label ${key} of ${into.metadata.name}`, to?.labels?.[key], value);
    for (const [key, value] of Object.entries(annotations))
      expect(`annotation ${key} of ${into.metadata.name}`, to?.annotations?.[key], value);
  };
  const controlled = <T extends KubeObject>(kind: string, { metadata: { uid } }: KubeObject): T[] =>
    mirror
      .all<T>(kind)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid));

  return {
    onCommit: ({ event, object }) => {
      if (object?.kind !== 'Machine') return;
      const { uid = '', labels = {} } = object.metadata;
      const known = handed.get(uid) ?? new Set();
      handed.set(uid, known);
      for (const label of Object.keys(labels)) if (handedOn.test(label)) known.add(label);
      if (event !== 'ADDED') return;
      const { taints = [] } = (object as Machine).spec as Tainted;
      born.set(object.metadata.uid!, new Set(taints.map(({ key, effect, value = '' }) => `${key}:${effect}=${value}`)));
    },
    atEnd: async () => {
      if (isRuined()) return;
      const nodes = new Map<string, NodeObject>();
      for (const cluster of mirror.all<Cluster>('Cluster')) await expectSeen(cluster);
      for (const cluster of guests.clusters.all())
        for (const node of await cluster.list<NodeObject>('nodes'))
          nodes.set((node.spec as Tainted | undefined)?.providerID ?? '', node);
      for (const machine of mirror.all<Machine>('Machine')) {
        const node = nodes.get(machine.spec?.providerID ?? '-');
        if (node) expectNode(machine, node);
      }
      for (const deployment of mirror.all<MachineDeployment>('MachineDeployment'))
        for (const set of controlled<MachineSet>('MachineSet', deployment)) {
          if ((set.spec?.replicas ?? 0) === 0) continue;
          expectFlown(deployment, set);
          for (const machine of controlled('Machine', set)) expectFlown(set, machine);
        }
    },
  };
};
