/** etcd and serving certificates of a real cluster, reached through its API server. */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { nodes, type RealCluster, startCluster, versions } from './real-cluster.ts';

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());
const workload = createWorkload({ transport: httpsTransport() });

describe(`etcd ${versions.etcd} behind Kubernetes ${versions.kubernetes}`, () => {
  it('tells its members, who leads, and that nothing alarms it', async () => {
    const status = await workload.read('etcd', cluster.etcdAccess());
    expect(status?.members.map(({ name }) => name).sort()).toEqual(nodes);
    expect(status?.members.map(({ id }) => id)).toContain(status?.leader);
    expect(status?.alarms).toEqual([]);
  });

  it('shows when the API server of a node has to be given a new certificate', async () => {
    const answer = await workload.read('certificateExpiry', { kubeconfig: cluster.kubeconfig, node: 'node-b' });
    const { validTo } = new X509Certificate(cluster.apiCertificate);
    expect(Date.parse(answer?.notAfter ?? '')).toBe(Date.parse(validTo));
  });
});
