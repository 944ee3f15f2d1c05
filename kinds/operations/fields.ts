// Written by `npm run registry`.

import { createSpec } from './create/fields.ts';
import { deleteStatus } from './delete/fields.ts';
import { restoreSpec, restoreStatus } from './restore/fields.ts';
import { upgradeSpec, upgradeStatus } from './upgrade/fields.ts';

/** The fields that types of operations have for themselves. */
export const specFields = {
  ...createSpec,
  ...restoreSpec,
  ...upgradeSpec,
};
export const statusFields = {
  ...deleteStatus,
  ...restoreStatus,
  ...upgradeStatus,
};
