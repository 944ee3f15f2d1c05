/** AccessEntries: roles of AWS and groups of OpenID providers as users and groups. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../../machinery/api/kind.ts';
import { bindingOf, type Client, createRightsWorld, type RightsWorld, rbac, roleOf } from './world.ts';

const entries = '/apis/capstan.dev/v1alpha1/accessentries';
const configMaps = '/api/v1/namespaces/default/configmaps';
const role = 'arn:aws:iam::111122223333:role/Dev';

/** As STS and an OpenID provider report them, by token. */
const users: Record<string, User> = {
  dev: {
    username: role,
    uid: 'AROADEV:ann@example.com',
    groups: ['system:authenticated'],
    extra: { arn: ['arn:aws:sts::111122223333:assumed-role/Dev/ann@example.com'], sessionName: ['ann@example.com'] },
  },
  bob: {
    username: 'arn:aws:iam::111122223333:user/bob',
    uid: 'AIDABOB',
    groups: ['system:authenticated'],
    extra: { arn: ['arn:aws:iam::111122223333:user/bob'] },
  },
  pipeline: { username: 'https://ci.example.com#repo:team/app', groups: ['ci:team', 'system:authenticated'] },
  root: { username: 'root', groups: ['system:masters', 'system:authenticated'] },
};

const entryOf = (name: string, spec: object) => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'AccessEntry',
  metadata: { name },
  spec,
});

let world: RightsWorld;
let root: Client;
beforeEach(async () => {
  const authenticate = async (request: Request) =>
    users[request.headers.get('authorization')?.slice('Bearer '.length) ?? ''];
  world = createRightsWorld({ authenticate });
  root = world.as('root');
  await root.get('/api/v1/namespaces');
});

const whoIs = async (token: string, from: 'as' | 'elsewhere' = 'as') => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { body } = await world[from](token).post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
  const { username, groups } = (body.status as { userInfo: User }).userInfo;
  return { username, groups };
};
const create = async (name: string, spec: object) => {
  const { status, text } = await root.post(entries, entryOf(name, spec));
  expect(status, text).toBe(201);
};

describe('an identity', () => {
  it.each([
    {
      rule: 'of a role keeps its ARN and adds groups',
      as: 'dev',
      spec: { principalARN: 'arn:aws:iam::111122223333:role/path/Dev', groups: ['team-a'] },
      is: { username: role, groups: ['system:authenticated', 'team-a'] },
    },
    {
      rule: 'of a role is a user by session',
      as: 'dev',
      spec: { principalARN: role, username: 'dev:{{AccountID}}:{{SessionName}}' },
      is: { username: 'dev:111122223333:ann-example.com', groups: ['system:authenticated'] },
    },
    {
      rule: 'of a role is a user by its unchanged session',
      as: 'dev',
      spec: { principalARN: role, username: 'dev:{{SessionNameRaw}}' },
      is: { username: 'dev:ann@example.com', groups: ['system:authenticated'] },
    },
    {
      rule: 'is meant by its unique id',
      as: 'dev',
      spec: { principalARN: role, principalID: 'AROADEV', groups: ['team-a'] },
      is: { username: role, groups: ['system:authenticated', 'team-a'] },
    },
    {
      rule: 'with another unique id is another one of the same name',
      as: 'dev',
      spec: { principalARN: role, principalID: 'AROAFORMER', groups: ['team-a'] },
      is: { username: role, groups: ['system:authenticated'] },
    },
    {
      rule: 'of a user of IAM has a name',
      as: 'bob',
      spec: { principalARN: 'arn:aws:iam::111122223333:user/bob', username: 'bob', groups: ['team-a'] },
      is: { username: 'bob', groups: ['system:authenticated', 'team-a'] },
    },
    {
      rule: 'of an OpenID provider has the groups of its group',
      as: 'pipeline',
      spec: { oidcGroup: 'ci:team', groups: ['team-a'] },
      is: { username: 'https://ci.example.com#repo:team/app', groups: ['ci:team', 'system:authenticated', 'team-a'] },
    },
    {
      rule: 'without an entry is itself',
      as: 'bob',
      spec: { principalARN: role, groups: ['team-a'] },
      is: { username: 'arn:aws:iam::111122223333:user/bob', groups: ['system:authenticated'] },
    },
  ])('$rule', async ({ as, spec, is }) => {
    await create('entry', spec);
    expect(await whoIs(as)).toEqual(is);
    expect(await whoIs(as, 'elsewhere')).toEqual(is);
  });

  it('gains and loses rights with its entry, at once here and within a second elsewhere', async () => {
    const binding = bindingOf('team-a', 'ClusterRole/view', 'x', 'default');
    await root.post(`${rbac}/namespaces/default/rolebindings`, {
      ...binding,
      subjects: [{ kind: 'Group', name: 'team-a' }],
    });
    const [here, there] = [world.as('dev'), world.elsewhere('dev')];
    expect([(await here.get(configMaps)).status, (await there.get(configMaps)).status]).toEqual([403, 403]);
    await create('dev', { principalARN: role, groups: ['team-a'] });
    await world.clock.advance(1001);
    expect([(await here.get(configMaps)).status, (await there.get(configMaps)).status]).toEqual([200, 200]);
    await root.delete(`${entries}/dev`);
    expect((await here.get(configMaps)).status).toBe(403);
    await world.clock.advance(1001);
    expect((await there.get(configMaps)).status).toBe(403);
  });

  it('is the same to a TokenReview', async () => {
    await create('dev', { principalARN: role, groups: ['team-a'] });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'dev' } };
    expect((await root.post('/apis/authentication.k8s.io/v1/tokenreviews', review)).body.status).toMatchObject({
      authenticated: true,
      user: { username: role, groups: ['system:authenticated', 'team-a'] },
    });
  });
});

describe('an entry', () => {
  it.each([
    [{ groups: ['a'] }, 'spec.principalARN: Required value: or oidcGroup'],
    [
      { principalARN: role, oidcGroup: 'a', groups: ['a'] },
      'spec.oidcGroup: Forbidden: an entry has either principalARN or oidcGroup',
    ],
    [{ principalARN: role }, 'spec.groups: Required value: an entry has groups, a username or both'],
    [
      { principalARN: 'arn:aws:sts::111122223333:assumed-role/Dev/ann', groups: ['a'] },
      'must be the ARN of an IAM role or user',
    ],
    [
      { principalARN: role, groups: ['system:masters'] },
      'spec.groups[0]: Invalid value: "system:masters": must not begin with system:',
    ],
    [
      { principalARN: role, groups: ['capstan:administrators'] },
      'spec.groups[0]: Invalid value: "capstan:administrators": must not begin with',
    ],
    [
      { principalARN: role, username: 'system:admin' },
      'spec.username: Invalid value: "system:admin": must not begin with',
    ],
    [{ principalARN: role, username: 'arn:aws:iam::1:user/ann' }, 'must not begin with'],
    [{ principalARN: role, username: '{{SessionName}}' }, '{{SessionName}} must follow a colon'],
    [
      { principalARN: role, username: 'a:{{EC2PrivateDNSName}}' },
      'is none of {{AccountID}}, {{SessionName}} and {{SessionNameRaw}}',
    ],
    [
      { principalARN: 'arn:aws:iam::111122223333:user/bob', username: 'a:{{SessionName}}' },
      'a user of IAM has no sessions',
    ],
    [{ oidcGroup: 'a', username: 'b' }, 'spec.username: Forbidden: the members of a group keep their usernames'],
    [{ oidcGroup: 'system:authenticated', groups: ['b'] }, 'spec.oidcGroup: Invalid value'],
  ])('%j is refused', async (spec, message) => {
    const { body } = await root.post(entries, entryOf('entry', spec));
    expect(body).toMatchObject({ code: 422, message: expect.stringContaining(message) });
  });

  it('grants no name and no group as whom its writer may not act', async () => {
    const bob = world.as('bob');
    const { username } = users.bob!;
    const rules = [
      { apiGroups: ['capstan.dev'], resources: ['accessentries'], verbs: ['*'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['team-b'], verbs: ['impersonate'] },
    ];
    await root.post(`${rbac}/clusterroles`, roleOf('entries', rules));
    await root.post(`${rbac}/clusterrolebindings`, bindingOf('entries', 'ClusterRole/entries', username));
    expect((await bob.post(entries, entryOf('b', { principalARN: role, groups: ['team-b'] }))).status).toBe(201);
    const refused = [
      await bob.post(entries, entryOf('a', { principalARN: role, groups: ['team-b', 'team-a'] })),
      await bob.post(entries, entryOf('a', { principalARN: role, username: 'ann' })),
      await bob.patch(`${entries}/b`, 'merge', { spec: { groups: ['team-a'] } }),
    ];
    for (const { body } of refused)
      expect(body).toMatchObject({ code: 403, message: expect.stringContaining('may not impersonate') });
    expect((await bob.patch(`${entries}/b`, 'merge', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  });
});
