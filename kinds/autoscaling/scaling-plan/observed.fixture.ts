/** A cluster with one pool, `workers`, as the autoscaler observes it. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { viewOf } from '../../core/contract/machine-provider.ts';
import type { Price } from '../../core/contract/price.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { MachineSet } from '../../core/machine-set/index.ts';
import { machineProviders } from '../../machine-providers.ts';
import { apiVersionFor, referenceTo } from '../../references.fixture.ts';
import { minute, now } from '../plan/plan.fixture.ts';
import type { Pod } from '../plan/types.ts';
import type { Observed } from './observe.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';

export const ago = (minutes: number) => new Date(now - minutes * minute).toISOString();
const absent = { state: 'absent' } as const;
const owner = (of: KubeObject) => [
  { apiVersion: of.apiVersion, kind: of.kind, name: of.metadata.name, uid: of.metadata.uid!, controller: true },
];
export const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: apiVersionFor(kind),
    kind,
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: ago(120),
      ...metadata,
    },
    ...more,
  }) as KubeObject;

const cluster = object('Cluster', 'c') as Cluster;
const plan = (status: ScalingPlanStatus = {}, spec: object = {}) =>
  object(
    'ScalingPlan',
    'c',
    { spec: { clusterName: 'c', ...spec }, status },
    { ownerReferences: owner(cluster) },
  ) as ScalingPlan;
/** The infrastructure template of the pool. */
export const view = (spec?: object, status: object = { capacity: { cpu: '4', memory: '16Gi' } }) =>
  viewOf(object('AWSMachineTemplate', 't', { ...(spec && { spec }), status }), machineProviders);
const priced = (price: Price) => view(undefined, { capacity: { cpu: '4', memory: '16Gi' }, price });

type PoolGiven = {
  replicas?: number;
  annotations?: Record<string, string>;
  paused?: boolean;
  marked?: Record<string, string>;
};
const deployment = ({ replicas = 0, annotations = {}, paused = false }: PoolGiven = {}): MachineDeployment =>
  object(
    'MachineDeployment',
    'workers',
    {
      spec: {
        clusterName: 'c',
        replicas,
        selector: {},
        ...(paused && { paused }),
        template: {
          spec: { clusterName: 'c', bootstrap: {}, infrastructureRef: referenceTo('AWSMachineTemplate', 't') },
        },
      },
    },
    { annotations: { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5', ...annotations } },
  ) as MachineDeployment;

const node = (name: string): KubeObject =>
  object('Node', name, {
    status: {
      allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
      capacity: { cpu: '4', memory: '16Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(100) }],
    },
  });

/** A pool whose Machines are nodes of their names. */
export const observed = ({
  pods = [],
  machines: names = [],
  status = {},
  spec = {},
  traces = {},
  price,
  ...given
}: PoolGiven & {
  pods?: Pod[];
  machines?: string[];
  status?: ScalingPlanStatus;
  spec?: object;
  traces?: object;
  price?: Price;
} = {}): Observed => {
  const pool = deployment({ replicas: names.length, ...given });
  const set = object(
    'MachineSet',
    'workers-1',
    { spec: { replicas: names.length, template: pool.spec!.template } },
    { ownerReferences: owner(pool) },
  ) as MachineSet;
  const machines = names.map((name) => {
    const annotations =
      given.marked?.[name] === undefined ? {} : { 'cluster.x-k8s.io/delete-machine': given.marked[name] };
    return object(
      'Machine',
      name,
      { spec: { providerID: `aws:///az-a/${name}` }, status: { nodeRef: { name } } },
      { ownerReferences: owner(set), annotations },
    ) as Machine;
  });
  return {
    plan: plan(status, spec),
    cluster,
    pools: [{ deployment: pool, machineSets: [set], machines, view: price ? priced(price) : view(), hostless: {} }],
    machines,
    workload: {
      kubeconfig: 'k',
      objects: {
        nodes: names.map(node),
        pods: [],
        daemonSets: [],
        budgets: [],
        namespaces: [],
        claims: [],
        volumes: [],
        classes: [],
        csiNodes: [],
      },
      pods,
      uids: Object.fromEntries(pods.map(({ namespace, name }) => [`${namespace}/${name}`, `uid-${name}`])),
      traces: { lease: absent, status: absent, ...traces },
    },
  };
};

/** Two nodes whose pods wait for a third that is cheaper than both. */
export const moving = (): Parameters<typeof observed>[0] => {
  const move = { at: now - 1000, nodes: ['a', 'b'], pool: 'MachineDeployment/default/workers' };
  return {
    machines: move.nodes,
    replicas: 3,
    annotations: { 'capstan.dev/autoscale-consolidate': 'true' },
    price: { dollarsPerHour: '0.2', source: 'test' },
    status: { history: { consolidation: { move } } },
  };
};
