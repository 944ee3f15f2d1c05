/** A process that runs one simulated workload cluster and prints its kubeconfigs: `node workload-child.ts DIRECTORY`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock as clock } from '../../../adapters/memory/clock.ts';
import { memoryStorage } from '../../../adapters/memory/storage.ts';
import { nodeNetwork } from '../../../adapters/node/index.ts';
import { initUserData, joinUserData } from '../../simulation/user-data.ts';
import { certificatesAt, hashOf, kubeconfigOf, openBench } from '../../simulation/workload-bench.ts';
import { token, tokenObject } from '../../simulation/workload-cluster.ts';

const directory = process.argv[2]!;
const network = nodeNetwork();
const port = network.reserve();
const endpoint = `127.0.0.1:${port}`;
const certificates = certificatesAt(clock.now());
const otherCertificates = certificatesAt(clock.now());
const kubeconfig = kubeconfigOf(endpoint, certificates, clock.now());
writeFileSync(join(directory, 'kubeconfig'), kubeconfig);
writeFileSync(join(directory, 'stranger'), kubeconfigOf(endpoint, certificates, clock.now(), otherCertificates.ca));

const bench = openBench({ clock, storage: memoryStorage(clock), network, port, speed: 60 });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
bench.boot('i-control-plane', initUserData({ certificates, endpoint }));
while (!bench.guests.answers('i-control-plane', 6443, { protocol: 'HTTPS' })) await pause();
await bench.workload.effect('create', { kubeconfig, object: tokenObject(token, '2099-01-01T00:00:00Z') });
const registrationOf = (id: string) => ({
  name: '{{ ds.meta_data.local_hostname }}',
  kubeletExtraArgs: [{ name: 'provider-id', value: `aws:///us-east-1a/${id}` }],
});
for (const id of ['i-1', 'i-2']) {
  const document = { nodeRegistration: registrationOf(id) };
  bench.boot(id, joinUserData({ endpoint, token, hash: hashOf(certificates), document }));
}
const isReady = (text: string) => text.includes('"Ready","status":"True"');
for (;;) {
  const { items } = (await bench.workload.read('list', { kubeconfig, apiVersion: 'v1', kind: 'Node' }))!;
  if (items.length === 3 && items.every((node) => isReady(JSON.stringify(node)))) break;
  await pause();
}
process.stdout.write('ready\n');
