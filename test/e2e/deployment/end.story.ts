/** Updating an installation in use, and destroying it. */
import { describe, expect, it } from 'vitest';
import type { Installation } from './installation.ts';

export const endStory = (installation: () => Installation) =>
  describe('an installation', () => {
    it('keeps its objects across an update', async () => {
      const { ok, command, place } = installation();
      await ok('create', 'configmap', 'kept', '--from-literal=a=b');
      const uid = await ok('get', 'configmap', 'kept', '-o', 'jsonpath={.metadata.uid}');
      const { code, stderr } = await command('deploy', '--region', place.region, '--context', 'maxConcurrency=3');
      expect(code, stderr).toBe(0);
      expect(await ok('get', 'configmap', 'kept', '-o', 'jsonpath={.metadata.uid}')).toBe(uid);
    });

    it('is not destroyed while it has a cluster', async () => {
      const { kubectlOf, command, place, ok } = installation();
      const cluster = {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'alive' },
        spec: {
          paused: true,
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'alive' },
        },
      };
      const created = await kubectlOf(JSON.stringify(cluster), 'create', '-f', '-');
      expect(created.code, created.stderr).toBe(0);
      const refused = await command('destroy', '--region', place.region, '--yes');
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('alive');
      expect(await ok('get', 'cluster', 'alive', '-o', 'name')).toContain('alive');
      await ok('patch', 'cluster', 'alive', '--type=merge', '-p', '{"spec":{"paused":false}}');
      await ok('delete', 'cluster', 'alive', '--wait=false');
      await installation().until(
        'it is gone',
        () => ok('get', 'clusters', '-o', 'name'),
        (seen) => seen === '',
      );
    });

    it('is destroyed when it is empty, and its tables are retained', async () => {
      const { command, place, kubectl } = installation();
      const { code, stdout, stderr } = await command('destroy', '--region', place.region, '--yes');
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/table/i);
      expect((await kubectl('get', 'configmaps')).code).not.toBe(0);
    });
  });
