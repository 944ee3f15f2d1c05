import { age } from '../../common/columns.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { poolColumns } from '../columns.ts';
import { fromV1alpha1, fromV1beta1 } from './convert.ts';
import { ipAddressClaim as facts } from './kind.ts';
import {
  ipAddressClaimSpec,
  ipAddressClaimSpecV1alpha1,
  ipAddressClaimSpecV1beta1,
  ipAddressClaimStatus,
  ipAddressClaimStatusV1alpha1,
  ipAddressClaimStatusV1beta1,
} from './schema.ts';
import { defaultIPAddressClaim, validateIPAddressClaim } from './validate.ts';

export type * from './schema.ts';

const description = 'Asks a pool for one IP address.';
const shared = { served: true, description, columns: [...poolColumns, age] };

export const ipAddressClaim = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultIPAddressClaim,
  validate: validateIPAddressClaim,
  versions: [
    {
      name: 'v1beta2',
      ...shared,
      storage: true,
      spec: ipAddressClaimSpec,
      specRequired: true,
      status: ipAddressClaimStatus,
    },
    {
      name: 'v1beta1',
      ...shared,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      ...fromV1beta1,
      spec: ipAddressClaimSpecV1beta1,
      status: ipAddressClaimStatusV1beta1,
    },
    {
      name: 'v1alpha1',
      ...shared,
      ...fromV1alpha1,
      spec: ipAddressClaimSpecV1alpha1,
      status: ipAddressClaimStatusV1alpha1,
    },
  ],
});
