/** A simulated cluster of three control plane nodes on real sockets, and credentials for it. */
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { nodeNetwork } from '../../adapters/node/index.ts';
import type { EtcdAccess } from '../../kinds/ports/workload.ts';
import { initUserData, joinUserData } from './user-data.ts';
import { certificatesAt, hashOf, kubeconfigOf, openBench, testPki } from './workload-bench.ts';
import { tokenObject } from './workload-cluster.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const startControlPlanes = async () => {
  const now = Date.now();
  const certificates = certificatesAt(now);
  const others = certificatesAt(now);
  const network = nodeNetwork();
  const port = network.reserve();
  const endpoint = `127.0.0.1:${port}`;
  const bench = openBench({ clock: systemClock, storage: memoryStorage(systemClock), network, port, speed: 1000 });
  const kubeconfig = kubeconfigOf(endpoint, certificates, now);
  const until = async (done: () => Promise<boolean>) => {
    for (let tries = 0; !(await done().catch(() => false)); tries++) {
      if (tries > 1000) throw new Error(`not true after 50 s: ${JSON.stringify(bench.errors)}`);
      await wait(50);
    }
  };
  const list = async (kind: string) =>
    (await bench.workload.read('list', { kubeconfig, apiVersion: 'v1', kind }))?.items ?? [];

  const nodes = [bench.boot('i-a', initUserData({ certificates, endpoint }))];
  await until(async () => (await list('Node')).length === 1);
  const token = 'abcdef.0123456789abcdef';
  const expiration = new Date(now + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await bench.workload.effect('create', { kubeconfig, object: tokenObject(token, expiration) });
  const join = joinUserData({ endpoint, token, hash: hashOf(certificates), certificates });
  // One after the other, because kubeadm's etcd members join one by one.
  for (const id of ['i-b', 'i-c']) {
    nodes.push(bench.boot(id, join));
    await until(async () => (await list('Node')).length === nodes.length);
  }
  await until(async () => (await list('Pod')).filter(({ metadata }) => metadata.name.startsWith('etcd-')).length === 3);

  const etcdOf = ({ etcd }: typeof certificates): EtcdAccess => {
    const client = testPki.issue({ commonName: 'test', usages: ['client'], ca: etcd, days: 1, now });
    return {
      kubeconfig,
      caCertificate: etcd.certificate,
      clientCertificate: client.certificate,
      clientKey: client.key,
      nodes,
    };
  };
  await until(async () =>
    (await bench.workload.read('etcd', etcdOf(certificates)))!.members.every(({ isLearner }) => !isLearner),
  );

  return {
    bench,
    until,
    list,
    nodes,
    kubeconfig,
    others: {
      powerless: kubeconfigOf(endpoint, certificates, now, certificates.ca, ['dev']),
      otherAdministrator: kubeconfigOf(endpoint, certificates, now, others.ca),
      distrustful: kubeconfigOf(endpoint, { ...certificates, ca: others.ca }, now, certificates.ca),
    },
    etcd: etcdOf(certificates),
    strangeEtcd: etcdOf(others),
    stop: async () => {
      bench.guests.stop();
      await network.end();
    },
  };
};
