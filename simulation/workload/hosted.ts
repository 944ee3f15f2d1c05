/** Control planes that AWS runs: clusters without a machine of the account, whose tokens AWS signs. */
import type { Clock, Random } from '../../machinery/ports.ts';
import type { Guests, HostedControlPlane, HostedListener, Records } from '../ports.ts';
import type { Clusters } from './clusters.ts';
import { clusterObjects } from './kubeadm/cluster-objects.ts';
import { readInitConfig } from './kubeadm/config.ts';
import { parseVersion } from './kubeadm/version.ts';
import type { GuestPki } from './pki.ts';
import type { GuestRecord } from './records.ts';
import type { Roster } from './roster.ts';

export interface HostingOptions {
  clusters: Clusters;
  guests: Roster;
  records: Pick<Records<GuestRecord>, 'put'>;
  pki: GuestPki;
  random: Random;
  clock: Clock;
  listen: (listener: HostedListener) => void;
  close: (listenerArn: string) => void;
}

const years = 365;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** What only kubeadm writes. */
const ofKubeadm = ['kubeadm-config', 'kubelet-config', 'cluster-info'];

export const createHosting = (options: HostingOptions): Required<Pick<Guests, 'host' | 'abandon'>> => {
  const { clusters, guests, records, pki, random, clock } = options;

  const open = ({ id, name, createdAt, serviceSubnet }: HostedControlPlane) => {
    const known = clusters.get(id);
    if (known) return known;
    const now = clock.now();
    const ca = pki.authority({ commonName: 'kubernetes', days: 10 * years, now });
    const memberId = hex(random.bytes(8));
    const addresses = { peerURL: 'https://127.0.0.1:2380', clientURL: 'https://127.0.0.1:2379' };
    return clusters.open({
      id,
      createdAt,
      caCertificate: ca.certificate,
      caKey: ca.key,
      eksName: name,
      etcd: {
        clusterId: hex(random.bytes(8)),
        caCertificate: ca.certificate,
        caKey: ca.key,
        members: [{ id: memberId, name: id, instanceId: id, ...addresses, isLearner: false }],
        leader: memberId,
        alarms: [],
      },
      serviceSubnet,
    });
  };

  /** The API server as the record of a machine that no one sees. */
  const standIn = (plane: HostedControlPlane, ca: { certificate: string; key: string }): GuestRecord => {
    const { id, version, host, port, createdAt } = plane;
    const now = clock.now();
    const sans = [host, 'kubernetes.default.svc'];
    const issued = pki.issue({ commonName: 'kube-apiserver', sans, usages: ['server'], ca, days: years, now });
    return {
      instance: {
        instanceId: id,
        region: '',
        zone: '',
        instanceType: '',
        architecture: '',
        imageName: '',
        userData: '',
        privateIp: '',
        privateDnsName: '',
        tags: {},
      },
      bootedAt: createdAt,
      step: 0,
      isHosted: true,
      kubelet: {
        cluster: id,
        nodeName: '',
        registeredAt: createdAt,
        version,
        criSocket: '',
        externalCloud: false,
        labels: {},
        taints: [],
        apiServer: { port, version, ...issued },
        manifests: {},
      },
    };
  };

  const fill = async (plane: HostedControlPlane): Promise<void> => {
    const cluster = clusters.get(plane.id);
    const version = parseVersion(plane.version);
    if (!cluster || !version) return;
    const source = JSON.stringify({
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'ClusterConfiguration',
      kubernetesVersion: plane.version,
      networking: { serviceSubnet: plane.serviceSubnet },
    });
    const objects = clusterObjects({
      cluster: readInitConfig(source, version, clock.now()).cluster,
      server: `https://${plane.host}:${plane.port}`,
      caCertificate: cluster.record.caCertificate,
      tokens: [],
    });
    for (const object of objects) if (!ofKubeadm.includes(object.metadata.name)) await cluster.create(object);
  };

  return {
    host: (plane) => {
      const { id, port, host, version } = plane;
      const known = guests.get(id);
      if (known?.kubelet?.apiServer?.version !== version || !clusters.get(id)) {
        const { caCertificate, caKey } = open(plane).record;
        const record = standIn(plane, { certificate: caCertificate, key: caKey });
        guests.set(record);
        records.put(id, record);
      }
      options.listen({ listenerArn: id, host, port, healthyTargets: () => [{ instanceId: id, port }] });
      // A restart may have come before the last object.
      void fill(plane);
      return clusters.get(id)!.record.caCertificate;
    },
    abandon: (id) => {
      options.close(id);
      const record = guests.get(id);
      if (!record) return;
      record.haltedAt = clock.now();
      clusters.halted(record);
    },
  };
};
