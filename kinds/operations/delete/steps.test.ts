import { describe, expect, it } from 'vitest';
import { filledAnnotation } from '../../common/filled.ts';
import {
  absent,
  annotated,
  clusterOf,
  clusterStateOf,
  found,
  objectOf,
  saying,
  told,
} from '../cluster-operation/operation.fixture.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { type DeleteStep, judgeDelete } from './steps.ts';

const worker = objectOf('Machine', 'w');
const plane = objectOf('Machine', 'p', { metadata: { labels: { 'cluster.x-k8s.io/control-plane': '' } } });
const awsCluster = (change: object = {}) => found(objectOf('AWSCluster', 'demo', change));
const denied = saying(
  told('SubnetsReady', 'False', { severity: 'Info', reason: 'Deleted' }),
  told('VpcReady', 'False', { severity: 'Error', message: 'DeleteVpc: DependencyViolation: eni-1 is in vpc-1' }),
);
const instance = (reason: string) =>
  objectOf('AWSMachine', 'w', saying(told('InstanceReady', 'False', { severity: 'Error', reason, message: 'why' })));
const itsMachine = objectOf('Machine', 'w', { spec: { infrastructureRef: { name: 'w' } } });

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
      rule: 'DeleteWorkers waits for what makes Machines',
      step: 'DeleteWorkers',
      given: { machineDeployments: [objectOf('MachineDeployment', 'd')], machineSets: [objectOf('MachineSet', 's')] },
      waits: /MachineDeployment d, MachineSet s/,
    },
    {
      rule: 'DeleteWorkers says what holds a drain up',
      step: 'DeleteWorkers',
      given: {
        machines: [objectOf('Machine', 'w', saying(told('Deleting', 'True', { message: 'pod x\ndoes not go' })))],
      },
      waits: /Machine w: pod x; does not go/,
    },
    {
      rule: 'DeleteWorkers names a few of many',
      step: 'DeleteWorkers',
      given: { machines: [...'abcdefg'].map((name) => objectOf('Machine', name)) },
      waits: /Machine e and 2 more to be gone/,
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
    { rule: 'DeleteControlPlane is done without either', step: 'DeleteControlPlane', given: { controlPlane: absent } },
    {
      rule: 'DeleteLoadBalancers waits until the condition says Deleted',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: awsCluster(saying(told('LoadBalancerReady', 'False', { reason: 'Deleting' }))) },
      waits: /load balancers/,
    },
    {
      rule: 'DeleteLoadBalancers is done then',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: awsCluster(saying(told('LoadBalancerReady', 'False', { reason: 'Deleted' }))) },
    },
    {
      rule: 'DeleteLoadBalancers is done without infrastructure',
      step: 'DeleteLoadBalancers',
      given: { infrastructure: absent },
    },
    {
      rule: 'DeleteNetwork says what the cloud says',
      step: 'DeleteNetwork',
      given: { infrastructure: awsCluster(denied) },
      waits: /AWSCluster demo to be gone: AWSCluster demo: DeleteVpc: DependencyViolation: eni-1/,
    },
    { rule: 'DeleteNetwork is done without infrastructure', step: 'DeleteNetwork', given: { infrastructure: absent } },
    ...(['DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork'] as const).map((step) => ({
      rule: `${step} does not wait for an object that a user applied again, which is not the cluster's`,
      step,
      given: {
        infrastructure: found(
          objectOf('AWSCluster', 'demo', { metadata: { ownerReferences: null, finalizers: ['waits'] } }),
        ),
        controlPlane: found(objectOf('KubeadmControlPlane', 'demo-cp', { metadata: { ownerReferences: null } })),
      },
    })),
    {
      rule: 'Prove waits for what is left',
      step: 'Prove',
      given: { infrastructure: absent, remains: found(['VPC vpc-1']) },
      waits: /VPC vpc-1 to be gone/,
    },
    {
      rule: 'Prove takes no silence for a proof',
      step: 'Prove',
      given: { remains: { state: 'unreadable', reason: 'AccessDenied' } },
      waits: /AccessDenied/,
    },
    {
      rule: 'Prove takes what was not asked for no proof',
      step: 'Prove',
      given: { remains: { state: 'unread' } },
      waits: /proof/,
    },
    {
      rule: 'Prove takes absence of an answer for no proof',
      step: 'Prove',
      given: { remains: absent },
      waits: /proof/,
    },
    {
      rule: 'Prove says why a machine does not go',
      step: 'Prove',
      given: { machines: [itsMachine], infraMachines: [instance('Deleting')], remains: found(['EC2 instance i-1']) },
      waits: /EC2 instance i-1 to be gone: AWSMachine w: why$/,
    },
    {
      rule: 'Prove does not say why a machine never came',
      step: 'Prove',
      given: {
        machines: [itsMachine],
        infraMachines: [instance('InstanceProvisionFailed')],
        infrastructure: awsCluster(
          saying(told('VpcReady', 'False', { severity: 'Error', message: 'VpcLimitExceeded' })),
        ),
        remains: found(['VPC vpc-1']),
      },
      waits: /VPC vpc-1 to be gone$/,
    },
    { rule: 'Prove is done when nothing is left', step: 'Prove', given: { infrastructure: absent } },
  ])('$rule', ({ step, given, waits }) => {
    const judgement = judgeDelete[step](clusterStateOf(clusterOf(), given));
    if (waits === undefined) return expect(judgement).toEqual({ verdict: 'done' });
    expect(judgement).toEqual({ verdict: 'pending', waitsFor: expect.stringMatching(waits) });
  });
});

describe('tearing down', () => {
  it.each([
    {
      rule: 'waits for what is left',
      given: { remains: found(['EC2 instance i-1', 'Machine m']) },
      waits: /EC2 instance i-1, Machine m/,
    },
    {
      rule: 'waits for what was filled into the infrastructure',
      given: { infrastructure: awsCluster(annotated({ [filledAnnotation]: '{}' })) },
      waits: /AWSCluster demo to be cleared/,
    },
    {
      rule: 'waits for what is announced',
      given: { infrastructure: awsCluster(annotated({ 'capstan.dev/pending': '{}' })) },
      waits: /AWSCluster demo/,
    },
    {
      rule: 'waits until the infrastructure is not ready',
      given: { infrastructure: awsCluster({ status: { ready: true } }) },
      waits: /AWSCluster demo/,
    },
    { rule: 'waits for the endpoint', cluster: annotated({ [filledAnnotation]: '{}' }), waits: /into the Cluster/ },
    {
      rule: 'waits for the latches',
      cluster: { status: { initialization: { controlPlaneInitialized: true } } },
      waits: /status.initialization/,
    },
    { rule: 'is done when all of it is gone', given: {} },
    { rule: 'is done without infrastructure', given: { infrastructure: absent } },
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
