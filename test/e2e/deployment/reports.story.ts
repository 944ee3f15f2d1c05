/** The audit webhook of the deployed form: a route, a function, a throttle and a token of its own. */
import { readFileSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { describe, expect, it } from 'vitest';
import { concurrencyOf } from '../../../cdk/concurrency.ts';
import type { Emulator } from '../../../emulator/index.ts';
import type { Installation } from './installation.ts';

const token = 'the-token-of-this-cluster';
const secret = (cluster: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${cluster}-audit-webhook`,
      namespace: 'default',
      labels: { 'cluster.x-k8s.io/cluster-name': cluster },
    },
    type: 'cluster.x-k8s.io/secret',
    stringData: { token },
  });
const report = JSON.stringify({
  kind: 'EventList',
  apiVersion: 'audit.k8s.io/v1',
  metadata: {},
  items: [
    {
      level: 'Metadata',
      stage: 'ResponseComplete',
      verb: 'patch',
      requestURI: '/api/v1/namespaces/default/pods/web/status',
      user: { username: 'system:kube-scheduler' },
      objectRef: { resource: 'pods', subresource: 'status', namespace: 'default', name: 'web' },
      responseStatus: { code: 200 },
    },
  ],
});

/** The status of a request with a bearer token. */
const send = ({ url, caFile }: Emulator, method: string, path: string, bearer: string, body = ''): Promise<number> => {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const options: RequestOptions = { method, headers, ca: readFileSync(caFile) };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(`${url}${path}`, options, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};
const auditPath = '/capstan.dev/audit/default/reporting';

export const reportsStory = (installation: () => Installation) =>
  describe('a report of an API server', () => {
    const emulatorOf = (): Emulator | undefined => installation().place.emulator;
    const invocationsOf = (emulator: Emulator, name: string): number =>
      Object.entries(emulator.counts()).find(([one]) => one.endsWith(`-${name}`))?.[1].invocations ?? 0;

    it('is received by a function of its own, if it has the token of its cluster', async () => {
      const emulator = emulatorOf();
      if (!emulator) return;
      const { apply, until } = installation();
      await apply(secret('reporting'));
      const invocations = () =>
        ['audit-webhook', 'api', 'reconcile-workload'].map((name) => invocationsOf(emulator, name));
      const [before, api, worker] = invocations() as [number, number, number];
      expect(await send(emulator, 'POST', auditPath, token, report)).toBe(200);
      expect(invocationsOf(emulator, 'audit-webhook') - before).toBe(1);
      expect(await send(emulator, 'POST', auditPath, 'another', report)).toBe(401);
      expect(await send(emulator, 'POST', '/capstan.dev/audit/default/other', token, report)).toBe(401);
      expect(invocationsOf(emulator, 'api'), 'the API receives none').toBe(api);
      await until(
        'a worker is woken',
        async () => invocationsOf(emulator, 'reconcile-workload'),
        (count) => count > worker,
      );
    });

    it('wakes, and does nothing else: its token opens no other path', async () => {
      const emulator = emulatorOf();
      if (!emulator) return;
      for (const path of ['/api/v1/namespaces/default/secrets', '/apis'])
        expect([path, await send(emulator, 'GET', path, token)]).toEqual([path, 401]);
      // The gateway has no route for it.
      expect(await send(emulator, 'GET', auditPath, token)).toBe(404);
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stolen' } });
      expect(await send(emulator, 'POST', '/api/v1/namespaces/default/configmaps', token, body)).toBe(401);
      const { kubectl } = installation();
      expect((await kubectl('get', 'configmap', 'stolen')).stderr).toContain('(NotFound)');
    });

    it('is refused in a flood, which leaves users their requests', async () => {
      const emulator = emulatorOf();
      if (!emulator) return;
      const before = invocationsOf(emulator, 'audit-webhook');
      const { rate, burst } = concurrencyOf({ accountConcurrency: emulator.concurrency }).reports;
      const began = Date.now();
      const flood = Array.from({ length: 300 }, () => send(emulator, 'POST', auditPath, token, report));
      const { ok } = installation();
      expect(await ok('get', 'namespace', 'default', '-o', 'name')).toContain('namespace/default');
      const codes = Map.groupBy(await Promise.all(flood), (code) => code);
      expect([...codes.keys()].filter((code) => code !== 200 && code !== 429)).toEqual([]);
      // However long this machine takes to send them.
      const seconds = (Date.now() - began) / 1000;
      const accepted = codes.get(200)?.length ?? 0;
      expect(accepted).toBeLessThanOrEqual(burst + Math.ceil(rate * seconds));
      expect(invocationsOf(emulator, 'audit-webhook') - before).toBe(accepted);
      await ok('delete', 'secret', 'reporting-audit-webhook');
    });
  });
