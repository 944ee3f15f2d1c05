/** Labels of new nodes that follow from their zone, and keys that say where or which one a node is. Pure. */
import type { Labels } from '../../../machinery/api/labels.ts';
import { labels } from '../../common/labels.ts';
import type { Node } from './types.ts';

export const hostnameLabel = 'kubernetes.io/hostname';
export const zoneLabel = 'topology.kubernetes.io/zone';
const zoneIdLabel = 'topology.k8s.aws/zone-id';
export const regionLabels = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];
export const instanceTypeLabels = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
/** The EBS driver names zones by a label of its own. */
const zoneLabels = [zoneLabel, 'failure-domain.beta.kubernetes.io/zone', 'topology.ebs.csi.aws.com/zone'];

export const isZoneLabel = (key: string): boolean => key === zoneIdLabel || zoneLabels.includes(key);

/** Labels that name the place or the machine, and so differ between nodes of equal pools. */
export const placeLabels: ReadonlySet<string> = new Set([
  hostnameLabel,
  zoneIdLabel,
  ...zoneLabels,
  ...regionLabels,
  'node.cluster.x-k8s.io/machinedeployment',
]);

/** Labels that kubelets, cloud controllers, drivers and the spot market set, each if the node has it. */
export const isDerived = (key: string): boolean =>
  placeLabels.has(key) ||
  key === labels.interruptible ||
  instanceTypeLabels.includes(key) ||
  /^(beta\.)?kubernetes\.io\/(arch|os)$/.test(key);

/** Labels without the properties that every object inherits, which are keys that a user can name. */
export const ownLabels = (labels: Labels): Labels => Object.assign(Object.create(null) as Labels, labels);

export type ZoneLabels = (zone: string | undefined) => Labels;

/** The id of a zone differs by account: the nodes in the zone have it, and agree. */
export const zoneLabelsFrom = (nodes: readonly Pick<Node, 'labels'>[]): ZoneLabels => {
  const ids = new Map<string, Set<string>>();
  for (const { labels: own } of nodes) {
    const { [zoneLabel]: zone, [zoneIdLabel]: id } = own;
    if (zone !== undefined && id !== undefined) ids.set(zone, (ids.get(zone) ?? new Set()).add(id));
  }
  return (zone) => {
    if (!zone) return {};
    const [id, ...others] = ids.get(zone) ?? [];
    return {
      ...Object.fromEntries(zoneLabels.map((key) => [key, zone])),
      ...(id !== undefined && others.length === 0 && { [zoneIdLabel]: id }),
    };
  };
};
