/** The controller of ToyMachinePools: numbered hosts, directly or through a ToyMachine for each. */
import { labels } from '../../kinds/common/labels.ts';
import { ownerReference } from '../../kinds/common/owners.ts';
import type { MachinePool } from '../../kinds/core/machine-pool/index.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { type Action, defineController, type Read } from '../../machinery/api/reconcile.ts';
import type { Host } from './cloud.ts';
import { clusterOf, ownerIn } from './infrastructure.ts';
import type { ToyMachinePool } from './kinds.ts';

const most = 6;
const numbered = (name: string): string[] => Array.from({ length: most }, (_, i) => `${name}-${i}`);

interface Observed {
  toyPool: ToyMachinePool;
  pool: MachinePool | undefined;
  hosts: Read<Host>[];
}

const call = (operation: string, input: object): Action => ({
  do: 'call',
  port: 'toy',
  operation,
  input: input as JsonValue,
  ...(operation === 'start' && { buys: true }),
});

const machineFor = (toyPool: ToyMachinePool, pool: MachinePool, name: string): KubeObject => ({
  apiVersion: toyPool.apiVersion,
  kind: 'ToyMachine',
  metadata: {
    name,
    namespace: toyPool.metadata.namespace ?? '',
    labels: { [labels.cluster]: clusterOf(toyPool) ?? '', [labels.pool]: pool.metadata.name },
    ownerReferences: [ownerReference(toyPool)],
  },
  spec: {},
});

export const toyMachinePoolController = defineController<ToyMachinePool, Observed>({
  name: 'toy-machine-pool',
  for: 'ToyMachinePool',
  worker: 'core',
  watches: [{ kind: 'MachinePool', to: 'dependents', level: 'note' }],
  finalizer: 'toymachinepool.infrastructure.cluster.x-k8s.io',
  clusterOf,
  conditions: 'none',
  observe: (toyPool, read) => ({
    toyPool,
    pool: ownerIn<MachinePool>(toyPool, 'MachinePool', read),
    hosts: numbered(toyPool.metadata.name).map((name) => read.ask<Host>('toy', 'get', { name })),
  }),
  reconcile: ({ toyPool, pool, hosts }) => {
    const names = numbered(toyPool.metadata.name);
    const isUp = (i: number) => hosts[i]?.state === 'found';
    const isGoing = toyPool.metadata.deletionTimestamp !== undefined;
    const wanted = isGoing || !pool?.spec?.template.spec.bootstrap.dataSecretName ? 0 : (pool.spec.replicas ?? 0);
    const surplus = names.filter((_, i) => isUp(i) && i >= wanted);
    const missing = names.filter((_, i) => !isUp(i) && i < wanted);
    if (isGoing && toyPool.spec?.machines && surplus.length === 0) return { finished: true };
    const version = pool?.spec?.template.spec.version ?? '';
    const actions: Action[] = toyPool.spec?.machines
      ? missing.map((name) => ({ do: 'create', object: machineFor(toyPool, pool!, name), buys: true }))
      : [
          ...surplus.map((name) => call('stop', { name })),
          ...missing.map((name) => call('start', { name, version, controlPlane: false })),
        ];
    if (isGoing) return actions.length > 0 ? { actions, again: true } : { finished: true };
    const there = names.filter((_, i) => isUp(i));
    return {
      intent: { spec: { providerIDList: there.map((name) => `toy:///${name}`) } },
      actions,
      status: {
        initialization: { provisioned: pool !== undefined },
        replicas: there.length,
        ...(toyPool.spec?.machines && { infrastructureMachineKind: 'ToyMachine' }),
      },
      ...(missing.length + surplus.length > 0 && { requeueAfter: 10 }),
    };
  },
});
