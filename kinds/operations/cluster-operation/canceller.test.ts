import { expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withCanceller } from './canceller.ts';

const operation = (spec: object) =>
  ({ kind: 'ClusterOperation', metadata: { name: 'a' }, spec }) as unknown as KubeObject;
const ann = { username: 'arn:aws:iam::1:role/Dev', groups: [], extra: { sessionName: ['ann'] } };
const bob = { username: 'bob', groups: [] };

it.each([
  { rule: 'the user who cancels', old: {}, sent: { cancel: true }, user: bob, says: 'bob' },
  { rule: 'role and session', old: {}, sent: { cancel: true }, user: ann, says: 'arn:aws:iam::1:role/Dev (ann)' },
  { rule: 'no name that a client sends', old: {}, sent: { cancel: true, cancelledBy: 'eve' }, user: bob, says: 'bob' },
  { rule: 'the first user', old: { cancel: true, cancelledBy: 'bob' }, sent: { cancel: true }, user: ann, says: 'bob' },
  { rule: 'no user of one that goes on', old: {}, sent: { cancelledBy: 'eve' }, user: bob, says: undefined },
  {
    rule: 'nothing that a controller writes otherwise',
    old: {},
    sent: { cancel: true },
    user: bob,
    byController: true,
    says: undefined,
  },
])('records $rule', ({ old, sent, user, byController, says }) => {
  const admission = {
    operation: 'update',
    old: operation(old),
    user,
    dryRun: false,
    ...(byController && { byController }),
  };
  const made = withCanceller(operation(sent), admission as Admission);
  expect((made.spec as { cancelledBy?: string }).cancelledBy).toBe(says);
});
