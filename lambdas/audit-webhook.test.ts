import { describe, expect, it } from 'vitest';
import { proxyEventOf } from '../emulator/front/event.ts';
import { clusterSecret } from '../kinds/core/contract/cluster-secrets.ts';
import { receives } from './audit-webhook.ts';
import { createReceiving } from './runtime/receiving.ts';
import { createWorld, invocation } from './world.fixture.ts';

const lost = {
  stage: 'ResponseComplete',
  verb: 'patch',
  user: { username: 'system:serviceaccount:kube-system:node-controller' },
  objectRef: { resource: 'nodes', subresource: 'status', name: 'n' },
  responseStatus: { code: 200 },
};
const list = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [lost] });

const open = async () => {
  const world = createWorld();
  const { store, objects, work, queueOf, clock, random, log } = world.foundation;
  const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
  const key = { namespace: 'default', name: 'c-audit-webhook' };
  const secret = clusterSecret({ ...key, cluster: 'c', owner, values: { token: 'a-token' } });
  const object = { ...secret, metadata: { ...secret.metadata, uid: 'u' } };
  await store.commit('secrets', key, () => ({ do: 'put', object }));
  world.sent.length = 0;
  const receiving = createReceiving({ objects, work, queue: queueOf('workload', false), clock, random, log });
  const handler = receives(() => receiving);
  const post = (path: string, token: string, body = list) => {
    const request = new Request(`https://api.example.com${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    const event = proxyEventOf(request, { id: 'api', stage: 'v1' }, '111122223333');
    // The gateway passes every body in base64.
    return handler({ ...event, body: Buffer.from(body).toString('base64'), isBase64Encoded: true }, invocation);
  };
  return { world, post };
};

describe('the function of the audit webhook', () => {
  it('wakes the prober of the cluster on the hot queue of its workers', async () => {
    const { world, post } = await open();
    expect(await post('/capstan.dev/audit/default/c', 'a-token')).toMatchObject({ statusCode: 200 });
    expect(world.sent).toMatchObject([
      { worker: 'workload', slow: false, delay: 0, key: { controller: 'workload-prober', name: 'c' } },
    ]);
  });

  it.each([
    ['an unknown token', '/capstan.dev/audit/default/c', 'another', list, 401, 'Unauthorized'],
    ['another cluster', '/capstan.dev/audit/default/d', 'a-token', list, 401, 'Unauthorized'],
    ['another path', '/api/v1/secrets', 'a-token', list, 404, 'NotFound'],
    ['a body that is no list', '/capstan.dev/audit/default/c', 'a-token', '{}', 400, 'BadRequest'],
  ])('answers a Status for %s, and wakes no controller', async (_, path, token, body, code, reason) => {
    const { world, post } = await open();
    const answer = await post(path, token, body);
    expect(answer.statusCode).toBe(code);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', status: 'Failure', code, reason });
    expect(world.sent).toEqual([]);
  });
});
