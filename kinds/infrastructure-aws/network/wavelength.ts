import type { Network, SubnetSpec } from './fill.ts';

export const isWavelength = ({ zoneType }: Pick<SubnetSpec, 'zoneType'>): boolean => zoneType === 'wavelength-zone';

export const needsCarrierGateway = (network: Network | undefined): boolean =>
  (network?.subnets ?? []).some((subnet) => subnet.isPublic && isWavelength(subnet));
