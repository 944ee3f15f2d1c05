/** The Workload port on a real cluster. */
import { afterAll } from 'vitest';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { workloadContract } from '../contract/workload.contract.ts';
import { authority, certify } from './certificates.ts';
import { kubeconfigOf, nodes, type RealCluster, startCluster, versions } from './real-cluster.ts';

let cluster: RealCluster | undefined;
afterAll(() => cluster?.stop());

workloadContract(`Kubernetes ${versions.kubernetes} with etcd ${versions.etcd}`, async () => {
  cluster = await startCluster();
  const { authorities, server, kubeconfig, request, gateway } = cluster;
  const ca = authorities.cluster.certificate;
  const administrator = { name: 'admin', organizations: ['system:masters'] };
  const otherAuthority = authority('kubernetes');
  const strangeClient = certify(authority('etcd-ca'), ['client'], { name: 'capstan' });
  const setStatus = (path: string, status: object) => request('PATCH', `${path}/status`, { status: status as never });
  return {
    workload: createWorkload({ transport: httpsTransport() }),
    kubeconfig,
    others: {
      powerless: kubeconfigOf(server, ca, certify(authorities.cluster, ['client'], { name: 'dev' })),
      otherAdministrator: kubeconfigOf(server, ca, certify(otherAuthority, ['client'], administrator)),
      distrustful: kubeconfigOf(
        server,
        otherAuthority.certificate,
        certify(authorities.cluster, ['client'], administrator),
      ),
    },
    gitVersion: versions.kubernetes,
    many: 1203,
    nodes: [...nodes],
    etcd: cluster.etcdAccess(),
    strangeEtcd: {
      ...cluster.etcdAccess(),
      caCertificate: authority('etcd-ca').certificate,
      clientCertificate: strangeClient.certificate,
      clientKey: strangeClient.key,
    },
    // No kubelet or controller runs here, so the test writes what they would write.
    run: async (pod) => {
      const { namespace, name } = pod.metadata as { namespace: string; name: string };
      await request('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
      await setStatus(`/api/v1/namespaces/${namespace}/pods/${name}`, {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        podIPs: [{ ip: '10.0.0.1' }],
        podIP: '10.0.0.1',
      });
    },
    judged: async (namespace, name, allowed) => {
      const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${name}`;
      await setStatus(path, {
        observedGeneration: 1,
        disruptionsAllowed: allowed,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      });
    },
    raiseAlarm: async () => {
      const [first] = (await gateway('/v3/cluster/member/list')).members as { ID: string }[];
      await gateway('/v3/maintenance/alarm', { action: 'ACTIVATE', memberID: first!.ID, alarm: 'NOSPACE' });
    },
  };
});
