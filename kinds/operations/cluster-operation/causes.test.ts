/** What `capstan why` says of a ClusterOperation, above all in its deletion. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOf, causesOfCluster, graphOf } from '../../common/causes/index.ts';
import { machineSetCauses } from '../../core/machine-set/causes.ts';
import { clusterOperationCauses } from './causes.ts';
import { at, clusterOf, operationOf } from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';

const cluster = clusterOf();
const kept = [
  { type: 'Deleting', status: 'True' as const, reason: 'Kept', message: 'It stays', lastTransitionTime: at(9) },
];
const causes = (status: OperationStatus, isDeleting: boolean) => {
  const operation = operationOf(status, isDeleting ? { metadata: { deletionTimestamp: at(9) } } : {});
  return causesOf(operation, graphOf({ objects: [cluster, operation], rules: [clusterOperationCauses] }));
};
const ways = ['capstan retry cluster demo -n default', 'kubectl delete cluster demo -n default'];

describe('a ClusterOperation', () => {
  it('that succeeded has no complaint', () =>
    expect(causes({ phase: 'Succeeded', message: 'Done.' }, false)).toEqual([]));

  it.each<{ phase: NonNullable<OperationStatus['phase']>; misses: number }>([
    { phase: 'Running', misses: 1 },
    { phase: 'Succeeded', misses: 0 },
    { phase: 'TornDown', misses: 0 },
    { phase: 'RolledBack', misses: 0 },
    { phase: 'Cancelled', misses: 0 },
  ])('that is $phase misses $misses of its objects that are gone', ({ phase, misses }) => {
    const gone = { kind: 'MachineDeployment', name: 'own' };
    const objects = [{ ...gone, from: 'v1.35.0', to: 'v1.36.0', revision: 'r' }];
    const operation = operationOf({ phase, message: 'Done.' }, { spec: { objects } });
    const input = { objects: [cluster, operation], absent: [gone], rules: [clusterOperationCauses] };
    const found = graphOf(input).complaints(operation);
    expect(found.filter(({ type }) => type === 'References')).toHaveLength(misses);
  });

  it.each<{ rule: string; status: OperationStatus; isDeleting?: boolean; says: RegExp; next: RegExp; run: string[] }>([
    {
      rule: 'that was cancelled says how it is repeated',
      status: { phase: 'Cancelled', message: 'Cancelled: why.' },
      says: /^is Cancelled: Cancelled: why$/,
      next: /^It has ended$/,
      run: ways.slice(0, 1),
    },
    {
      rule: 'that is kept says until when',
      status: { phase: 'Cancelled', message: 'Cancelled: why.', conditions: kept },
      isDeleting: true,
      says: /^is Cancelled: Cancelled: why$/,
      next: /^It stays until the Cluster is deleted or another operation takes its place: /,
      run: ways,
    },
    {
      rule: 'that succeeded and is kept says until when, too',
      status: { phase: 'Succeeded', message: 'Done.', conditions: kept },
      isDeleting: true,
      says: /^is kept although it is deleted: Done$/,
      next: /^It stays until the Cluster is deleted/,
      run: ways,
    },
    {
      rule: 'that runs in its deletion says that it ends first',
      status: { phase: 'Running', step: 'TearDown', message: 'waiting for a VPC' },
      isDeleting: true,
      says: /waiting for a VPC/,
      next: /It is gone when it has ended$/,
      run: [],
    },
    {
      rule: 'that looks again and again says what has to be mended',
      status: {
        phase: 'Running',
        step: 'Preflight',
        deadline: at(99),
        steps: [
          {
            name: 'Preflight',
            started: at(1),
            verdict: 'Running',
            reason: 'Refused',
            message: 'Cluster default/demo spec.region: it is none',
          },
        ],
      },
      says: /^cannot go on, Preflight: Cluster default\/demo spec.region: it is none$/,
      next: /^It looks again within a minute\. Step Preflight may last until /,
      run: ['kubectl edit cluster demo -n default'],
    },
  ])('$rule', ({ status, isDeleting = false, says, next, run }) => {
    const [first, ...more] = causes(status, isDeleting);
    expect(more).toEqual([]);
    expect(first?.message).toMatch(says);
    expect(first?.next).toMatch(next);
    expect(first?.commands).toEqual(run);
  });

  describe('that was refused', () => {
    const refused =
      'Preflight was refused: WorkersAhead: x. To go on, run: capstan retry cluster demo --override WorkersAhead';
    const operation = (from: string, to: string) => ({
      ...operationOf({ phase: 'RolledBack', message: refused }),
      spec: {
        ...operationOf({}).spec!,
        objects: [{ kind: 'MachineDeployment', name: 'workers', from, to, revision: 'r' }],
      },
    });
    const workersAt = (version: string): KubeObject => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      metadata: { name: 'workers', namespace: 'default' },
      spec: { template: { spec: { version } } },
    });
    const upToDate = (status: 'True' | 'False') =>
      ['ControlPlaneMachinesUpToDate', 'WorkerMachinesUpToDate'].map((type) => ({ type, status, reason: 'x' }));
    const commandsOf = (from: string, to: string, objects: KubeObject[], machines: 'True' | 'False' = 'True') => {
      const one = operation(from, to) as KubeObject;
      const owner = { ...cluster, status: { conditions: upToDate(machines) } };
      const graph = graphOf({ objects: [owner, one, ...objects], rules: [clusterOperationCauses] });
      return causesOf(one, graph).map(({ commands }) => commands);
    };

    it('offers to remove the cause before it offers an override', () =>
      expect(commandsOf('v1.35.0', 'v1.36.0', [workersAt('v1.36.0')])).toEqual([
        ['capstan retry cluster demo -n default', 'capstan retry cluster demo --override WorkersAhead'],
      ]));

    it.each<{ rule: string; from?: string; objects: KubeObject[]; machines?: 'True' | 'False'; is: number }>([
      { rule: 'is history once its objects were set back', objects: [workersAt('v1.35.0')], is: 0 },
      { rule: 'is history once its objects are gone', objects: [], is: 0 },
      { rule: 'is a cause while an object asks for its version', objects: [workersAt('v1.36.0')], is: 1 },
      {
        rule: 'is a cause while Machines differ from a spec whose version it kept',
        from: 'v1.36.0',
        objects: [workersAt('v1.36.0')],
        machines: 'False',
        is: 1,
      },
      {
        rule: 'is history once no Machine differs from a spec whose version it kept',
        from: 'v1.36.0',
        objects: [workersAt('v1.36.0')],
        is: 0,
      },
    ])('$rule', ({ from = 'v1.35.0', objects, machines, is }) =>
      expect(commandsOf(from, 'v1.36.0', objects, machines)).toHaveLength(is));
  });

  it('that replaces workers is the cause of what their old MachineSet cannot do', () => {
    const skew = {
      type: 'CanCreateMachines',
      status: 'False' as const,
      reason: 'KubernetesVersionSkew',
      message: 'no',
    };
    const old: KubeObject = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineSet',
      metadata: { name: 'workers-old', namespace: 'default' },
      status: { conditions: [skew] },
    };
    const operation = operationOf({ phase: 'Running', step: 'Workers', message: 'waiting for Machines' });
    const rules = [clusterOperationCauses, machineSetCauses];
    const [first, ...more] = causesOfCluster(graphOf({ objects: [cluster, operation, old], rules }));
    expect(first).toMatchObject({ kind: 'ClusterOperation', level: 'wait' });
    expect(more).toEqual([]);
  });
});
