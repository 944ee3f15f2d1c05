/** Settings of the autoscaler on objects that it does not read. Pure. */
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { autoscale } from './annotations.ts';
import { capacity } from './capacity.ts';

/** Kinds with settings of their own, whose admission refuses others. */
const readers: ReadonlySet<string> = new Set(['MachineDeployment', 'Cluster', 'Namespace']);
const capacities: ReadonlySet<string> = new Set(Object.values(capacity));

const isSetting = (name: string): boolean =>
  name === autoscale.enabled || name.startsWith(`${autoscale.enabled}-`) || capacities.has(name);

type Templated = { template?: { metadata?: { annotations?: Record<string, string> } } };

/** cluster-autoscaler reads its annotations of capacity from MachineSets, too. */
const isRead = (kind: string, name: string): boolean =>
  readers.has(kind) || (kind === 'MachineSet' && capacities.has(name));

export const warnMisplaced = ({ kind, metadata, spec }: KubeObject, { byController }: Admission): string[] => {
  if (byController) return [];
  const { annotations: propagated = {} } = (spec as Templated | undefined)?.template?.metadata ?? {};
  const own = Object.keys(metadata.annotations ?? {}).filter((name) => isSetting(name) && !isRead(kind, name));
  return [
    ...own.map((name) => `metadata.annotations[${name}]`),
    ...Object.keys(propagated)
      .filter(isSetting)
      .map((name) => `spec.template.metadata.annotations[${name}]`),
  ].map((field) => `${field}: the autoscaler reads this of the MachineDeployment itself; here it does nothing`);
};
