/** The controllers of ToyClusters and ToyMachines. */
import { filledAnnotation, filledNote, givenPatch } from '../../kinds/common/filled.ts';
import { labels } from '../../kinds/common/labels.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { Infrastructure } from '../../kinds/core/contract/infrastructure.ts';
import { targetOf } from '../../kinds/core/contract/target.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { defineController, found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { Host } from './cloud.ts';
import type { ToyCluster, ToyMachine } from './kinds.ts';

export const ownerIn = <T extends KubeObject>(object: KubeObject, kind: string, read: Reader): T | undefined => {
  const owner = object.metadata.ownerReferences?.find((one) => one.kind === kind);
  return owner && found(read.get<T>(kind, { namespace: object.metadata.namespace ?? '', name: owner.name }));
};
export const clusterOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[labels.cluster];
const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

const endpoint = { host: 'api.toy', port: 6443 };

export const toyClusterController = defineController<
  ToyCluster,
  { toyCluster: ToyCluster; cluster: Cluster | undefined; machines: Read<ToyMachine[]> }
>({
  name: 'toy-cluster',
  for: 'ToyCluster',
  worker: 'core',
  watches: [
    { kind: 'Cluster', to: 'dependents' },
    { kind: 'ToyMachine', to: 'members', on: ['deleted'] },
  ],
  finalizer: 'toycluster.infrastructure.cluster.x-k8s.io',
  conditions: 'none',
  observe: (toyCluster, read) => {
    const { namespace = '', name } = toyCluster.metadata;
    return {
      toyCluster,
      cluster: ownerIn<Cluster>(toyCluster, 'Cluster', read),
      machines: read.list<ToyMachine>('ToyMachine', { namespace, cluster: name }),
    };
  },
  reconcile: ({ toyCluster, cluster, machines }, { config }) => {
    const isEmpty = found(machines)?.length === 0;
    if (isDeleting(toyCluster)) return { finished: isEmpty };
    const target = cluster ? targetOf(cluster, config) : 'Wait';
    if (target === 'Nothing') return isEmpty ? { intent: givenPatch(toyCluster), status: {} } : {};
    if (target !== 'Build') return {};
    const spec = { controlPlaneEndpoint: endpoint };
    const annotations = { [filledAnnotation]: filledNote(toyCluster, spec) };
    return {
      ...(!toyCluster.spec?.controlPlaneEndpoint && { intent: { metadata: { annotations }, spec } }),
      status: { initialization: { provisioned: true } },
    };
  },
});

export const toyMachineController = defineController<
  ToyMachine,
  { toyMachine: ToyMachine; machine: Machine | undefined; isBuilt: boolean; host: Read<Host> }
>({
  name: 'toy-machine',
  for: 'ToyMachine',
  worker: 'core',
  watches: [
    { kind: 'Machine', to: 'dependents' },
    { kind: 'Cluster', to: 'members' },
  ],
  finalizer: 'toymachine.infrastructure.cluster.x-k8s.io',
  conditions: 'none',
  observe: (toyMachine, read, { config }) => {
    const { namespace = '', name } = toyMachine.metadata;
    const cluster = found(read.get('Cluster', { namespace, name: clusterOf(toyMachine) ?? '' }));
    return {
      toyMachine,
      machine: ownerIn<Machine>(toyMachine, 'Machine', read),
      isBuilt: cluster !== undefined && targetOf(cluster, config) === 'Build',
      host: read.ask<Host>('toy', 'get', { name }),
    };
  },
  reconcile: ({ toyMachine, machine, isBuilt, host }) => {
    const { name } = toyMachine.metadata;
    const call = (operation: string, input: object) => ({
      actions: [{ do: 'call' as const, port: 'toy', operation, input: { name, ...input } as JsonValue }],
      again: true,
    });
    if (isDeleting(toyMachine))
      return host.state === 'found' ? call('stop', {}) : { finished: host.state === 'absent' };
    if (host.state === 'found')
      return { intent: { spec: { providerID: `toy:///${name}` } }, status: { initialization: { provisioned: true } } };
    if (!isBuilt || !machine?.spec?.bootstrap.dataSecretName) return {};
    const controlPlane = machine.metadata.labels?.[labels.controlPlane] !== undefined;
    return call('start', { version: machine.spec.version ?? '', controlPlane });
  },
});

export const toyInfrastructure: Infrastructure = {
  kind: 'ToyCluster',
  preflight: () => ({ verdict: 'passed', message: '' }),
  leftovers: () => ({
    left: { state: 'found', value: [] },
    isWhole: true,
    stranded: [],
    last: { names: [], actions: [] },
  }),
  unfinishedNetwork: ({ status }) =>
    (status as { initialization?: { provisioned?: boolean } } | undefined)?.initialization?.provisioned
      ? []
      : ['Ready'],
  loadBalancer: { condition: 'Ready', isReady: () => true, isGone: () => true },
  machineDelays: [],
  stays: () => [],
};
