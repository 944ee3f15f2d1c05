import type { KindFacts } from '../../../machinery/api/kind.ts';
import { ipamGroup } from '../../common/versions.ts';
import { serversOfAddress } from '../references.ts';

export const ipAddress: KindFacts = {
  group: ipamGroup,
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: true,
  servedBy: serversOfAddress,
};
