import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import { providerIdOf } from './alias.ts';
import { digestOf } from './digest.ts';

export const machine: KindFacts = {
  group: coreGroup,
  kind: 'Machine',
  plural: 'machines',
  namespaced: true,
  alias: providerIdOf,
  digest: digestOf,
  gates: ['initialization.bootstrapDataSecretCreated', 'nodeRef', 'Available'],
  notes: ['certificatesExpiryDate', 'lastUpdated'],
  summary: 'Available',
};
