/** One object of a manifest while it is converted. */
import type { Document } from 'yaml';
import type { Rule } from '../../kinds/common/conversion.ts';
import { coreGroup } from '../../kinds/common/versions.ts';
import type { Changes, Level } from './changes.ts';
import { applyTo } from './move.ts';
import { at, type MapNode, mapAt, removeAt, textAt, textOf } from './nodes.ts';

export const versions = ['v1alpha2', 'v1alpha3', 'v1alpha4', 'v1beta1', 'v1beta2'] as const;
export type Version = (typeof versions)[number];

export interface Manifest {
  kind: string;
  name: string;
  namespace: string;
  /** As it is written. */
  version: Version;
  document: Document;
  node: MapNode;
  /** Its value as it is written, as JSON. */
  given: string;
  changes: Changes;
  /** Another object took its place. */
  isGone?: boolean;
}

/** The manifests that are converted together, and what a conversion adds to them. */
export interface Input {
  manifests: Manifest[];
  /** Objects of other APIs, which stay as they are. */
  others: { kind: string; name: string; text: string }[];
  added: { after: Manifest; object: Record<string, unknown>; why: string }[];
}

export const isBefore = ({ version }: Manifest, other: Version): boolean =>
  versions.indexOf(version) < versions.indexOf(other);

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const bootstrap = 'bootstrap.cluster.x-k8s.io';
const controlPlane = 'controlplane.cluster.x-k8s.io';
/** The groups of today's kinds. */
export const groups: Record<string, string> = {
  ...Object.fromEntries(
    ['Cluster', 'Machine', 'MachineSet', 'MachineDeployment', 'MachinePool', 'MachineHealthCheck', 'ClusterClass'].map(
      (kind) => [kind, coreGroup],
    ),
  ),
  MachineDrainRule: coreGroup,
  ClusterResourceSet: 'addons.cluster.x-k8s.io',
  ClusterResourceSetBinding: 'addons.cluster.x-k8s.io',
  ...Object.fromEntries(
    ['KubeadmConfig', 'KubeadmConfigTemplate', 'EKSConfig', 'EKSConfigTemplate'].map((kind) => [kind, bootstrap]),
  ),
  ...Object.fromEntries(
    ['KubeadmControlPlane', 'KubeadmControlPlaneTemplate', 'AWSManagedControlPlane'].map((kind) => [
      kind,
      controlPlane,
    ]),
  ),
  ...Object.fromEntries(
    [
      'AWSCluster',
      'AWSClusterTemplate',
      'AWSMachine',
      'AWSMachineTemplate',
      'AWSMachinePool',
      'AWSManagedCluster',
      'AWSManagedMachinePool',
      'AWSFargateProfile',
      'AWSClusterControllerIdentity',
      'AWSClusterRoleIdentity',
      'AWSClusterStaticIdentity',
    ].map((kind) => [kind, infrastructure]),
  ),
};
export const today: Version = 'v1beta2';

/** The groups that a kind was in before. */
const formerGroups: Record<string, string> = {
  MachinePool: 'exp.cluster.x-k8s.io',
  AWSManagedControlPlane: infrastructure,
};
/** Whether this API version of the kind is one that a conversion knows. */
export const knownVersion = (apiVersion: string, kind: string): Version | undefined => {
  const [group, version] = apiVersion.split('/');
  const isKnown = Object.hasOwn(groups, kind) && (groups[kind] === group || formerGroups[kind] === group);
  return isKnown ? versions.find((one) => one === version) : undefined;
};

/** The first version of kinds that v1alpha2 did not have. */
const firstVersions: Record<string, Version> = {
  MachineHealthCheck: 'v1alpha3',
  MachinePool: 'v1alpha3',
  ClusterResourceSet: 'v1alpha3',
  ClusterResourceSetBinding: 'v1alpha3',
  KubeadmControlPlane: 'v1alpha3',
  AWSMachinePool: 'v1alpha3',
  AWSClusterControllerIdentity: 'v1alpha3',
  AWSClusterRoleIdentity: 'v1alpha3',
  AWSClusterStaticIdentity: 'v1alpha3',
  ClusterClass: 'v1alpha4',
  KubeadmControlPlaneTemplate: 'v1alpha4',
  AWSClusterTemplate: 'v1alpha4',
  MachineDrainRule: 'v1beta1',
};
const ownGroups = new Set([...Object.values(groups), 'exp.cluster.x-k8s.io']);

const isNear = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false;
  const start = [...a].findIndex((letter, i) => letter !== b[i]);
  if (start < 0) return true;
  const ends: [number, number][] = [
    [start + 1, start + 1],
    [start + 1, start],
    [start, start + 1],
  ];
  return ends.some(([i, j]) => a.slice(i) === b.slice(j));
};

/** Why no version of Cluster API or its providers has ever had this kind so; undefined if one may have. */
export const neverWas = (apiVersion: string, kind: string): string | undefined => {
  const [group = '', version = ''] = apiVersion.split('/');
  if (group === 'cluster.k8s.io') return `${apiVersion} is older than what can be converted: v1alpha2 is the first`;
  if (!ownGroups.has(group) || version.includes('$') || version.includes('{')) return undefined;
  const own = groups[kind];
  if (own === undefined) {
    const meant = Object.keys(groups).find((one) => isNear(one.toLowerCase(), kind.toLowerCase()));
    if (meant) return `there has never been a kind ${kind}: ${meant} is one`;
    return group === coreGroup ? `there has never been a kind ${kind} in ${group}` : undefined;
  }
  if (own !== group && formerGroups[kind] !== group)
    return `there has never been a kind ${kind} in ${group}: it is in ${own}`;
  const first = firstVersions[kind] ?? 'v1alpha2';
  const index = versions.indexOf(version as Version);
  return index < versions.indexOf(first)
    ? `there has never been a version ${version} of ${kind}: its versions are ${versions.slice(versions.indexOf(first)).join(', ')}`
    : undefined;
};

/** Where each kind has the part that others have, too. */
export const kubeadmPath: Record<string, string> = {
  KubeadmConfig: 'spec',
  KubeadmConfigTemplate: 'spec.template.spec',
  KubeadmControlPlane: 'spec.kubeadmConfigSpec',
  KubeadmControlPlaneTemplate: 'spec.template.spec.kubeadmConfigSpec',
};
export const machinePath: Record<string, string> = {
  Machine: 'spec',
  MachineSet: 'spec.template.spec',
  MachineDeployment: 'spec.template.spec',
  MachinePool: 'spec.template.spec',
};
export const awsMachinePath: Record<string, string> = {
  AWSMachine: 'spec',
  AWSMachineTemplate: 'spec.template.spec',
};
export const awsClusterPath: Record<string, string> = {
  AWSCluster: 'spec',
  AWSClusterTemplate: 'spec.template.spec',
};

export const split = (path: string): string[] => path.split('.');

/** Applies rules whose newer form came with a version. Older forms are accepted in newer objects, which have them, too. */
export const rename = (manifest: Manifest, since: Version, rules: Rule[], path = ''): void => {
  const node = path === '' ? manifest.node : mapIfAny(manifest, path);
  const hint = isBefore(manifest, since) ? '' : `; the object is ${manifest.version}, but has the older form`;
  const why = { move: `moved in ${since}${hint}`, form: `written so since ${since}${hint}` };
  if (node) applyTo(node, rules, why, manifest.changes, path);
};

const mapIfAny = ({ node }: Manifest, path: string): MapNode | undefined =>
  at(node, ...split(path)) === undefined ? undefined : mapAt(node, split(path));

/** Removes a field, and reports it. */
export const drop = (manifest: Manifest, path: string, level: Level, why: string): void => {
  const field = removeAt(manifest.node, split(path));
  if (!field) return;
  const text = textOf(field.value);
  manifest.changes.add(level, path, why, text === undefined ? {} : { from: text });
};

export const textIn = ({ node }: Manifest, path: string): string | undefined => textAt(node, ...split(path));
export const isTrue = (text: string | undefined): boolean => /^(true|yes|on|y)$/i.test(text ?? '');
