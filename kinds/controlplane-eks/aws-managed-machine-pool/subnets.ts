/** The subnets of a node group, from those of its control plane. Pure. */
import { isEdge, isSecondary } from '../../infrastructure-aws/network/fill.ts';
import type { Subnet } from '../../ports/cloud/index.ts';
import type { AWSManagedControlPlane } from '../aws-managed-control-plane/schema.ts';
import type { AWSManagedMachinePoolSpec } from './schema.ts';

type Choice = Pick<AWSManagedMachinePoolSpec, 'subnetIDs' | 'availabilityZones' | 'availabilityZoneSubnetType'>;

interface Known {
  id: string;
  zone: string | undefined;
  isPublic: boolean;
}

/** Those of nodes, with AWS's answer where the spec does not say their zones. */
const knownOf = ({ spec }: AWSManagedControlPlane, described: readonly Subnet[]): Known[] =>
  (spec?.network?.subnets ?? [])
    .filter((subnet) => !isEdge(subnet) && !isSecondary(subnet))
    .map(({ id, resourceID, availabilityZone, isPublic }) => {
      const real = resourceID || id;
      const zone = availabilityZone || described.find(({ SubnetId }) => SubnetId === real)?.AvailabilityZone;
      return { id: real, zone, isPublic: isPublic === true };
    });

/** Ids of subnets whose zones AWS has to tell. */
export const unzoned = (
  { subnetIDs, availabilityZones }: Choice,
  controlPlane: AWSManagedControlPlane,
  domains: readonly string[],
): string[] => {
  if (subnetIDs?.length || !(availabilityZones?.length || domains.length)) return [];
  return knownOf(controlPlane, []).flatMap(({ id, zone }) => (zone ? [] : [id]));
};

/** `domains`: failure domains of the MachinePool, where the pool names no zones. A message if there is none. */
export const subnetsFor = (
  { subnetIDs, availabilityZones, availabilityZoneSubnetType: type = 'private' }: Choice,
  controlPlane: AWSManagedControlPlane,
  domains: readonly string[],
  described: readonly Subnet[],
): string[] | string => {
  if (subnetIDs?.length) return subnetIDs;
  const zones = availabilityZones?.length ? availabilityZones : domains;
  const fitting = knownOf(controlPlane, described).filter(
    ({ zone, isPublic }) =>
      (type === 'all' || isPublic === (type === 'public')) && (zones.length === 0 || zones.includes(zone ?? '')),
  );
  if (fitting.length > 0) return fitting.map(({ id }) => id);
  const where = zones.length > 0 ? ` in ${zones.join(', ')}` : '';
  return `The control plane names no ${type === 'all' ? '' : `${type} `}subnet${where}: name others in spec.subnetIDs, spec.availabilityZones or spec.availabilityZoneSubnetType`;
};
