import { beforeEach, describe, expect, it } from 'vitest';
import { cancelOperation } from './cancel.ts';
import { aCluster, anOperation, openServer } from './server.fixture.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});
const cancel = (name = 'c-create-1') => cancelOperation(server.client, 'default', name);
const isAsked = async (name = 'c-create-1') =>
  ((await server.get('ClusterOperation', name)).spec as { cancel?: boolean }).cancel ?? false;

describe('capstan cancel operation', () => {
  it.each(['Pending', 'Running', 'Held'] as const)('cancels an operation that is %s', async (phase) => {
    await server.put(anOperation({ phase, step: 'Workers' }));
    expect(await cancel()).toBe(
      'clusteroperation/c-create-1 is being cancelled: what it made stays as it is.\nSee it with: kubectl get clop -n default -w',
    );
    expect(await isAsked()).toBe(true);
    await cancel();
  });

  it('says that an upgrade is undone as far as possible', async () => {
    await server.put(anOperation({ phase: 'Running', step: 'Workers' }, { type: 'upgrade' }));
    expect(await cancel('c-upgrade-1')).toContain('what can be undone is undone, the rest stays as it is');
    expect(await isAsked('c-upgrade-1')).toBe(true);
  });

  it('asks before it cancels an upgrade of which something new stays', async () => {
    const started = '2026-01-01T00:00:00Z';
    await server.put(aCluster());
    await server.put(anOperation({ phase: 'Running', step: 'ControlPlane', started }, { type: 'upgrade' }));
    await server.put({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: {
        name: 'c-1',
        namespace: 'default',
        labels: { 'cluster.x-k8s.io/cluster-name': 'c', 'cluster.x-k8s.io/control-plane': '' },
      },
      spec: {
        clusterName: 'c',
        version: 'v1.36.0',
        bootstrap: { dataSecretName: 'd' },
        infrastructureRef: { apiGroup: 'x.cluster.x-k8s.io', kind: 'Host', name: 'c-1' },
      },
      status: {
        nodeRef: { name: 'n' },
        conditions: [{ type: 'UpToDate', status: 'True', reason: 'UpToDate', lastTransitionTime: started }],
      },
    });
    await expect(cancel('c-upgrade-1')).rejects.toThrow(
      /^Cancelling c-upgrade-1 does not undo everything:\n {2}1 of 1 control-plane Machines are new and stay.*\n.*--yes$/,
    );
    expect(await isAsked('c-upgrade-1')).toBe(false);
    await cancelOperation(server.client, 'default', 'c-upgrade-1', { yes: true });
    expect(await isAsked('c-upgrade-1')).toBe(true);
  });

  it.each([
    'Succeeded',
    'TornDown',
    'Cancelled',
  ] as const)('refuses to cancel an operation that is %s', async (phase) => {
    await server.put(anOperation({ phase }));
    await expect(cancel()).rejects.toMatchObject({
      message: `operation c-create-1 is ${phase} already: there is nothing to cancel`,
      exitCode: 1,
    });
    expect(await isAsked()).toBe(false);
  });

  it('names the operation of a cluster whose name is given', async () => {
    const cluster = aCluster();
    const annotations = { 'capstan.dev/operation': 'c-upgrade-2' };
    await server.put({ ...cluster, metadata: { ...cluster.metadata, annotations } });
    await expect(cancel('c')).rejects.toThrow('"c" not found; the operation of Cluster c is c-upgrade-2');
    await expect(cancel('d')).rejects.toThrow(/"d" not found$/);
  });

  it('passes on the error of the server', async () => {
    await server.put(anOperation({ phase: 'Running' }, { type: 'delete' }));
    await expect(cancel('c-delete-1')).rejects.toMatchObject({
      message:
        'ClusterOperation.capstan.dev "c-delete-1" is invalid: spec.cancel: Forbidden: a deletion cannot be taken back, so it cannot be cancelled',
      exitCode: 1,
    });
    await expect(cancel('other')).rejects.toMatchObject({
      message: 'clusteroperations.capstan.dev "other" not found',
      exitCode: 1,
    });
  });
});
