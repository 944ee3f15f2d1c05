/**
 * What a Machine writes on its Node: annotations, managed labels and taints. It changes nothing
 * that other clients set. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf } from '../../common/owners.ts';
import { isInterruptible } from '../contract/machine.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import { revisionOf } from '../machine-deployment/template.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { Machine } from './schema.ts';

type Texts = Record<string, string>;
interface Taint {
  key: string;
  value?: string;
  effect: string;
}
/** The fields of a Node that are compared. */
export interface NodeView {
  labels: Texts;
  annotations: Texts;
  taints: Taint[];
}
export const viewOf = (node: KubeObject): NodeView => ({
  labels: node.metadata.labels ?? {},
  annotations: node.metadata.annotations ?? {},
  taints: (node.spec as { taints?: Taint[] } | undefined)?.taints ?? [],
});

const from = {
  labels: 'cluster.x-k8s.io/labels-from-machine',
  annotations: 'cluster.x-k8s.io/annotations-from-machine',
  taints: 'cluster.x-k8s.io/taints-from-machine',
};
export const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };
const outdated = { key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' };

const nodeDomain = 'node.cluster.x-k8s.io';
/**
 * Like Cluster API, treats a key without a slash as a domain: `example.node.cluster.x-k8s.io` is
 * managed, too.
 */
const isWithin = (key: string, domains: readonly string[]): boolean => {
  const [domain = ''] = key.split('/', 1);
  return domains.some((one) => domain === one || domain.endsWith(`.${one}`));
};
const isManagedLabel = (key: string): boolean =>
  key.split('/', 1)[0] === 'node-role.kubernetes.io' || isWithin(key, ['node-restriction.kubernetes.io', nodeDomain]);
const isManagedAnnotation = (key: string): boolean => isWithin(key, [nodeDomain]);

const filtered = (texts: Texts | undefined, isManaged: (key: string) => boolean): Texts =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => isManaged(key)));

export interface NodeOwners {
  machine: Machine;
  machineSet: MachineSet | undefined;
  machineDeployment: MachineDeployment | undefined;
  infraMachine: KubeObject | undefined;
}

const wantedLabels = ({ machine, infraMachine }: NodeOwners): Texts => ({
  ...filtered(machine.metadata.labels, isManagedLabel),
  ...(infraMachine && isInterruptible(infraMachine) && { [labels.interruptible]: '' }),
});
const common = {
  cluster: 'cluster.x-k8s.io/cluster-name',
  namespace: 'cluster.x-k8s.io/cluster-namespace',
  machine: 'cluster.x-k8s.io/machine',
  ownerKind: 'cluster.x-k8s.io/owner-kind',
  ownerName: 'cluster.x-k8s.io/owner-name',
};
const commonAnnotations = ({ machine }: NodeOwners): Texts => {
  const owner = controllerOf(machine);
  return {
    [common.cluster]: machine.spec?.clusterName ?? '',
    [common.namespace]: machine.metadata.namespace ?? '',
    // A pool's Node has no Machine of its own.
    ...(machine.kind === 'Machine' && { [common.machine]: machine.metadata.name }),
    ...(owner && { [common.ownerKind]: owner.kind, [common.ownerName]: owner.name }),
  };
};

const listOf = (text: string | undefined): string[] => (text ?? '').split(',').filter(Boolean);
const idOf = ({ key, effect }: Taint): string => `${key}:${effect}`;
const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

const isOutdated = ({ machineSet, machineDeployment }: NodeOwners): boolean => {
  if (!machineSet || !machineDeployment) return false;
  return revisionOf(machineSet) < revisionOf(machineDeployment);
};

const wantedTaints = (node: NodeView, owners: NodeOwners): { taints: Taint[]; note: string } => {
  const ours = owners.machine.spec?.taints ?? [];
  const note = node.annotations[from.taints];
  const always = ours.filter(({ propagation }) => propagation === 'Always');
  // Initialization taints are set once: a client that removes them later means to.
  const added = note === undefined ? ours : always;
  const kept = new Set(ours.map(idOf));
  const dropped = new Set(listOf(note).filter((id) => !kept.has(id)));
  const others = node.taints.filter(
    (taint) =>
      !isSame(taint, uninitialized) &&
      !isSame(taint, outdated) &&
      !dropped.has(idOf(taint)) &&
      !added.some((one) => isSame(one, taint)),
  );
  return {
    taints: [
      ...others,
      ...added.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect })),
      ...(isOutdated(owners) ? [outdated] : []),
    ],
    note: always.map(idOf).sort().join(','),
  };
};

const changes = (current: Texts, wanted: Texts, before: string[]): Record<string, string | null> =>
  Object.fromEntries([
    ...Object.entries(wanted).filter(([key, value]) => current[key] !== value),
    ...before.filter((key) => !(key in wanted) && key in current).map((key) => [key, null] as const),
  ]);
const sorted = (taints: Taint[]): string[] => taints.map((taint) => `${idOf(taint)}=${taint.value ?? ''}`).sort();

/** The merge patch that updates a Node; undefined if it is up to date. */
export const nodePatch = (node: NodeView, owners: NodeOwners): JsonObject | undefined => {
  const ownLabels = wantedLabels(owners);
  const ownAnnotations = filtered(owners.machine.metadata.annotations, isManagedAnnotation);
  const { taints, note } = wantedTaints(node, owners);
  const notes = {
    [from.labels]: Object.keys(ownLabels).sort().join(','),
    [from.annotations]: Object.keys(ownAnnotations).sort().join(','),
    [from.taints]: note,
  };
  const changedLabels = changes(node.labels, ownLabels, listOf(node.annotations[from.labels]));
  const changedAnnotations = changes(node.annotations, { ...ownAnnotations, ...commonAnnotations(owners), ...notes }, [
    ...listOf(node.annotations[from.annotations]),
    ...Object.values(common),
  ]);
  const hasOtherTaints = !isDeepStrictEqual(sorted(node.taints), sorted(taints));
  if (Object.keys(changedLabels).length + Object.keys(changedAnnotations).length === 0 && !hasOtherTaints)
    return undefined;
  return {
    metadata: { labels: changedLabels, annotations: changedAnnotations },
    ...(hasOtherTaints && { spec: { taints: taints.length > 0 ? taints.map((taint) => ({ ...taint })) : null } }),
  };
};
