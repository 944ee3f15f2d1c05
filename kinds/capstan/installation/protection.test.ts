import { expect, it } from 'vitest';
import { prepareDelete } from '../../../machinery/api/lifecycle.ts';
import { installation, theInstallation } from './index.ts';

it('is not deleted: nobody would look at the account any more', () => {
  const user = { username: 'somebody', groups: [] };
  const request = { now: 0, uid: () => 'uid', user, dryRun: false };
  expect(() => prepareDelete(installation, 'capstan', theInstallation, {}, request)).toThrow(
    /is forbidden: it is this control plane itself/,
  );
});
