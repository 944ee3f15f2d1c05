import { expect, it } from 'vitest';
import { prepareDelete } from '../../../machinery/api/lifecycle.ts';
import { installation, theInstallation } from './index.ts';

it('cannot be deleted, because all sweeps of the account depend on it', () => {
  const user = { username: 'somebody', groups: [] };
  const request = { now: 0, uid: () => 'uid', user, dryRun: false };
  expect(() => prepareDelete(installation, 'capstan', theInstallation, {}, request)).toThrow(
    /is forbidden: it is this control plane itself/,
  );
});
