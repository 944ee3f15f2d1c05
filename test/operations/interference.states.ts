/** Every state of an operation: how a world reaches it, what keeps it there, and what lets it continue. */
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import type { FaultSpec } from '../../simulation/aws/faults.ts';
import { type Ground, manifestWith, type Reached } from './interference.ground.ts';

/** What an operation is doing, grouped by the expected reaction to interference. */
export type Group = 'building' | 'undoing' | 'ended' | 'succeeded' | 'deleting';

export interface State {
  name: string;
  group: Group;
  /** The phase and step of the operation in that state. */
  is: Reached;
  manifest?: () => KubeObject[];
  /** The state from which it is reached; absent for a new world. */
  from?: State;
  reach(ground: Ground): Promise<void>;
  /** Removes what keeps it there. */
  heal?(ground: Ground): Promise<void>;
}

const failing = (action: string, code = 'InternalError'): FaultSpec => ({ action, code });
const noCapacity = failing('RunInstances', 'InsufficientInstanceCapacity');

/** A step of a create that a failing call blocks. */
const stuck = (name: string, fault: FaultSpec): State => ({
  name,
  group: 'building',
  is: { type: 'create', phase: 'Running', step: name },
  reach: async (ground) => {
    ground.fail(fault);
    await ground.apply();
    await ground.toStep(name);
  },
});

const resourceSet = (manifest: KubeObject[]): KubeObject[] => {
  const one = manifest.find(({ kind }) => kind === 'ClusterResourceSet')!;
  const resources = [{ kind: 'ConfigMap', name: 'later' }];
  return [
    ...manifest,
    { ...one, metadata: { ...one.metadata, name: 'later' }, spec: { ...(one.spec as JsonObject), resources } },
  ];
};
const later: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'later', namespace: 'default' },
  data: { 'later.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: later\n  namespace: default\n' },
} as KubeObject;

const gate = 'example.com/Approved';
const withGate = (manifest: KubeObject[]): KubeObject[] =>
  manifest.map((object) =>
    object.kind === 'Cluster'
      ? { ...object, spec: { ...(object.spec as JsonObject), availabilityGates: [{ conditionType: gate }] } }
      : object,
  );

const firstMachine = stuck('FirstControlPlaneMachine', noCapacity);

const building: State[] = [
  stuck('Preflight', failing('DescribeAvailabilityZones')),
  stuck('Network', failing('CreateNatGateway')),
  stuck('LoadBalancer', failing('CreateLoadBalancer')),
  firstMachine,
  {
    name: 'ControlPlane',
    group: 'building',
    is: { type: 'create', phase: 'Running', step: 'ControlPlane' },
    // Nodes stay uninitialized without a cloud controller manager.
    manifest: () => manifestWith().filter(({ kind }) => kind !== 'ConfigMap'),
    reach: async (ground) => {
      await ground.apply();
      await ground.toStep('ControlPlane');
    },
    heal: (ground) => ground.add(manifestWith().find(({ kind }) => kind === 'ConfigMap')!),
  },
  stuck('Workers', { ...noCapacity, type: 't3.xlarge' }),
  {
    name: 'AddOns',
    group: 'building',
    is: { type: 'create', phase: 'Running', step: 'AddOns' },
    // A cluster with ready nodes is Available; add-ons are late only when something else is missing, too.
    manifest: () => withGate(resourceSet(manifestWith())),
    reach: async (ground) => {
      await ground.apply();
      await ground.toStep('AddOns');
    },
    heal: async (ground) => {
      await ground.add(later);
      await ground.approve(gate);
    },
  },
  {
    name: 'Available',
    group: 'building',
    is: { type: 'create', phase: 'Running', step: 'Available' },
    manifest: () => withGate(manifestWith()),
    reach: async (ground) => {
      await ground.apply();
      await ground.toStep('Available');
    },
    heal: (ground) => ground.approve(gate),
  },
  {
    name: 'Decide',
    group: 'building',
    is: { type: 'create', phase: 'Running', step: 'FirstControlPlaneMachine' },
    from: firstMachine,
    reach: async (ground) => {
      ground.world.crashTasks(6);
      await ground.expireDeadline();
      await ground.toTask('Decide');
      await ground.inTime();
      // Into the longest pause between two attempts.
      await ground.world.pass(0.52);
    },
  },
];

/** During a teardown, or after it. */
const torn = (name: string, is: Reached, more: FaultSpec[] = []): State => ({
  name,
  group: is.phase === 'TornDown' ? 'ended' : 'undoing',
  is,
  from: firstMachine,
  reach: async (ground) => {
    for (const fault of more) ground.fail(fault);
    await ground.expireDeadline();
    await (is.phase === 'Running' ? ground.toStep(is.step) : ground.toPhase(is.phase));
    await ground.inTime();
  },
});

const undoing: State[] = [
  torn('TearDown', { type: 'create', phase: 'Running', step: 'TearDown' }, [failing('DeleteVpc')]),
  torn('TearDownHeld', { type: 'create', phase: 'Held', step: 'TearDown' }, [
    failing('DeleteVpc', 'DependencyViolation'),
  ]),
];

/** Nothing more happens by itself, with the first machine still missing. */
const over = (name: string, phase: Reached['phase'], reach: State['reach']): State => ({
  name,
  group: 'ended',
  is: { type: 'create', phase, step: firstMachine.name },
  from: firstMachine,
  reach: async (ground) => {
    await reach(ground);
    await ground.toPhase(phase, 'create', 90);
    await ground.inTime();
  },
});

const ended: State[] = [
  torn('TornDown', { type: 'create', phase: 'TornDown', step: 'TearDown' }),
  over('Held by its policy', 'Held', async (ground) => {
    await ground.annotate({ 'capstan.dev/on-create-failure': 'Hold' });
    await ground.expireDeadline();
  }),
  over('Held by an unknown error', 'Held', async (ground) => {
    await ground.loseTokens();
    ground.world.crashTasks(9);
  }),
  over('Cancelled', 'Cancelled', async (ground) => void (await ground.cancel())),
];

const succeeded: State = {
  name: 'Succeeded',
  group: 'succeeded',
  is: { type: 'create', phase: 'Succeeded', step: 'Available' },
  reach: async (ground) => {
    await ground.apply();
    await ground.toPhase('Succeeded', 'create');
    await ground.settle();
  },
};

/** From an Available cluster to a blocked delete. */
const removed = (name: string, is: Reached, to: State['reach'], heal?: State['heal']): State => ({
  name,
  group: 'deleting',
  is,
  from: succeeded,
  reach: to,
  ...(heal && { heal }),
});
const inStep = (step: string): Reached => ({ type: 'delete', phase: 'Running', step });

const deleting: State[] = [
  removed('DeleteWorkers', inStep('DeleteWorkers'), async (ground) => {
    ground.fail(failing('TerminateInstances'));
    await ground.remove();
    await ground.toStep('DeleteWorkers');
  }),
  removed('DeleteControlPlane', inStep('DeleteControlPlane'), async (ground) => {
    await ground.remove();
    await ground.until('workers are gone', () => ground.world.all('MachineSet').length === 0);
    ground.fail(failing('TerminateInstances'));
    await ground.toStep('DeleteControlPlane');
  }),
  removed('DeleteLoadBalancers', inStep('DeleteLoadBalancers'), async (ground) => {
    ground.fail(failing('DeleteLoadBalancer'));
    await ground.remove();
    await ground.toStep('DeleteLoadBalancers');
  }),
  removed('DeleteNetwork', inStep('DeleteNetwork'), async (ground) => {
    ground.fail(failing('DeleteVpc'));
    await ground.remove();
    await ground.toStep('DeleteNetwork');
  }),
  removed(
    'Prove',
    inStep('Prove'),
    async (ground) => {
      // A resource that was released by force remains, and no controller deletes it.
      ground.fail(failing('DeleteVpc'));
      await ground.remove();
      await ground.toStep('DeleteNetwork');
      await ground.until('only the VPC is left', () => ground.world.live().length === 1);
      await ground.strip('AWSCluster', 'quickstart');
      await ground.toStep('Prove');
    },
    (ground) => ground.removeByHand(),
  ),
  removed('Delete, held', { type: 'delete', phase: 'Held', step: 'Prove' }, async (ground) => {
    ground.fail(failing('DeleteVpc', 'DependencyViolation'));
    await ground.remove();
    await ground.toPhase('Held', 'delete');
  }),
];

export const states: readonly State[] = [...building, ...undoing, ...ended, succeeded, ...deleting];
