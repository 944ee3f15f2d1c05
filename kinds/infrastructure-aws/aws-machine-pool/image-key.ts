/** The fields that choose the image of instances: while they stay, a newer image of the version replaces none. Pure. */
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';

export const imageKeyOf = (
  { ami, instanceType, imageLookupFormat, imageLookupOrg, imageLookupBaseOS }: AWSMachineSpec,
  cluster: AWSClusterSpec,
  version: string | undefined,
): string =>
  ami?.id ??
  [
    version,
    imageLookupOrg || cluster.imageLookupOrg,
    imageLookupFormat || cluster.imageLookupFormat,
    imageLookupBaseOS || cluster.imageLookupBaseOS,
    // The architecture follows from the family of the type.
    instanceType.split('.')[0],
  ].join(' ');
