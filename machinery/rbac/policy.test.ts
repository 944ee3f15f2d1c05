import { describe, expect, it } from 'vitest';
import type { User } from '../api/kind.ts';
import { type Binding, type PolicyRule, type Role, rbacGroup, type Subject } from '../api/rbac.ts';
import { aggregatedRules } from './aggregate.ts';
import { escalationOf } from './covers.ts';
import { createPolicy } from './policy.ts';

const apiVersion = `${rbacGroup}/v1`;
const role = (name: string, rules: PolicyRule[], namespace?: string): Role => ({
  apiVersion,
  kind: namespace ? 'Role' : 'ClusterRole',
  metadata: { name, ...(namespace && { namespace }) },
  rules,
});
const bind = (
  name: string,
  roleRef: [kind: string, name: string],
  subjects: Subject[],
  namespace?: string,
): Binding => ({
  apiVersion,
  kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
  metadata: { name, ...(namespace && { namespace }) },
  roleRef: { apiGroup: rbacGroup, kind: roleRef[0], name: roleRef[1] },
  subjects,
});
const ann: Subject = { kind: 'User', name: 'ann' };
const team: Subject = { kind: 'Group', name: 'team' };
const account: Subject = { kind: 'ServiceAccount', name: 's' };

const policy = createPolicy({
  clusterRoles: [
    role('reader', [{ apiGroups: ['apps'], resources: ['deployments', '*/scale'], verbs: ['get', 'list'] }]),
    role('one', [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['*'] }]),
    role('paths', [{ nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] }]),
  ],
  roles: [role('own', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], 'n')],
  clusterRoleBindings: [
    bind('readers', ['ClusterRole', 'reader'], [{ kind: 'User', name: 'bob' }, team]),
    bind('paths', ['ClusterRole', 'paths'], [ann]),
    bind('dangling', ['ClusterRole', 'absent'], [{ kind: 'User', name: 'eve' }]),
  ],
  roleBindings: [
    bind('one', ['ClusterRole', 'one'], [ann], 'm'),
    bind('paths', ['ClusterRole', 'paths'], [{ kind: 'User', name: 'eve' }], 'n'),
    bind('owners', ['Role', 'own'], [account, ann], 'n'),
    bind('lost', ['Role', 'own'], [{ kind: 'User', name: 'eve' }], 'm'),
  ],
});
const of = (username: string, ...groups: string[]): User => ({ username, groups });
const deployments = { group: 'apps', resource: 'deployments' };
const secrets = { resource: 'secrets', namespace: 'm' };

describe('a policy', () => {
  it.each([
    {
      rule: 'allows by a group',
      user: of('x', 'team'),
      asked: { verb: 'list', ...deployments },
      by: 'ClusterRoleBinding "readers" of ClusterRole "reader" to Group "team"',
    },
    { rule: 'allows nothing to others', user: of('x'), asked: { verb: 'list', ...deployments } },
    { rule: 'allows no other verb', user: of('bob'), asked: { verb: 'delete', ...deployments } },
    {
      rule: 'allows no subresource of a resource',
      user: of('bob'),
      asked: { verb: 'get', ...deployments, subresource: 'status' },
    },
    {
      rule: 'allows a subresource of every resource',
      user: of('bob'),
      asked: { verb: 'get', group: 'apps', resource: 'x', subresource: 'scale' },
      by: 'ClusterRoleBinding "readers" of ClusterRole "reader" to User "bob"',
    },
    {
      rule: 'allows a named object',
      user: of('ann'),
      asked: { verb: 'delete', ...secrets, name: 'a' },
      by: 'RoleBinding "one/m" of ClusterRole "one" to User "ann"',
    },
    { rule: 'allows no other name', user: of('ann'), asked: { verb: 'delete', ...secrets, name: 'b' } },
    {
      rule: 'allows no request without a name by a rule with names',
      user: of('ann'),
      asked: { verb: 'create', ...secrets },
    },
    {
      rule: 'allows by a RoleBinding in its namespace alone',
      user: of('ann'),
      asked: { verb: 'get', resource: 'secrets', namespace: 'o', name: 'a' },
    },
    {
      rule: 'allows by a RoleBinding nothing in all namespaces',
      user: of('ann'),
      asked: { verb: 'list', resource: 'pods' },
    },
    {
      rule: 'allows a path',
      user: of('ann'),
      asked: { verb: 'get', path: '/debug/x' },
      by: 'ClusterRoleBinding "paths" of ClusterRole "paths" to User "ann"',
    },
    {
      rule: 'allows no path by a RoleBinding',
      user: of('eve'),
      asked: { verb: 'get', path: '/metrics', namespace: 'n' },
      errors: 'RBAC: clusterrole.rbac.authorization.k8s.io "absent" not found',
    },
    {
      rule: 'names a missing role',
      user: of('eve'),
      asked: { verb: 'get', resource: 'x', namespace: 'm' },
      errors:
        'RBAC: [clusterrole.rbac.authorization.k8s.io "absent" not found, role.rbac.authorization.k8s.io "own" not found]',
    },
    {
      rule: 'takes a ServiceAccount in the namespace of its binding',
      user: of('system:serviceaccount:n:s'),
      asked: { verb: 'x', resource: 'y', namespace: 'n' },
      by: 'RoleBinding "owners/n" of Role "own" to ServiceAccount "s/n"',
    },
    { rule: 'knows no user by the name of a group', user: of('team'), asked: { verb: 'list', ...deployments } },
    {
      rule: 'asks no policy for system:masters',
      user: of('x', 'system:masters'),
      asked: { verb: 'x', path: '/' },
      by: '',
    },
  ])('$rule', ({ user, asked, by, errors = '' }) => {
    const reason = by ? `RBAC: allowed by ${by}` : errors;
    expect(policy.authorize({ user, ...asked })).toEqual({ allowed: by !== undefined, reason });
  });

  it('lists the rules of a user, everywhere and in a namespace', () => {
    expect(policy.rulesFor(of('ann'), '').rules).toHaveLength(1);
    expect(policy.rulesFor(of('ann'), 'n').rules).toHaveLength(2);
    expect(policy.rulesFor(of('eve'), 'm')).toMatchObject({ rules: [], errors: { length: 2 } });
  });
});

it('names what a user grants and does not have', () => {
  const held = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }], errors: [] };
  const wanted = [{ apiGroups: ['', 'apps'], resources: ['pods'], verbs: ['list', 'delete'] }];
  expect(escalationOf(of('ann', 'team', 'x'), held, wanted)).toBe(
    'user "ann" (groups=["team" "x"]) is attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n' +
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["list" "delete"]}',
  );
  expect(escalationOf(of('ann'), held, held.rules)).toBeUndefined();
});

it('aggregates the rules of labelled roles in the order of their names, each once', () => {
  const rule = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
  const labelled = (name: string, ...rules: PolicyRule[]): Role => {
    const { metadata, ...rest } = role(name, rules);
    return { ...rest, metadata: { ...metadata, labels: { to: 'view' } } };
  };
  const view: Role = {
    ...labelled('view', rule('old')),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'view' } }] },
  };
  const others = [labelled('z', rule('a'), rule('b')), labelled('a', rule('b')), role('other', [rule('c')])];
  expect(aggregatedRules(view, [view, ...others])).toEqual([rule('b'), rule('a')]);
  expect(aggregatedRules(others[0]!, others)).toBeUndefined();
});
