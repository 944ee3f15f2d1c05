import { describe, expect, it } from 'vitest';
import { filledAnnotation } from '../../common/filled.ts';
import {
  absent,
  annotated,
  at,
  clusterOf,
  clusterStateOf,
  conditionWith,
  found,
  objectOf,
  saying,
} from '../cluster-operation/operation.fixture.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { type DeleteStep, judgeDelete } from './steps.ts';

const worker = objectOf('Machine', 'w');
const plane = objectOf('Machine', 'p', { metadata: { labels: { 'cluster.x-k8s.io/control-plane': '' } } });
const awsCluster = (change: object = {}) => found(objectOf('AWSCluster', 'demo', change));
const denied = saying(
  conditionWith('SubnetsReady', 'False', { severity: 'Info', reason: 'Deleted' }),
  conditionWith('VpcReady', 'False', {
    severity: 'Error',
    message: 'DeleteVpc: DependencyViolation: eni-1 is in vpc-1',
  }),
);
const instance = (reason: string) =>
  objectOf(
    'AWSMachine',
    'w',
    saying(conditionWith('InstanceReady', 'False', { severity: 'Error', reason, message: 'why' })),
  );
const itsMachine = objectOf('Machine', 'w', { spec: { infrastructureRef: { name: 'w' } } });

const paused = { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } };

interface Case {
  rule: string;
  step: DeleteStep;
  given: Partial<ClusterState>;
  waits?: RegExp;
}
describe('a step of deleting a cluster', () => {
  it.each<Case>([
    {
      rule: 'DeleteWorkers waits for worker Machines',
      step: 'DeleteWorkers',
      given: { machines: [worker, plane] },
      waits: /waiting for Machine w to be gone$/,
    },
    {
      rule: 'DeleteWorkers waits for the owners of worker Machines',
      step: 'DeleteWorkers',
      given: { machineDeployments: [objectOf('MachineDeployment', 'd')], machineSets: [objectOf('MachineSet', 's')] },
      waits: /MachineDeployment d, MachineSet s/,
    },
    {
      rule: 'DeleteWorkers reports what blocks a drain',
      step: 'DeleteWorkers',
      given: {
        machines: [
          objectOf('Machine', 'w', saying(conditionWith('Deleting', 'True', { message: 'pod x\ndoes not go' }))),
        ],
      },
      waits: /Machine w: pod x; does not go/,
    },
    {
      rule: 'DeleteWorkers names a few of many Machines',
      step: 'DeleteWorkers',
      given: { machines: [...'abcdefg'].map((name) => objectOf('Machine', name)) },
      waits: /Machine e and 2 more to be gone/,
    },
    {
      rule: 'DeleteWorkers names the annotation that holds an infrastructure machine',
      step: 'DeleteWorkers',
      given: { machines: [itsMachine], infraMachines: [objectOf('AWSMachine', 'w', paused)] },
      waits: /^waiting for Machine w to be gone: AWSMachine w is held by its annotation cluster\.x-k8s\.io\/paused$/,
    },
    {
      rule: 'DeleteWorkers names the finalizer that holds a Machine',
      step: 'DeleteWorkers',
      given: {
        machines: [objectOf('Machine', 'w', { metadata: { deletionTimestamp: at(0), finalizers: ['example.com/x'] } })],
      },
      waits:
        /^waiting for Machine w to be gone: Machine w is held by its finalizer example\.com\/x$|^waiting for Machine w is held by its finalizer example\.com\/x$/,
    },
    {
      rule: 'DeleteLoadBalancers names the annotation that holds the infrastructure',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: awsCluster(paused) },
      waits:
        /^waiting for the load balancers to be gone: AWSCluster demo is held by its annotation cluster\.x-k8s\.io\/paused$/,
    },
    {
      rule: 'DeleteLoadBalancers waits for the machines that are left, and names what holds one',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: awsCluster(), infraMachines: [objectOf('AWSMachine', 'w', paused)] },
      waits: /^waiting for AWSMachine w to be gone: AWSMachine w is held by its annotation cluster\.x-k8s\.io\/paused$/,
    },
    {
      rule: 'DeleteNetwork names the annotation that holds the infrastructure',
      step: 'DeleteNetwork',
      given: { infrastructure: awsCluster(paused) },
      waits: /AWSCluster demo is held by its annotation cluster\.x-k8s\.io\/paused$/,
    },
    { rule: 'DeleteWorkers does not wait for the control plane', step: 'DeleteWorkers', given: { machines: [plane] } },
    {
      rule: 'DeleteControlPlane waits for its Machines',
      step: 'DeleteControlPlane',
      given: { machines: [plane], controlPlane: absent },
      waits: /Machine p/,
    },
    {
      rule: 'DeleteControlPlane waits for its object',
      step: 'DeleteControlPlane',
      given: {},
      waits: /KubeadmControlPlane demo-cp/,
    },
    {
      rule: 'DeleteControlPlane is complete without either',
      step: 'DeleteControlPlane',
      given: { controlPlane: absent },
    },
    {
      rule: 'DeleteLoadBalancers waits for the reason Deleted',
      step: 'DeleteLoadBalancers',
      given: {
        infrastructure: awsCluster(saying(conditionWith('LoadBalancerReady', 'False', { reason: 'Deleting' }))),
      },
      waits: /load balancers/,
    },
    {
      rule: 'DeleteLoadBalancers is complete then',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: awsCluster(saying(conditionWith('LoadBalancerReady', 'False', { reason: 'Deleted' }))) },
    },
    {
      rule: 'DeleteLoadBalancers is complete without infrastructure',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: absent },
    },
    {
      rule: 'DeleteNetwork repeats the message of the cloud',
      step: 'DeleteNetwork',
      given: { infrastructure: awsCluster(denied) },
      waits: /AWSCluster demo to be gone: AWSCluster demo: DeleteVpc: DependencyViolation: eni-1/,
    },
    {
      rule: 'DeleteNetwork is complete without infrastructure',
      step: 'DeleteNetwork',
      given: { infrastructure: absent },
    },
    ...(['DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork'] as const).map((step) => ({
      rule: `${step} does not wait for an object that a user applied again and that does not belong to the cluster`,
      step,
      given: {
        infrastructure: found(
          objectOf('AWSCluster', 'demo', { metadata: { ownerReferences: null, finalizers: ['waits'] } }),
        ),
        controlPlane: found(objectOf('KubeadmControlPlane', 'demo-cp', { metadata: { ownerReferences: null } })),
      },
    })),
    {
      rule: 'Prove waits for remaining resources',
      step: 'Prove',
      given: { infrastructure: absent, remains: found(['VPC vpc-1']) },
      waits: /VPC vpc-1 to be gone/,
    },
    {
      rule: 'Prove does not treat an unreadable search as proof',
      step: 'Prove',
      given: { remains: { state: 'unreadable', reason: 'AccessDenied' } },
      waits: /AccessDenied/,
    },
    {
      rule: 'Prove does not treat a search that was not run as proof',
      step: 'Prove',
      given: { remains: { state: 'unread' } },
      waits: /proof/,
    },
    {
      rule: 'Prove does not treat an absent result as proof',
      step: 'Prove',
      given: { remains: absent },
      waits: /proof/,
    },
    {
      rule: 'Prove reports why a machine is not deleted',
      step: 'Prove',
      given: { machines: [itsMachine], infraMachines: [instance('Deleting')], remains: found(['EC2 instance i-1']) },
      waits: /EC2 instance i-1 to be gone: AWSMachine w: why$/,
    },
    {
      rule: 'Prove does not report why a machine was never provisioned',
      step: 'Prove',
      given: {
        machines: [itsMachine],
        infraMachines: [instance('InstanceProvisionFailed')],
        infrastructure: awsCluster(
          saying(conditionWith('VpcReady', 'False', { severity: 'Error', message: 'VpcLimitExceeded' })),
        ),
        remains: found(['VPC vpc-1']),
      },
      waits: /VPC vpc-1 to be gone$/,
    },
    { rule: 'Prove is complete when nothing remains', step: 'Prove', given: { infrastructure: absent } },
  ])('$rule', ({ step, given, waits }) => {
    const judgement = judgeDelete[step](clusterStateOf(clusterOf(), given));
    if (waits === undefined) return expect(judgement).toEqual({ verdict: 'done' });
    expect(judgement).toEqual({ verdict: 'pending', waitsFor: expect.stringMatching(waits) });
  });
});

describe('a teardown', () => {
  it.each([
    {
      rule: 'waits for remaining resources',
      given: { remains: found(['EC2 instance i-1', 'Machine m']) },
      waits: /EC2 instance i-1, Machine m/,
    },
    {
      rule: 'waits for defaulted fields of the infrastructure',
      given: { infrastructure: awsCluster(annotated({ [filledAnnotation]: '{}' })) },
      waits: /AWSCluster demo to be cleared/,
    },
    {
      rule: 'waits for pending operations',
      given: { infrastructure: awsCluster(annotated({ 'capstan.dev/pending': '{}' })) },
      waits: /AWSCluster demo/,
    },
    {
      rule: 'waits until the infrastructure is no longer ready',
      given: { infrastructure: awsCluster({ status: { ready: true } }) },
      waits: /AWSCluster demo/,
    },
    { rule: 'waits for the endpoint', cluster: annotated({ [filledAnnotation]: '{}' }), waits: /into the Cluster/ },
    {
      rule: 'waits for the latches',
      cluster: { status: { initialization: { controlPlaneInitialized: true } } },
      waits: /status.initialization/,
    },
    { rule: 'is complete when everything is gone', given: {} },
    { rule: 'is complete without infrastructure', given: { infrastructure: absent } },
  ] as { rule: string; cluster?: object; given?: Partial<ClusterState>; waits?: RegExp }[])('$rule', ({
    cluster,
    given,
    waits,
  }) => {
    const judgement = judgeTearDown(clusterStateOf(clusterOf(cluster), given));
    if (waits === undefined) return expect(judgement).toEqual({ verdict: 'done' });
    expect(judgement).toEqual({ verdict: 'pending', waitsFor: expect.stringMatching(waits) });
  });
});
