/** What nodes of a pool have that pods need, and new ones lack because nothing declares it. Pure. */
import { capacity } from '../../common/autoscale/capacity.ts';
import { meetsAffinity } from './affinity.ts';
import type { SimNode } from './cluster.ts';
import { isDerived } from './labels.ts';
import type { Packer, Wanted } from './pack.ts';
import { isExtended } from './progress.ts';
import type { Empty } from './reasons.ts';
import type { Pool } from './types.ts';

const keysOf = ({ shape }: Wanted['pod']): string[] => [
  ...Object.keys(shape.nodeSelector ?? {}),
  ...(shape.nodeAffinity ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)),
];

const selectedLabels = (pod: Wanted['pod'], node: SimNode, empty: Empty): string[] =>
  [...new Set(keysOf(pod))].flatMap((key) => {
    const value = node.labels[key];
    return value === undefined || empty.labels[key] === value || isDerived(key) ? [] : [`${key}=${value}`];
  });

/** Devices that an empty node lacks and this one has. */
const devices = ({ axes }: Packer, { request }: Wanted['pod'], node: SimNode, empty: Empty): string[] =>
  axes.filter((name, axis) => {
    const wanted = request[axis]!;
    return isExtended(name) && wanted > empty.allocatable[axis]! && wanted <= node.allocatable[axis]!;
  });

const has = (what: readonly string[]): string =>
  `nodes of the pool have ${what.join(', ')}, which nothing declares for new ones`;

/** Undefined if no node of the pool has more than its declaration says. */
export const undeclared = (packer: Packer, { pod }: Wanted, pool: Pool, empty: Empty): string | undefined => {
  const own = packer.placing.cluster.nodes.filter((node) => node.pool === pool.id && node.origin !== 'new');
  if (!meetsAffinity(empty, pod.shape)) {
    const [labels] = own
      .filter((node) => meetsAffinity(node, pod.shape))
      .map((node) => selectedLabels(pod, node, empty))
      .filter(({ length }) => length > 0);
    return labels && `${has(labels)}: the annotation ${capacity.labels} of the MachineDeployment declares labels`;
  }
  const [names] = own.map((node) => devices(packer, pod, node, empty)).filter(({ length }) => length > 0);
  return (
    names &&
    `${has(names)}: the annotations ${capacity.gpuType} and ${capacity.gpus} of the MachineDeployment declare devices`
  );
};
