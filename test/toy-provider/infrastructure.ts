/** The controllers of ToyClusters and ToyMachines. */
import { filledAnnotation, filledNote } from '../../kinds/common/filled.ts';
import { labels } from '../../kinds/common/labels.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { InfrastructureProvider } from '../../kinds/core/contract/infrastructure.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { type Action, defineController, found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Host } from './cloud.ts';
import type { ToyCluster, ToyMachine } from './kinds.ts';

export const ownerIn = <T extends KubeObject>(object: KubeObject, kind: string, read: Reader): T | undefined => {
  const owner = object.metadata.ownerReferences?.find((one) => one.kind === kind);
  return owner && found(read.get<T>(kind, { namespace: object.metadata.namespace ?? '', name: owner.name }));
};
export const clusterOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[labels.cluster];
const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

const isEmpty = (machines: Read<ToyMachine[]>): boolean => found(machines)?.length === 0;

const endpoint = { host: 'api.toy', port: 6443 };

export const toyClusterController = defineController<
  ToyCluster,
  { toyCluster: ToyCluster; cluster: Cluster | undefined; machines: Read<ToyMachine[]> }
>({
  name: 'toy-cluster',
  for: 'ToyCluster',
  worker: 'core',
  watches: [
    { kind: 'Cluster', to: 'dependents', level: 'gate' },
    { kind: 'ToyMachine', to: 'members' },
  ],
  finalizer: 'toycluster.infrastructure.cluster.x-k8s.io',
  clusterOf: ({ metadata }) => metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name,
  conditions: 'none',
  observe: (toyCluster, read) => {
    const { namespace = '', name } = toyCluster.metadata;
    return {
      toyCluster,
      cluster: ownerIn<Cluster>(toyCluster, 'Cluster', read),
      machines: read.list<ToyMachine>('ToyMachine', { namespace, cluster: name }),
    };
  },
  reconcile: ({ toyCluster, cluster, machines }, { withheld }) => {
    if (isDeleting(toyCluster)) return { finished: isEmpty(machines) };
    // The network of a toy cluster is free: it consists of an endpoint.
    if (!cluster || withheld) return {};
    const spec = { controlPlaneEndpoint: endpoint };
    const annotations = { [filledAnnotation]: filledNote(toyCluster, spec) };
    return {
      ...(!toyCluster.spec?.controlPlaneEndpoint && { intent: { metadata: { annotations }, spec } }),
      status: { initialization: { provisioned: true } },
    };
  },
  release: ({ machines }) => (isEmpty(machines) ? { status: {}, released: { notes: [] } } : {}),
});

export const toyMachineController = defineController<
  ToyMachine,
  { toyMachine: ToyMachine; machine: Machine | undefined; host: Read<Host> }
>({
  name: 'toy-machine',
  for: 'ToyMachine',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'dependents', level: 'note' },
    { kind: 'Cluster', to: 'members', level: 'gate' },
  ],
  finalizer: 'toymachine.infrastructure.cluster.x-k8s.io',
  clusterOf,
  conditions: 'none',
  observe: (toyMachine, read) => ({
    toyMachine,
    machine: ownerIn<Machine>(toyMachine, 'Machine', read),
    host: read.ask<Host>('toy', 'get', { name: toyMachine.metadata.name }),
  }),
  reconcile: ({ toyMachine, machine, host }) => {
    const { name } = toyMachine.metadata;
    const call = (operation: string, input: object): Action => ({
      do: 'call',
      port: 'toy',
      operation,
      input: { name, ...input } as JsonValue,
    });
    if (isDeleting(toyMachine))
      return host.state === 'found'
        ? { actions: [call('stop', {})], again: true }
        : { finished: host.state === 'absent' };
    if (host.state === 'found')
      return { intent: { spec: { providerID: `toy:///${name}` } }, status: { initialization: { provisioned: true } } };
    // Empty for a Machine of a pool.
    if (machine?.spec?.bootstrap.dataSecretName === undefined) return {};
    const controlPlane = machine.metadata.labels?.[labels.controlPlane] !== undefined;
    const start = call('start', { version: machine.spec.version ?? '', controlPlane });
    return { actions: [{ ...start, buys: true }], again: true };
  },
});

export const toyInfrastructure: InfrastructureProvider = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'ToyCluster',
  followsTargets: true,
};
