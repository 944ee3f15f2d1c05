/** The state inside a cluster returns to a snapshot, after all of its control plane is lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspect } from '../../../adapters/snapshots/inspect.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import { openAccount } from './account.ts';
import type { Installation } from './installation.ts';
import { settled } from './life.story.ts';

/** In a story of the cluster, which has one control-plane Machine. */
export const etcdStory = (installation: () => Installation, cluster: string): void => {
  const capstan = async (...args: string[]) => {
    const { code, stdout, stderr } = await installation().capstan(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  /** Stock kubectl at the cluster, whose load balancer only the emulator's proxy knows. */
  const workload = async (...args: string[]) => {
    const { place, directory, kubectlWith } = installation();
    const KUBECONFIG = join(directory, `${cluster}.kubeconfig`);
    writeFileSync(KUBECONFIG, await capstan('get', 'kubeconfig', cluster));
    const proxy = place.emulator && { HTTPS_PROXY: place.emulator.proxy };
    const { code, stdout, stderr } = await kubectlWith({ KUBECONFIG, ...proxy }, ...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  let snapshot: string;

  it('writes a snapshot of its etcd, which an administrator can download', async () => {
    await workload('create', 'configmap', 'before');
    const taken = await capstan('snapshot', 'create', cluster);
    snapshot = /^etcdsnapshot\/(\S+) is complete/.exec(taken)?.[1] ?? '';
    expect(snapshot, taken).toMatch(/^quickstart-/);
    expect(await capstan('snapshot', 'verify', snapshot)).toContain('is valid');
    const to = join(installation().directory, 'snapshot.db');
    await capstan('snapshot', 'download', snapshot, '--to', to);
    const file = readFileSync(to);
    const { revision } = inspect({ size: file.length, read: (at, length) => file.subarray(at, at + length) });
    const { status } = await installation().json<{ status: { revision: number } }>('get', 'etcdsnapshot', snapshot);
    expect(revision).toBe(status.revision);
    await workload('create', 'configmap', 'after');
  });

  it('returns to the snapshot when its control plane is lost', async () => {
    const { ok, json, until, place } = installation();
    const [providerID = ''] = (
      await ok('get', 'machines', '-l', 'cluster.x-k8s.io/control-plane', '-o', 'jsonpath={.items[*].spec.providerID}')
    ).split(' ');
    const id = providerID.slice(providerID.lastIndexOf('/') + 1);
    await openAccount(place).terminate(place.region, [id]);
    await capstan('snapshot', 'restore', snapshot, '--yes');
    const { status } = await until(
      'the restore ends',
      () => json<ClusterOperation>('get', 'clusteroperation', `${cluster}-restore-1`),
      (seen) => /^(Succeeded|Held|Cancelled|RolledBack)$/.test(seen.status?.phase ?? ''),
      10,
    );
    expect(status).toMatchObject({ phase: 'Succeeded' });
    await settled(installation(), cluster);
    const names = await workload('get', 'configmaps', '-n', 'default', '-o', 'name');
    expect(names).toContain('configmap/before');
    expect(names).not.toContain('configmap/after');
    expect((await openAccount(place).instances(place.region)).find((one) => one.id === id)?.state).not.toBe('running');
  });
};
