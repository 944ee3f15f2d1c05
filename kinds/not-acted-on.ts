/**
 * What is accepted and stored because manifests have it, and changes nothing yet. Users are told when they set it, and the
 * documentation lists it, both from this table.
 */
import type { KubeObject } from '../machinery/api/object.ts';
import { configNotActedOn } from './bootstrap-kubeadm/kubeadm-config/not-acted-on.ts';
import { labels } from './common/labels.ts';
import type { NotActedOn } from './common/not-acted-on.ts';
import { clusterNotActedOn } from './infrastructure-aws/aws-cluster/not-acted-on.ts';
import { machineNotActedOn } from './infrastructure-aws/aws-machine/not-acted-on.ts';

const isMachinePool = (value: unknown) => (value as { kind?: string }).kind === 'MachinePool';

export const table: NotActedOn[] = [
  { kind: 'Cluster', path: 'spec.topology', feature: 'Managed topologies' },
  { kind: 'Machine', path: 'metadata.ownerReferences[]', feature: 'Machines of MachinePools', when: isMachinePool },
  {
    kind: 'Machine',
    path: 'metadata.labels',
    feature: 'Machines of MachinePools',
    when: (value) => Object.hasOwn(value as object, labels.pool),
  },
  {
    kind: 'Cluster',
    path: 'spec.topology.workers.machinePools',
    feature: 'MachinePools',
  },
  ...clusterNotActedOn,
  ...machineNotActedOn,
  ...configNotActedOn,
];

const valuesAt = (value: unknown, path: string[]): unknown[] => {
  const [step, ...rest] = path;
  if (value === undefined || value === null) return [];
  if (step === undefined) return [value];
  if (typeof value !== 'object') return [];
  const child = (value as Record<string, unknown>)[step.replace('[]', '')];
  if (!step.endsWith('[]')) return valuesAt(child, rest);
  return Array.isArray(child) ? child.flatMap((item) => valuesAt(item, rest)) : [];
};

/** The entries that apply to an object. */
export const notActedOn = (object: KubeObject): NotActedOn[] =>
  table.filter(
    ({ kind, path, when = () => true }) => kind === object.kind && valuesAt(object, path.split('.')).some(when),
  );

/** The same as warnings for whoever writes the object. */
export const warnNotActedOn = (object: KubeObject): string[] =>
  notActedOn(object).map(({ path, feature }) => `${path}: ${feature}: accepted and stored, but not acted on`);
