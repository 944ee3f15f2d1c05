import type { KindDefinition, KindFacts } from '../../../machinery/api/kind.ts';
import { age, column } from '../../common/columns.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { allocating } from './allocation.ts';
import { poolSpec, poolStatus } from './schema.ts';
import { validatePool } from './validate.ts';

const count = (name: string, field: string, description: string) =>
  column(name, 'integer', `.status.ipAddresses.${field}`, description);

/** The definition of one kind of pool. */
export const definePool = (facts: KindFacts, description: string): KindDefinition =>
  defineKind({
    ...facts,
    shortNames: [],
    crdLabels: contractLabels('ipam-in-cluster', { v1beta1: 'v1alpha2', v1beta2: 'v1alpha2' }, 'move-hierarchy'),
    reservedAnnotations: [allocating],
    validate: validatePool,
    versions: [
      {
        name: 'v1alpha2',
        served: true,
        storage: true,
        description,
        columns: [
          column('Addresses', 'string', '.spec.addresses', 'Addresses that it may give.'),
          count('Total', 'total', 'Number of these addresses.'),
          count('Free', 'free', 'Those that no claim has.'),
          count('Used', 'used', 'Addresses that claims have.'),
          age,
        ],
        spec: poolSpec,
        status: poolStatus,
      },
    ],
  });
