import { age, column } from '../../common/columns.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { poolColumns } from '../columns.ts';
import { fromV1alpha1, fromV1beta1 } from './convert.ts';
import { ipAddress as facts } from './kind.ts';
import { ipAddressSpec, localIPAddressSpec } from './schema.ts';
import { validateIPAddress } from './validate.ts';

export type * from './schema.ts';

const description = 'An IP address that a pool gave to a claim.';
const columns = [column('Address', 'string', '.spec.address', 'The IP address.'), ...poolColumns, age];
const shared = { served: true, description, columns };

export const ipAddress = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels(coreProvider, coreContracts),
  validate: validateIPAddress,
  versions: [
    { name: 'v1beta2', ...shared, storage: true, spec: ipAddressSpec, specRequired: true },
    {
      name: 'v1beta1',
      ...shared,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...fromV1beta1,
      spec: localIPAddressSpec,
    },
    { name: 'v1alpha1', ...shared, ...fromV1alpha1, spec: localIPAddressSpec },
  ],
});
