/** What a user with rights in one namespace can do to others: nothing. */
import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { apiVersionOf, definitionOf, type KindDefinition } from '../../machinery/api/kind.ts';
import { reviewResources } from '../../machinery/server/review-resources.ts';
import { bindingOf, type Client, createRightsWorld, giveNamespace, type RightsWorld, rbac, roleOf } from './world.ts';

const [own, foreign] = ['mine', 'theirs'];
const canary = 'canary-of-another-team';
const name = `${canary}-name`;

const served = kinds.filter((kind) => kind.served !== false);
const groupPath = ({ group }: KindDefinition, version: string) =>
  group ? `/apis/${group}/${version}` : `/api/${version}`;
const objectOf = (kind: KindDefinition, version: string, namespace: string, called = name) => ({
  apiVersion: apiVersionOf(kind.group, version),
  kind: kind.kind,
  metadata: { name: called, ...(kind.namespaced && { namespace }), annotations: { note: canary } },
});

/** Requests with each method on everything under a collection. */
const requestsOf = (kind: KindDefinition, version: string, collection: string, namespace: string) => {
  const object = objectOf(kind, version, namespace);
  const one = `${collection}/${name}`;
  const patch = { 'content-type': 'application/merge-patch+json' };
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const parts = ['', '/status', '/scale', '/finalize', '/download'].map((part) => one + part);
  return [
    ['GET', collection],
    ['GET', `${collection}?watch=true&timeoutSeconds=1`],
    ['GET', `${collection}?fieldSelector=metadata.name%3D${name}`],
    ['POST', collection, object],
    ['POST', `${collection}?dryRun=All`, object],
    ['DELETE', collection],
    ...parts.flatMap((part) => [
      ['GET', part],
      ['PUT', part, object],
      ['PATCH', part, { metadata: { labels: { by: 'eve' } } }, patch],
      ['PATCH', `${part}?fieldManager=eve&force=true`, object, apply],
      ['DELETE', part],
      ['POST', part, object],
    ]),
  ] as [method: string, path: string, body?: object, headers?: Record<string, string>][];
};

describe('a user who may edit one namespace', () => {
  let world: RightsWorld;
  let eve: Client;
  let before: unknown;

  /** Everything in the foreign namespace and outside of all, with versions. */
  const state = async () => {
    const stored = await Promise.all(
      kinds.map(async (kind) => {
        const type = kind.storedAs ?? (kind.group ? `${kind.plural}.${kind.group}` : kind.plural);
        const { objects } = await world.foundation.store.list(type);
        return objects
          .filter(({ metadata }) => metadata.namespace !== own)
          .map(({ metadata }) => `${type} ${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);
      }),
    );
    return stored.flat();
  };

  beforeAll(async () => {
    world = createRightsWorld();
    eve = world.as('eve+team-of-eve');
    await giveNamespace(world, own, 'eve');
    await giveNamespace(world, foreign, 'ann');
    for (const kind of served) {
      const version = kind.versions.find(({ storage }) => storage)!.name;
      const key = { namespace: kind.namespaced ? foreign : '', name };
      const object = { ...objectOf(kind, version, foreign), data: { key: canary } };
      const type = kind.storedAs ?? (kind.group ? `${kind.plural}.${kind.group}` : kind.plural);
      const metadata = { ...object.metadata, uid: `uid-${type}`, creationTimestamp: '2026-01-01T00:00:00Z' };
      // Bindings of a wrong shape would stop the policy.
      if (kind.group === 'rbac.authorization.k8s.io') continue;
      await world.foundation.store.commit(type, key, (current) =>
        current ? { do: 'nothing', object: current } : { do: 'put', object: { ...object, metadata } },
      );
    }
    await world.root.post(
      `${rbac}/namespaces/${foreign}/roles`,
      roleOf(name, [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }], foreign),
    );
    await eve.get('/apis');
    before = await state();
  });

  it.each(
    served.flatMap((kind) =>
      kind.versions
        .filter((version) => version.served)
        .map((version) => [`${kind.plural}.${kind.group} ${version.name}`, kind, version.name] as const),
    ),
  )('reads and changes no foreign %s', async (_, of, version) => {
    const kind = await definitionOf(of);
    const collections = kind.namespaced
      ? [
          `${groupPath(kind, version)}/namespaces/${foreign}/${kind.plural}`,
          `${groupPath(kind, version)}/${kind.plural}`,
        ]
      : [`${groupPath(kind, version)}/${kind.plural}`];
    for (const collection of collections)
      for (const [method, path, body, headers] of requestsOf(kind, version, collection, foreign)) {
        // An object needs its namespace in the path.
        const answer = await eve.send(method, path, body, headers);
        expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(403);
        // The refusal repeats what the request names, and nothing else.
        expect(answer.text.replaceAll(name, '')).not.toContain(canary);
      }
    expect(await state()).toEqual(before);
  });

  it('gets the same answer for what exists and what does not', async () => {
    for (const path of [`/api/v1/namespaces/${foreign}/secrets`, `/api/v1/namespaces`, `${rbac}/clusterroles`]) {
      const [there, absent] = [await eve.get(`${path}/${name}`), await eve.get(`${path}/absent`)];
      expect(there.text.replaceAll(name, 'x')).toBe(absent.text.replaceAll('absent', 'x'));
    }
  });

  it.each([
    `/api/v1/namespaces/${own}/../${foreign}/secrets`,
    `/api/v1/namespaces/${own}/%2e%2e/${foreign}/secrets`,
    `/api/v1/namespaces/${own}%2F..%2F${foreign}/secrets`,
    `/api/v1/namespaces/${own}/secrets/..%2F..%2F${foreign}%2Fsecrets%2F${name}`,
    `/api/v1/namespaces/${own}/secrets/${foreign}%2F${name}`,
    `/api/v1/namespaces/${own}/secrets/${name}`,
    `/api/v1//namespaces/${foreign}/secrets`,
    `/api/v1/namespaces//${foreign}/secrets`,
    `//api/v1/namespaces/${foreign}/secrets`,
    `/API/v1/namespaces/${foreign}/secrets`,
    `/api/v1/Namespaces/${foreign}/Secrets`,
    `/api/v1/namespaces/${foreign}/secrets/`,
    `/api/v1/namespaces/${foreign}/secrets;a=b`,
    `/api/v1/namespaces/${foreign.replace('t', '%74')}/secrets`,
    `/api/v1/namespaces/${foreign}%00/secrets`,
    `/api/v1/namespaces/${foreign}?namespace=${own}`,
    `/api/v1/watch/namespaces/${foreign}/secrets`,
    `/api/v1/watch/secrets`,
    `/api/v1/proxy/namespaces/${foreign}/services/${name}`,
    `/api/v1/namespaces/${foreign}/services/${name}/proxy/`,
    `/api/v1/namespaces/%2A/secrets`,
    '/api/v1/namespaces/*/secrets',
    '/api/v1/secrets?fieldSelector=metadata.namespace%3Dmine',
    `/api/v1/namespaces/${own}/secrets?fieldSelector=metadata.namespace%3D${foreign}`,
    `/api/v1/namespaces/${own}/secrets?labelSelector=x!%3Dy&namespace=${foreign}`,
    `/apis//v1/namespaces/${foreign}/secrets`,
  ])('reads nothing by the path %s', async (path) => {
    const headers = { 'x-forwarded-uri': `/api/v1/namespaces/${own}/secrets`, 'x-http-method-override': 'GET' };
    const { text } = await eve.get(path, headers);
    expect(text.replaceAll(name, '')).not.toContain(canary);
  });

  it('reads nothing by continue tokens of its own making', async () => {
    const position = 9_000_000_000_000;
    for (const list of [`secrets/${own}`, `secrets/${foreign}`, 'secrets/undefined'])
      for (const after of ['', `${foreign}/`, `${own}/`, `${own}/\u{10ffff}`])
        for (const of of [undefined, { position: 1, at: world.clock.now() }, { position, at: world.clock.now() }]) {
          const token = Buffer.from(JSON.stringify({ list, after, of, left: 5 })).toString('base64url');
          const path = `/api/v1/namespaces/${own}/secrets?limit=500&continue=${token}`;
          const { text } = await eve.get(path);
          expect(text.replaceAll(name, '')).not.toContain(canary);
        }
  });

  it('puts nothing into another namespace by what a body says', async () => {
    const path = `/api/v1/namespaces/${own}/configmaps`;
    const object = (namespace: string, called = 'b') => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: called, namespace },
    });
    expect((await eve.post(path, object(own))).status).toBe(201);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const move = [{ op: 'replace', path: '/metadata/namespace', value: foreign }];
    const answers = [
      await eve.post(path, object(foreign)),
      await eve.send('PUT', `${path}/b`, object(foreign)),
      await eve.send('PATCH', `${path}/b?fieldManager=eve`, object(foreign), apply),
      await eve.send('PATCH', `${path}/new?fieldManager=eve`, object(foreign, 'new'), apply),
      await eve.patch(`${path}/b`, 'merge', { metadata: { namespace: foreign } }),
      await eve.patch(`${path}/b`, 'json', move),
      await eve.patch(`${path}/b`, 'strategic', { metadata: { namespace: foreign } }),
    ];
    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual(answers.map(() => 4));
    await eve.delete(`${path}/b`);
    expect(await state()).toEqual(before);
  });

  it('learns nothing of others by reviews', async () => {
    for (const { group, version, plural, kind, namespaced } of reviewResources) {
      if (kind.startsWith('Self')) continue;
      const path = `/apis/${group}/${version}/${namespaced ? `namespaces/${foreign}/` : ''}${plural}`;
      const spec = {
        user: 'ann',
        token: 'ann',
        resourceAttributes: { verb: 'get', resource: 'secrets', namespace: foreign },
      };
      expect((await eve.post(path, { apiVersion: `${group}/${version}`, kind, spec })).status, kind).toBe(403);
    }
  });

  it('gains nothing by roles and bindings', async () => {
    const roles = `${rbac}/namespaces/${own}/roles`;
    const bindings = `${rbac}/namespaces/${own}/rolebindings`;
    expect((await eve.post(roles, roleOf('r', [], own))).status).toBe(403);
    expect((await eve.post(bindings, bindingOf('b', 'ClusterRole/cluster-admin', 'eve', own))).status).toBe(403);
    await world.root.post(bindings, bindingOf('admin', 'ClusterRole/admin', 'eve', own));
    for (const to of ['ClusterRole/cluster-admin', 'ClusterRole/capstan:viewer', 'ClusterRole/system:auth-delegator'])
      expect((await eve.post(bindings, bindingOf('b', to, 'eve', own))).status, to).toBe(403);
    expect((await eve.post(`${rbac}/clusterrolebindings`, bindingOf('b', 'ClusterRole/view', 'eve'))).status).toBe(403);
    expect((await eve.post(bindings, bindingOf('b', `Role/${name}`, 'eve', own))).status).toBe(404);
    await world.root.delete(`${bindings}/admin`);
  });

  it.each([
    { 'impersonate-user': 'ann' },
    { 'impersonate-user': 'eve', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': `system:serviceaccount:${foreign}:default` },
    { 'impersonate-user': `system:serviceaccount:${own}:default` },
  ])('acts as no other user: %o', async (headers) => {
    const secrets = `/api/v1/namespaces/${foreign}/secrets`;
    expect((await eve.get(secrets, headers as unknown as Record<string, string>)).status).toBe(403);
  });

  it('deletes and blocks nothing by owner references', async () => {
    const owner = {
      apiVersion: 'v1',
      kind: 'Secret',
      name,
      uid: 'uid-secrets',
      controller: true,
      blockOwnerDeletion: true,
    };
    const path = `/api/v1/namespaces/${own}/configmaps`;
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences: [owner] } };
    expect((await eve.post(path, object)).status).toBe(201);
    expect((await eve.delete(`${path}/owned`, { propagationPolicy: 'Foreground' })).status).toBe(200);
    expect(await state()).toEqual(before);
  });

  it('keeps all rights of the own namespace', async () => {
    const path = `/api/v1/namespaces/${own}/secrets`;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
    expect((await eve.post(path, secret)).status).toBe(201);
    expect((await eve.get(path)).body.items).toHaveLength(1);
  });
});
