import { describe, expect, it } from 'vitest';
import { administratorsGroup, breakGlassGroup, viewersGroup } from '../../kinds/common/groups.ts';
import { bindingOf, createRightsWorld, giveNamespace, rbac, roleOf } from './world.ts';

const configMaps = '/api/v1/namespaces/team/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const secrets = '/api/v1/namespaces/team/secrets';
const clusters = '/apis/cluster.x-k8s.io/v1beta2/namespaces/team/clusters';
const bindings = `${rbac}/namespaces/team/rolebindings`;
const roles = `${rbac}/namespaces/team/roles`;

const withTeam = async (role = 'edit') => {
  const world = createRightsWorld();
  await giveNamespace(world, 'team', 'ann', role);
  return { ...world, world, ann: world.as('ann') };
};

describe('a user without bindings', () => {
  it('reads discovery and the own identity alone', async () => {
    const { as } = createRightsWorld();
    const bob = as('bob');
    for (const path of ['/api', '/apis', '/apis/cluster.x-k8s.io/v1beta2', '/openapi/v3', '/version'])
      expect((await bob.get(path)).status, path).toBe(200);
    for (const path of ['/', '/metrics', '/api/v1/namespaces', configMaps, '/api/v1/namespaces/default'])
      expect((await bob.get(path)).status, path).toBe(403);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body } = await bob.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
    expect(body.status).toEqual({ userInfo: { username: 'bob', groups: ['system:authenticated'] } });
  });

  it.each([
    [
      configMaps,
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "team"',
    ],
    [
      '/api/v1/namespaces/team',
      'namespaces "team" is forbidden: User "bob" cannot get resource "namespaces" in API group "" in the namespace "team"',
    ],
    [
      '/api/v1/namespaces',
      'namespaces is forbidden: User "bob" cannot list resource "namespaces" in API group "" at the cluster scope',
    ],
    ['/metrics', 'forbidden: User "bob" cannot get path "/metrics"'],
  ])('gets the words of Kubernetes for %s', async (path, message) => {
    const { as } = createRightsWorld();
    expect((await as('bob').get(path)).body).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });
});

describe('the users whom the deployment names', () => {
  it('are administrators by a binding', async () => {
    const { as, events } = createRightsWorld();
    const admin = as(`arn+${administratorsGroup}`);
    expect((await admin.post('/api/v1/namespaces/default/configmaps', configMap('a'))).status).toBe(201);
    expect(events.at(-1)!.annotations['authorization.k8s.io/reason']).toBe(
      'RBAC: allowed by ClusterRoleBinding "capstan:administrators" of ClusterRole "cluster-admin" to Group "capstan:administrators"',
    );
  });

  it('are viewers, who read everything but Secrets and change nothing', async () => {
    const { as } = createRightsWorld();
    const viewer = as(`arn+${viewersGroup}`);
    const readable = [
      '/api/v1/configmaps',
      '/api/v1/namespaces',
      '/apis/cluster.x-k8s.io/v1beta2/machines',
      '/metrics',
    ];
    const more = [
      '/apis/capstan.dev/v1alpha1/installations',
      `${rbac}/clusterroles`,
      '/apis/infrastructure.cluster.x-k8s.io/v1beta2/awsclustercontrolleridentities',
    ];
    for (const path of [...readable, ...more]) expect((await viewer.get(path)).status, path).not.toBe(403);
    for (const path of ['/api/v1/secrets', '/api/v1/namespaces/default/secrets/a'])
      expect((await viewer.get(path)).status, path).toBe(403);
    expect((await viewer.post('/api/v1/namespaces/default/configmaps', configMap('a'))).status).toBe(403);
  });

  it('lose what their binding no longer grants', async () => {
    const { as, root } = createRightsWorld();
    const viewer = as(`arn+${viewersGroup}`);
    expect((await viewer.get('/api/v1/configmaps')).status).toBe(200);
    await root.delete(`${rbac}/clusterrolebindings/capstan:viewers`);
    expect((await viewer.get('/api/v1/configmaps')).status).toBe(403);
  });

  it('pass without any right by breaking the glass, which the audit log tells', async () => {
    const { as, root, events } = createRightsWorld();
    await root.delete(`${rbac}/clusterrolebindings/capstan:administrators`);
    const admin = as(`arn+${administratorsGroup}`);
    expect((await admin.get('/api/v1/secrets')).status).toBe(403);
    const glass = as(`arn+${breakGlassGroup}`);
    expect((await glass.get('/api/v1/secrets')).status).toBe(200);
    expect(events.at(-1)!.annotations).toMatchObject({
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': expect.stringContaining('break glass'),
    });
    const binding = bindingOf('admins', 'ClusterRole/cluster-admin', 'ann');
    expect((await glass.post(`${rbac}/clusterrolebindings`, binding)).status).toBe(201);
  });

  it('cannot be impersonated to break the glass', async () => {
    const { root } = createRightsWorld();
    const headers = { 'impersonate-user': 'ann', 'impersonate-group': breakGlassGroup };
    expect((await root.get('/api/v1/secrets', headers)).status).toBe(403);
  });
});

it('an installation without a policy in its store serves the default one before it has written anything', async () => {
  const { as, foundation } = createRightsWorld();
  expect((await as('bob').get('/apis')).status).toBe(200);
  expect((await as(`arn+${viewersGroup}`).get('/api/v1/configmaps')).status).toBe(200);
  const { objects } = await foundation.store.list('clusterrolebindings.rbac.authorization.k8s.io');
  expect(objects.map(({ metadata }) => metadata.name)).toContain('cluster-admin');
});

describe('the default policy', () => {
  it('is repaired by the next process, unless an administrator protects an object', async () => {
    const { root, elsewhere } = createRightsWorld();
    await root.delete(`${rbac}/clusterroles/system:monitoring`);
    const role = `${rbac}/clusterroles/system:basic-user`;
    await root.patch(role, 'merge', {
      rules: [],
      metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    });
    const view = `${rbac}/clusterroles/system:aggregate-to-view`;
    await root.patch(view, 'merge', { rules: [{ apiGroups: ['example.com'], resources: ['own'], verbs: ['get'] }] });
    const other = elsewhere('root+system:masters');
    expect((await other.get(`${rbac}/clusterroles/system:monitoring`)).status).toBe(200);
    expect((await other.get(role)).body).toMatchObject({ rules: [] });
    const { rules } = (await other.get(`${rbac}/clusterroles/view`)).body as unknown as {
      rules: { resources: string[] }[];
    };
    expect(rules.flatMap(({ resources }) => resources)).toEqual(expect.arrayContaining(['own', 'configmaps']));
  });

  it('aggregates the roles that users label', async () => {
    const { root, ann } = await withTeam('view');
    const widgets = '/apis/example.com/v1/namespaces/team/widgets';
    expect((await ann.get(widgets)).status).toBe(403);
    const rules = [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['list'] }];
    const role = roleOf('widgets-view', rules);
    role.metadata.labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    expect((await root.post(`${rbac}/clusterroles`, role)).status).toBe(201);
    // Allowed, though nothing is served there.
    expect((await ann.get(widgets)).status).toBe(404);
    for (const name of ['view', 'edit', 'admin'])
      expect((await root.get(`${rbac}/clusterroles/${name}`)).text, name).toContain('widgets');
    await root.delete(`${rbac}/clusterroles/widgets-view`);
    expect((await ann.get(widgets)).status).toBe(403);
  });
});

describe('the roles of a team', () => {
  it.each([
    { role: 'view', reads: true, secrets: false, writes: false, binds: false },
    { role: 'edit', reads: true, secrets: true, writes: true, binds: false },
    { role: 'admin', reads: true, secrets: true, writes: true, binds: true },
  ])('$role', async ({ role, reads, secrets: readsSecrets, writes, binds }) => {
    const { ann } = await withTeam(role);
    const may = async (answer: Promise<{ status: number }>) => (await answer).status !== 403;
    expect({
      reads:
        (await may(ann.get(configMaps))) &&
        (await may(ann.get(clusters))) &&
        (await may(ann.get('/api/v1/namespaces/team'))),
      secrets: await may(ann.get(secrets)),
      writes: (await may(ann.post(configMaps, configMap('a')))) && (await may(ann.post(clusters, {}))),
      binds: await may(ann.post(bindings, bindingOf('b', 'ClusterRole/view', 'bob', 'team'))),
    }).toEqual({ reads, secrets: readsSecrets, writes, binds });
    expect((await ann.patch(`${clusters}/a/status`, 'merge', {})).status).toBe(403);
    expect((await ann.patch('/api/v1/namespaces/team', 'merge', {})).status).toBe(403);
  });
});

describe('a user who grants rights', () => {
  const grant = { apiGroups: [''], resources: ['namespaces'], verbs: ['delete'] };

  it('creates no role with rights that the user does not have', async () => {
    const { ann } = await withTeam('admin');
    const { body } = await ann.post(roles, roleOf('r', [grant], 'team'));
    expect(body).toMatchObject({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["namespaces"], Verbs:["delete"]}',
    });
    expect((await ann.post(roles, roleOf('r', [{ ...grant, verbs: ['get'] }], 'team'))).status).toBe(201);
    expect((await ann.patch(`${roles}/r`, 'merge', { rules: [grant] })).status).toBe(403);
    expect((await ann.patch(`${roles}/r`, 'merge', { metadata: { finalizers: ['example.com/x'] } })).status).toBe(200);
  });

  it('binds no role with rights that the user does not have', async () => {
    const { ann, root } = await withTeam('admin');
    await root.post(roles, roleOf('strong', [grant], 'team'));
    const bind = (to: string) => ann.post(bindings, bindingOf('b', to, 'ann', 'team'));
    expect((await bind('Role/strong')).body.message).toContain(
      'is attempting to grant RBAC permissions not currently held',
    );
    expect((await bind('ClusterRole/cluster-admin')).status).toBe(403);
    expect((await bind('ClusterRole/absent')).body).toMatchObject({
      code: 404,
      message: 'clusterroles.rbac.authorization.k8s.io "absent" not found',
    });
    expect((await ann.post(`${rbac}/clusterrolebindings`, bindingOf('b', 'ClusterRole/view', 'ann'))).status).toBe(403);
  });

  it('may bind with the verb bind, and escalate with the verb escalate', async () => {
    const { ann, root } = await withTeam('admin');
    const rules = [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['cluster-admin'],
        verbs: ['bind'],
      },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['escalate'] },
    ];
    await root.post(roles, roleOf('more', rules, 'team'));
    await root.post(bindings, bindingOf('more', 'Role/more', 'ann', 'team'));
    expect((await ann.post(bindings, bindingOf('b', 'ClusterRole/cluster-admin', 'bob', 'team'))).status).toBe(201);
    expect((await ann.post(roles, roleOf('r', [grant], 'team'))).status).toBe(201);
  });

  it('needs all rights to aggregate', async () => {
    const { root, as } = createRightsWorld();
    const rbacRules = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] };
    await root.post(`${rbac}/clusterroles`, roleOf('roles', [rbacRules]));
    await root.post(`${rbac}/clusterrolebindings`, bindingOf('roles', 'ClusterRole/roles', 'eve'));
    const role = { ...roleOf('all', []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    expect((await as('eve').post(`${rbac}/clusterroles`, role)).body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
  });
});

describe('a role or a binding', () => {
  it.each([
    {
      rule: 'needs verbs',
      object: roleOf('r', [{ apiGroups: [''], resources: ['pods'] } as never], 'team'),
      says: 'Role.rbac.authorization.k8s.io "r" is invalid: rules[0].verbs: Required value: verbs must contain at least one value',
    },
    {
      rule: 'needs groups',
      object: roleOf('r', [{ resources: ['pods'], verbs: ['get'] }], 'team'),
      says: 'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    },
    {
      rule: 'has no paths in a namespace',
      object: roleOf('r', [{ nonResourceURLs: ['/x'], verbs: ['get'] }], 'team'),
      says: 'namespaced rules cannot apply to non-resource URLs',
    },
    {
      rule: 'binds a role',
      object: bindingOf('b', 'User/x', 'ann', 'team'),
      says: 'roleRef.kind: Unsupported value: "User": supported values: "Role", "ClusterRole"',
    },
    {
      rule: 'names subjects',
      object: bindingOf('b', 'ClusterRole/view', '', 'team'),
      says: 'subjects[0].name: Required value',
    },
  ])('$rule', async ({ object, says }) => {
    const { root } = await withTeam();
    const path = object.kind === 'Role' ? roles : bindings;
    const { status, body } = await root.post(path, object);
    expect({ status, message: body.message }).toEqual({ status: 422, message: expect.stringContaining(says) });
  });

  it('keeps its role', async () => {
    const { root } = await withTeam();
    const { status, body } = await root.patch(`${bindings}/ann-edit`, 'merge', { roleRef: { name: 'admin' } });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message:
        'RoleBinding.rbac.authorization.k8s.io "ann-edit" is invalid: roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"admin"}: cannot change roleRef',
    });
  });
});

describe('a change of rights', () => {
  it('is served at once by its process, and within a second by others', async () => {
    const { clock, root, ann, elsewhere } = await withTeam();
    const there = elsewhere('ann');
    expect([(await ann.get(configMaps)).status, (await there.get(configMaps)).status]).toEqual([200, 200]);
    await root.delete(`${bindings}/ann-edit`);
    expect((await ann.get(configMaps)).status).toBe(403);
    await clock.advance(1001);
    expect((await there.get(configMaps)).status).toBe(403);
    await root.post(bindings, bindingOf('again', 'ClusterRole/view', 'ann', 'team'));
    // A refusal is never older than its request.
    expect((await there.get(configMaps)).status).toBe(200);
  });

  it('ends the watches of who has lost the right to them', async () => {
    const { clock, root, elsewhere } = await withTeam();
    const watch = await elsewhere('ann').watch(`${configMaps}?watch=true`);
    await root.post(configMaps, configMap('a'));
    await clock.advance(6000);
    await root.delete(`${bindings}/ann-edit`);
    await clock.advance(6000);
    await root.post(configMaps, configMap('b'));
    await clock.advance(2000);
    const events = [await watch.next(), await watch.next(), await watch.next()];
    expect(events.map((event) => event && [event.type, event.object.code ?? event.object.metadata.name])).toEqual([
      ['ADDED', 'a'],
      ['ERROR', 403],
      undefined,
    ]);
  });

  it('costs at most one read a second', async () => {
    const { clock, foundation, ann } = await withTeam();
    let reads = 0;
    const { mark } = foundation.store;
    foundation.store.mark = (name) => {
      reads++;
      return mark(name);
    };
    await clock.advance(2000);
    for (let i = 0; i < 5; i++) await ann.get(configMaps);
    expect(reads).toBe(1);
  });
});

describe('impersonation', () => {
  const masquerade = { 'impersonate-user': 'ann', 'impersonate-group': 'team-a' };

  it('serves a request with the rights of another user, and records both', async () => {
    const { root, events, world } = await withTeam();
    expect((await root.get(configMaps, masquerade)).status).toBe(200);
    expect((await root.get('/api/v1/secrets', masquerade)).status).toBe(403);
    expect(events.at(-1)).toMatchObject({
      user: { username: 'root' },
      impersonatedUser: { username: 'ann', groups: ['team-a', 'system:authenticated'] },
    });
    await giveNamespace(world, 'other', 'bob');
    const { body } = await root.post(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      { 'impersonate-user': 'system:serviceaccount:team:deployer' },
    );
    expect(body.status).toMatchObject({
      userInfo: { groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'] },
    });
  });

  it.each([
    {
      headers: { 'impersonate-user': 'root' },
      says: 'users "root" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    },
    {
      headers: { 'impersonate-user': 'system:serviceaccount:other:s' },
      says: 'serviceaccounts "s" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "other"',
    },
    {
      headers: { 'impersonate-user': 'ok', 'impersonate-group': 'system:masters' },
      says: 'groups "system:masters" is forbidden: User "ann" cannot impersonate',
    },
    {
      headers: { 'impersonate-user': 'ok', 'impersonate-uid': '1' },
      says: 'uids.authentication.k8s.io "1" is forbidden',
    },
    {
      headers: { 'impersonate-user': 'ok', 'impersonate-extra-scopes': 'all' },
      says: 'userextras.authentication.k8s.io "all" is forbidden: User "ann" cannot impersonate resource "userextras/scopes"',
    },
  ])('needs a right to each part: $headers', async ({ headers, says }) => {
    const { root, ann } = await withTeam();
    const rules = [{ apiGroups: [''], resources: ['users'], resourceNames: ['ok'], verbs: ['impersonate'] }];
    await root.post(`${rbac}/clusterroles`, roleOf('act', rules));
    await root.post(`${rbac}/clusterrolebindings`, bindingOf('act', 'ClusterRole/act', 'ann'));
    const { status, body } = await ann.get(configMaps, headers as unknown as Record<string, string>);
    expect({ status, message: body.message }).toEqual({ status: 403, message: expect.stringContaining(says) });
    expect((await ann.get('/apis', { 'impersonate-user': 'ok' })).status).toBe(200);
  });

  it('needs a user', async () => {
    const { root } = createRightsWorld();
    expect((await root.get('/apis', { 'impersonate-group': 'x' })).body).toMatchObject({
      code: 400,
      message: 'requested groups without impersonating a user',
    });
  });
});

describe('reviews', () => {
  const review = (group: string, kind: string, spec: object) => ({ apiVersion: `${group}/v1`, kind, spec });
  const access = '/apis/authorization.k8s.io/v1';
  const list = (namespace: string) => ({ resourceAttributes: { verb: 'list', resource: 'configmaps', namespace } });

  it('tell a user what the user may do, and why', async () => {
    const { ann } = await withTeam();
    const ask = async (spec: object) =>
      (
        await ann.post(
          `${access}/selfsubjectaccessreviews`,
          review('authorization.k8s.io', 'SelfSubjectAccessReview', spec),
        )
      ).body.status;
    expect(await ask(list('team'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "ann-edit/team" of ClusterRole "edit" to User "ann"',
    });
    expect(await ask(list('other'))).toEqual({ allowed: false });
    const rules = await ann.post(
      `${access}/selfsubjectrulesreviews`,
      review('authorization.k8s.io', 'SelfSubjectRulesReview', { namespace: 'team' }),
    );
    expect(rules.body.status).toMatchObject({ incomplete: false });
    expect(rules.text).toContain('kubeadmcontrolplanes');
  });

  it('tell of others to who may ask', async () => {
    const { ann, root } = await withTeam();
    const spec = { ...list('team'), user: 'ann' };
    const asked = review('authorization.k8s.io', 'SubjectAccessReview', spec);
    expect((await ann.post(`${access}/subjectaccessreviews`, asked)).status).toBe(403);
    expect((await root.post(`${access}/subjectaccessreviews`, asked)).body.status).toMatchObject({ allowed: true });
    const { user, ...unnamed } = spec;
    expect((await root.post(`${access}/subjectaccessreviews`, { ...asked, spec: unnamed })).body).toMatchObject({
      code: 422,
      message: expect.stringContaining('at least one of user or group must be specified'),
    });
    const local = review('authorization.k8s.io', 'LocalSubjectAccessReview', spec);
    const path = (namespace: string) => `${access}/namespaces/${namespace}/localsubjectaccessreviews`;
    expect((await root.post(path('team'), local)).body.status).toMatchObject({ allowed: true });
    expect((await root.post(path('other'), local)).body.message).toContain('must match metadata.namespace');
  });

  it('tell whose a token is', async () => {
    const { root } = createRightsWorld();
    const ask = async (spec: object) =>
      (
        await root.post(
          '/apis/authentication.k8s.io/v1/tokenreviews',
          review('authentication.k8s.io', 'TokenReview', spec),
        )
      ).body.status;
    expect(await ask({ token: 'bob+team' })).toEqual({
      authenticated: true,
      user: { username: 'bob', groups: ['team', 'system:authenticated'] },
    });
    expect(await ask({ token: 'bob', audiences: ['elsewhere'] })).toMatchObject({ authenticated: false });
  });
});
