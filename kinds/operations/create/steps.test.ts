import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  absent,
  clusterOf,
  clusterStateOf,
  conditionWith,
  found,
  objectOf,
  saying,
  wasAvailable,
} from '../cluster-operation/operation.fixture.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { type CreateStep, judgeCreate } from './steps.ts';

const base = [
  conditionWith('VpcReady', 'True'),
  conditionWith('SubnetsReady', 'True'),
  conditionWith('ClusterSecurityGroupsReady', 'True'),
];
const awsCluster = (...conditions: object[]) => found(objectOf('AWSCluster', 'demo', saying(...conditions)));
const error = (type: string, message: string) =>
  conditionWith(type, 'False', { severity: 'Error', reason: 'Failed', message });
const info = (type: string) => conditionWith(type, 'False', { severity: 'Info', reason: 'Started' });

const plane = (ready: number, ...conditions: object[]) =>
  found(
    objectOf('KubeadmControlPlane', 'demo-cp', {
      spec: { replicas: 3 },
      status: { readyReplicas: ready, conditions },
    }),
  );
const machine = (name: string, { controlPlane = false, change = {} } = {}): KubeObject =>
  objectOf('Machine', name, {
    metadata: { labels: controlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {} },
    spec: { infrastructureRef: { kind: 'AWSMachine', name: `host-of-${name}` } },
    ...change,
  });
const host = (name: string, ...conditions: object[]) =>
  objectOf('AWSMachine', `host-of-${name}`, saying(...conditions));
const controlled = {
  metadata: { ownerReferences: [{ apiVersion: 'x', kind: 'MachineSet', name: 's', uid: 's', controller: true }] },
};
const deployment = (replicas: number, availableReplicas: number) =>
  objectOf('MachineDeployment', 'workers', { spec: { replicas }, status: { availableReplicas } });
const workersAvailable = { status: { conditions: [conditionWith('WorkersAvailable', 'True')] } };
const resourceSet = objectOf('ClusterResourceSet', 'cni', {
  spec: {
    resources: [
      { kind: 'ConfigMap', name: 'calico' },
      { kind: 'Secret', name: 'key' },
    ],
  },
});
const binding = (...applied: string[]) =>
  found(
    objectOf('ClusterResourceSetBinding', 'demo', {
      spec: {
        bindings: [
          {
            clusterResourceSetName: 'cni',
            resources: [
              { kind: 'ConfigMap', name: 'calico', applied: applied.includes('calico') },
              { kind: 'Secret', name: 'key', applied: applied.includes('key') },
            ],
          },
        ],
      },
    }),
  );

interface Case {
  rule: string;
  step: Exclude<CreateStep, 'Preflight'>;
  cluster?: object;
  given?: Partial<ClusterState>;
  /** What the step waits for; absent if it is complete. */
  waits?: RegExp;
}
/** A summary condition of the AWS provider. */
const counted = { reason: 'WaitingForBootstrapData', message: '0 of 3 completed' };
const noCapacity = 'RunInstances: InsufficientInstanceCapacity: none left';

describe('a step of creating a cluster', () => {
  it.each<Case>([
    {
      rule: 'Network waits for a missing infrastructure object',
      step: 'Network',
      given: { infrastructure: absent },
      waits: /infrastructure of the Cluster does not exist/,
    },
    {
      rule: 'Network waits for an unreadable infrastructure object',
      step: 'Network',
      given: { infrastructure: { state: 'unreadable', reason: 'AccessDenied' } },
      waits: /AccessDenied/,
    },
    {
      rule: 'Network waits while no condition is reported',
      step: 'Network',
      waits: /VpcReady, SubnetsReady, ClusterSecurityGroupsReady/,
    },
    {
      rule: 'Network waits for the reported parts',
      step: 'Network',
      given: { infrastructure: awsCluster(...base, info('NatGatewaysReady')) },
      waits: /waiting for NatGatewaysReady/,
    },
    {
      rule: 'Network repeats the message of the cloud',
      step: 'Network',
      given: {
        infrastructure: awsCluster(...base, error('NatGatewaysReady', 'AllocateAddress: AddressLimitExceeded: full')),
      },
      waits: /^waiting for NatGatewaysReady of AWSCluster demo: AllocateAddress: AddressLimitExceeded: full$/,
    },
    {
      rule: 'Network does not repeat that it waits for an operation',
      step: 'Network',
      given: {
        infrastructure: awsCluster(
          conditionWith('VpcReady', 'False', {
            severity: 'Info',
            reason: 'WaitingForOperation',
            message: 'Waiting for an operation to create the cluster',
          }),
        ),
      },
      waits: /^waiting for VpcReady, SubnetsReady, ClusterSecurityGroupsReady of AWSCluster demo$/,
    },
    {
      rule: 'Network ignores conditions of the previous attempt',
      step: 'Network',
      given: {
        infrastructure: awsCluster(
          conditionWith('VpcReady', 'False', {
            severity: 'Info',
            reason: 'TornDown',
            message: 'Torn down by ClusterOperation demo-create-1',
          }),
        ),
      },
      waits: /^waiting for VpcReady, SubnetsReady, ClusterSecurityGroupsReady of AWSCluster demo$/,
    },
    {
      rule: 'Network is complete when all its parts are',
      step: 'Network',
      given: {
        infrastructure: awsCluster(...base, conditionWith('NatGatewaysReady', 'True'), info('LoadBalancerReady')),
      },
    },
    {
      rule: 'Network of another provider is complete when the infrastructure is ready',
      step: 'Network',
      cluster: saying(conditionWith('InfrastructureReady', 'True')),
      given: { infrastructure: found(objectOf('OtherCluster', 'demo')) },
    },
    {
      rule: 'Network of another provider waits for the infrastructure',
      step: 'Network',
      given: {
        infrastructure: found(
          objectOf('OtherCluster', 'demo', saying(conditionWith('Ready', 'False', { message: 'soon' }))),
        ),
      },
      waits: /OtherCluster demo: soon/,
    },
    {
      rule: 'LoadBalancer waits for the load balancer',
      step: 'LoadBalancer',
      given: { infrastructure: awsCluster(...base) },
      waits: /load balancer of the API/,
    },
    {
      rule: 'LoadBalancer waits for the endpoint',
      step: 'LoadBalancer',
      given: { infrastructure: awsCluster(conditionWith('LoadBalancerReady', 'True')) },
      waits: /controlPlaneEndpoint/,
    },
    {
      rule: 'LoadBalancer says why the Cluster cannot take the endpoint over',
      step: 'LoadBalancer',
      cluster: saying(
        conditionWith('ChangeAccepted', 'False', { reason: 'Invalid', message: 'port: Invalid value: 70000' }),
      ),
      given: { infrastructure: awsCluster(conditionWith('LoadBalancerReady', 'True')) },
      waits: /controlPlaneEndpoint of the Cluster: Cluster demo: port: Invalid value: 70000$/,
    },
    {
      rule: 'LoadBalancer is complete with both',
      step: 'LoadBalancer',
      cluster: { spec: { controlPlaneEndpoint: { host: 'h', port: 6443 } } },
      given: { infrastructure: awsCluster(conditionWith('LoadBalancerReady', 'True')) },
    },
    {
      rule: 'FirstControlPlaneMachine repeats the message of the cloud about the host',
      step: 'FirstControlPlaneMachine',
      given: {
        machines: [machine('a', { controlPlane: true })],
        infraMachines: [host('a', error('InstanceReady', noCapacity))],
      },
      waits: /AWSMachine host-of-a: RunInstances: InsufficientInstanceCapacity: none left/,
    },
    {
      rule: 'FirstControlPlaneMachine ignores the host of a worker',
      step: 'FirstControlPlaneMachine',
      given: { machines: [machine('w')], infraMachines: [host('w', error('InstanceReady', noCapacity))] },
      waits: /^waiting for the first control-plane machine to serve the API$/,
    },
    {
      rule: 'FirstControlPlaneMachine repeats the message of the Machine when the cloud reports none',
      step: 'FirstControlPlaneMachine',
      given: {
        machines: [
          machine('a', {
            controlPlane: true,
            change: saying(conditionWith('BootstrapConfigReady', 'False', { message: 'no certificates.' })),
          }),
        ],
      },
      waits: /Machine a: no certificates$/,
    },
    {
      rule: 'FirstControlPlaneMachine reports what its instance waits for, not a count of steps',
      step: 'FirstControlPlaneMachine',
      given: {
        machines: [
          machine('a', { controlPlane: true, change: saying(conditionWith('InfrastructureReady', 'False', counted)) }),
        ],
        infraMachines: [
          host(
            'a',
            conditionWith('Ready', 'False', {
              severity: 'Warning',
              reason: 'InstanceNotReady',
              message: '1 of 3 completed',
            }),
            conditionWith('ELBAttached', 'False', { severity: 'Info', reason: 'ELBDetached' }),
            conditionWith('InstanceReady', 'False', { severity: 'Warning', reason: 'InstanceNotReady' }),
          ),
        ],
      },
      waits: /: AWSMachine host-of-a: InstanceReady InstanceNotReady$/,
    },
    {
      rule: 'FirstControlPlaneMachine explains a count of steps when nothing else is known',
      step: 'FirstControlPlaneMachine',
      given: {
        machines: [
          machine('a', { controlPlane: true, change: saying(conditionWith('InfrastructureReady', 'False', counted)) }),
        ],
      },
      waits: /: Machine a: InfrastructureReady WaitingForBootstrapData$/,
    },
    {
      rule: 'Workers reports what their bootstrap data waits for before instances',
      step: 'Workers',
      given: {
        machineDeployments: [deployment(1, 0)],
        machines: [
          machine('w', {
            change: saying(
              conditionWith('InfrastructureReady', 'False', counted),
              conditionWith('BootstrapConfigReady', 'False', {
                message: 'Waiting for Cluster control plane to be initialized',
              }),
            ),
          }),
        ],
        infraMachines: [
          host('w', conditionWith('InstanceReady', 'False', { severity: 'Info', reason: 'WaitingForBootstrapData' })),
        ],
      },
      waits: /: Machine w: Waiting for Cluster control plane to be initialized$/,
    },
    {
      rule: 'FirstControlPlaneMachine repeats the message of the control plane without a Machine',
      step: 'FirstControlPlaneMachine',
      given: { controlPlane: plane(0, conditionWith('Available', 'False', { message: '* template\n* is missing' })) },
      waits: /KubeadmControlPlane demo-cp: template; is missing/,
    },
    {
      rule: 'FirstControlPlaneMachine is complete when the API server answered',
      step: 'FirstControlPlaneMachine',
      cluster: { status: { initialization: { controlPlaneInitialized: true } } },
    },
    {
      rule: 'ControlPlane waits for all its Machines',
      step: 'ControlPlane',
      cluster: saying(conditionWith('ControlPlaneAvailable', 'True')),
      given: { controlPlane: plane(2) },
      waits: /2 of 3 machines are ready/,
    },
    {
      rule: 'ControlPlane waits until it is available',
      step: 'ControlPlane',
      cluster: saying(conditionWith('ControlPlaneAvailable', 'False', { message: 'etcd' })),
      given: { controlPlane: plane(3) },
      waits: /Cluster demo: etcd/,
    },
    {
      rule: 'ControlPlane is complete with both',
      step: 'ControlPlane',
      cluster: saying(conditionWith('ControlPlaneAvailable', 'True')),
      given: { controlPlane: plane(3) },
    },
    ...(['FirstControlPlaneMachine', 'ControlPlane', 'Workers', 'AddOns', 'Available'] as const).map((step) => ({
      rule: `${step} is complete for a Cluster that names neither a control plane nor Machines`,
      step,
      given: { controlPlane: undefined, resourceSets: [resourceSet] },
    })),
    {
      rule: 'ControlPlane without an object waits for a first Machine',
      step: 'ControlPlane',
      given: { controlPlane: undefined, machines: [machine('w')] },
      waits: /0 of 0 machines/,
    },
    {
      rule: 'ControlPlane without an object is complete when its Machines are ready',
      step: 'ControlPlane',
      given: {
        controlPlane: undefined,
        machines: [machine('a', { controlPlane: true, change: saying(conditionWith('Ready', 'True')) })],
      },
    },
    {
      rule: 'Workers is complete without workers once the Cluster reports so',
      step: 'Workers',
      cluster: workersAvailable,
    },
    {
      rule: 'Workers waits for every replica',
      step: 'Workers',
      cluster: workersAvailable,
      given: { machineDeployments: [deployment(3, 2)] },
      waits: /2 of 3 are available/,
    },
    {
      rule: 'Workers does not offset one set against another',
      step: 'Workers',
      cluster: workersAvailable,
      given: {
        machineDeployments: [deployment(3, 2)],
        machineSets: [objectOf('MachineSet', 'alone', { spec: { replicas: 1 }, status: { availableReplicas: 5 } })],
      },
      waits: /3 of 4 are available/,
    },
    {
      rule: 'Workers counts the sets of a deployment once',
      step: 'Workers',
      cluster: workersAvailable,
      given: {
        machineDeployments: [deployment(1, 1)],
        machineSets: [objectOf('MachineSet', 's', { ...controlled, spec: { replicas: 1 } })],
      },
    },
    {
      rule: 'Workers counts standalone Machines',
      step: 'Workers',
      cluster: workersAvailable,
      given: { machines: [machine('w')], infraMachines: [host('w', error('InstanceReady', noCapacity))] },
      waits: /0 of 1 are available: AWSMachine host-of-w: RunInstances/,
    },
    { rule: 'AddOns is complete where no ClusterResourceSet selects the cluster', step: 'AddOns' },
    {
      rule: 'AddOns waits for a ClusterResourceSet that has applied nothing',
      step: 'AddOns',
      given: { resourceSets: [resourceSet] },
      waits: /ClusterResourceSet cni to apply ConfigMap calico, Secret key/,
    },
    {
      rule: 'AddOns quotes what a ClusterResourceSet says of its cluster only',
      step: 'AddOns',
      given: {
        resourceSets: [
          {
            ...resourceSet,
            ...saying(
              conditionWith('ResourcesApplied', 'False', { message: 'Cluster other: no\nCluster demo: denied' }),
            ),
          },
        ],
      },
      waits: /Secret key: ClusterResourceSet cni: (ResourcesApplied: )?Cluster demo: denied$/,
    },
    {
      rule: 'AddOns waits for each resource',
      step: 'AddOns',
      given: { resourceSets: [resourceSet], binding: binding('calico') },
      waits: /to apply Secret key$/,
    },
    {
      rule: 'AddOns is complete when all resources are applied',
      step: 'AddOns',
      given: { resourceSets: [resourceSet], binding: binding('calico', 'key') },
    },
    {
      rule: 'Available waits for the latch, and reports why it is not set',
      step: 'Available',
      cluster: saying(conditionWith('Available', 'False', { message: '* WorkersAvailable: no' })),
      waits: /Available: WorkersAvailable: no/,
    },
    { rule: 'Available is complete when the latch is set', step: 'Available', cluster: wasAvailable },
  ])('$rule', ({ step, cluster = {}, given, waits }) => {
    const judgement = judgeCreate[step](clusterStateOf(clusterOf(cluster), given));
    if (waits === undefined) return expect(judgement).toEqual({ verdict: 'done' });
    expect(judgement).toEqual({ verdict: 'pending', waitsFor: expect.stringMatching(waits) });
  });
});
