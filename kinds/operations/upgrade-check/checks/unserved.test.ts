import { expect, it } from 'vitest';
import { checkUnserved } from './unserved.ts';

const thing = { apiVersion: 'a/v2', kind: 'Thing', example: 'default/x' };

it.each([
  { count: 1, message: 'It is of a/v2, which the old API server does not serve', remedy: 'Delete it' },
  {
    count: 3,
    message: 'It and 2 more of its kind are of a/v2, which the old API server does not serve',
    remedy: 'Delete them',
  },
])('names $count objects that a rollback would lose', ({ count, message, remedy }) =>
  expect(checkUnserved('KubeadmControlPlane cp', [{ ...thing, count }])).toEqual([
    { code: 'RollbackLosesObjects', level: 'Refuse', object: 'Thing default/x', message, remedy },
  ]));

it('refuses what could not be read', () =>
  expect(checkUnserved('KubeadmControlPlane cp', { unreadable: 'refused' })).toMatchObject([
    { code: 'RollbackObjectsUnknown', level: 'Refuse', isUnknown: true, object: 'KubeadmControlPlane cp' },
  ]));
