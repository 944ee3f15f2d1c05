import type { KindFacts } from '../../../machinery/api/kind.ts';
import { ipamGroup } from '../../common/versions.ts';
import { serversOfClaim } from '../references.ts';
import { admitted } from './conditions.ts';

export const ipAddressClaim: KindFacts = {
  group: ipamGroup,
  kind: 'IPAddressClaim',
  plural: 'ipaddressclaims',
  namespaced: true,
  references: serversOfClaim,
  servedBy: serversOfClaim,
  gates: ['addressRef', 'Paused', admitted],
  summary: 'Ready',
};
