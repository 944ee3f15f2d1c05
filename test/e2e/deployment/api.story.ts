/** Stock kubectl on the deployed API, with an AWS identity. */
import { describe, expect, it } from 'vitest';
import type { Installation } from './installation.ts';

const configMap = (name: string, data: Record<string, string>) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const workers = (name: string, replicas: number | string) =>
  JSON.stringify({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name },
    spec: {
      clusterName: 'nobody',
      replicas,
      selector: { matchLabels: {} },
      template: {
        spec: {
          clusterName: 'nobody',
          version: 'v1.35.0',
          bootstrap: { dataSecretName: 'none' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 'none' },
        },
      },
    },
  });

export const apiStory = (installation: () => Installation) =>
  describe('stock kubectl', () => {
    it('discovers the kinds of Kubernetes and of Cluster API', async () => {
      const { ok } = installation();
      const known = await ok('api-resources', '-o', 'name');
      for (const name of ['configmaps', 'clusters.cluster.x-k8s.io', 'clusteroperations.capstan.dev'])
        expect(known.split('\n')).toContain(name);
      expect(await ok('explain', 'cluster.spec.clusterNetwork')).toContain('FIELD');
      expect(await ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toMatch(/^arn:aws/);
    });

    it('creates, reads, updates, scales and deletes', async () => {
      const { ok, apply, json } = installation();
      await apply(configMap('one', { colour: 'red' }));
      await ok('patch', 'configmap', 'one', '--type=merge', '-p', '{"data":{"colour":"blue"}}');
      expect((await json<{ data: unknown }>('get', 'configmap', 'one')).data).toEqual({ colour: 'blue' });
      await apply(workers('shrunk', 0));
      await ok('scale', 'machinedeployment/shrunk', '--replicas=2');
      expect(await ok('get', 'md', 'shrunk', '-o', 'jsonpath={.spec.replicas}')).toBe('2');
      expect(await ok('get', 'md')).toMatch(/NAME +CLUSTER/);
      await ok('scale', 'machinedeployment/shrunk', '--replicas=0');
      await ok('delete', 'machinedeployment/shrunk', 'configmap/one');
    });

    it('keeps large objects and every character', async () => {
      const { ok, kubectlOf, apply, json } = installation();
      const text = 'grün · 緑 · \u{1f33f} "\\\r\n\t'.repeat(5_000);
      expect((await kubectlOf(configMap('large', { text }), 'create', '-f', '-')).code).toBe(0);
      expect((await json<{ data: unknown }>('get', 'configmap', 'large')).data).toEqual({ text });
      await ok('delete', 'configmap', 'large');
      const data = { value: Buffer.from([0, 255, 128, 10, 13]).toString('base64') };
      await apply(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bytes' }, data }));
      expect((await json<{ data: unknown }>('get', 'secret', 'bytes')).data).toEqual(data);
      await ok('delete', 'secret', 'bytes');
    });

    it('watches, and receives each change while other requests are answered', async () => {
      const { apply, ok, watch, until } = installation();
      await apply(configMap('before', {}));
      const watching = watch('get', 'configmaps', '--watch', '--output-watch-events', '--no-headers');
      const untilPrinted = (what: RegExp) =>
        until(
          `is told of ${what}`,
          async () => watching.printed(),
          (seen) => what.test(seen),
        );
      try {
        await untilPrinted(/ADDED +before/);
        await apply(configMap('seen', { n: '1' }));
        await untilPrinted(/ADDED +seen/);
        await ok('patch', 'configmap', 'seen', '--type=merge', '-p', '{"data":{"n":"2"}}');
        await ok('delete', 'configmap', 'seen', 'before');
        await untilPrinted(/ADDED +seen[\s\S]*MODIFIED +seen[\s\S]*DELETED +seen/);
      } finally {
        await watching.stop();
      }
    });

    it('gets the errors of Kubernetes: 404, 409, 422', async () => {
      const { kubectl, kubectlOf, ok } = installation();
      expect((await kubectl('get', 'cluster', 'none')).stderr).toContain('(NotFound)');
      await ok('create', 'configmap', 'twice');
      expect((await kubectl('create', 'configmap', 'twice')).stderr).toContain('already exists');
      const stale = '{"metadata":{"resourceVersion":"1"},"data":{"a":"b"}}';
      expect((await kubectl('patch', 'configmap', 'twice', '--type=merge', '-p', stale)).stderr).toContain(
        '(Conflict)',
      );
      await ok('delete', 'configmap', 'twice');
      const invalid = await kubectlOf(workers('Not_A_Name', 1), 'create', '-f', '-');
      expect(invalid.stderr).toMatch(/is invalid: metadata\.name/);
    });

    it('is rejected without a known identity (401), and without the administrator role (403)', async () => {
      const { kubectlWith, place } = installation();
      const secret = { AWS_SECRET_ACCESS_KEY: 'somebody-elses' };
      expect((await kubectlWith(secret, 'get', 'configmaps')).stderr).toMatch(/Unauthorized|must be logged in/);
      if (!place.emulator) return;
      const { accessKeyId, secretAccessKey } = place.emulator.users.user('nobody', 'known-to-both');
      const unauthorized = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
      const { code, stderr } = await kubectlWith(unauthorized, 'get', 'configmaps');
      expect([code, stderr]).toEqual([1, expect.stringContaining('(Forbidden)')]);
    });
  });
