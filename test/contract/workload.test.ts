import { afterAll } from 'vitest';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import type { Transport } from '../../kinds/ports/transport.ts';
import { guestTransport, type SimulatedGuests } from '../../simulation/workload/index.ts';
import { startControlPlanes } from '../simulation/workload-control-planes.ts';
import { type WorkloadWorld, workloadContract } from './workload.contract.ts';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

const simulated = (transportOf: (guests: SimulatedGuests) => Transport) => async (): Promise<WorkloadWorld> => {
  const cluster = await startControlPlanes();
  stops.push(cluster.stop);
  const { bench, kubeconfig, others, nodes, etcd, strangeEtcd } = cluster;
  return {
    workload: createWorkload({ transport: transportOf(bench.guests), pageSize: 10 }),
    kubeconfig,
    others,
    gitVersion: 'v1.35.0',
    many: 31,
    nodes,
    etcd,
    strangeEtcd,
    run: async (pod) => {
      await bench.workload.effect('create', { kubeconfig, object: pod });
      const { name } = pod.metadata as { name: string };
      await cluster.until(async () =>
        (await cluster.list('Pod')).some(
          ({ metadata, status }) => metadata.name === name && (status as { phase?: string }).phase === 'Running',
        ),
      );
    },
    judged: (namespace, name, allowed) =>
      cluster.until(async () => {
        const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name };
        const { status } = (await bench.workload.read('get', { kubeconfig, ...budget })) ?? {};
        const { disruptionsAllowed, expectedPods } = (status ?? {}) as Record<string, number>;
        return disruptionsAllowed === allowed && expectedPods === 1;
      }),
    raiseAlarm: async () => {
      const [simulation] = bench.guests.clusters.all();
      const { members, alarms } = simulation!.record.etcd;
      alarms.push({ memberID: members[0]!.id, type: 'NOSPACE' });
    },
  };
};

workloadContract('a simulated cluster, in the process', simulated(guestTransport));
workloadContract(
  'a simulated cluster, over TLS',
  simulated(() => httpsTransport()),
);
