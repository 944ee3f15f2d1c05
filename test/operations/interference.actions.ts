/**
 * What users, tools and accidents do to a cluster in the middle of an operation, and the required result. Each action
 * describes what it does, the state while nothing has healed, and the end once it has.
 */
import { expect } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isTrue } from '../system/checks.ts';
import { again, clusterName, type Ground, templateOf, workers } from './interference.ground.ts';
import { previousRelease } from './interference.previous.ts';
import type { State } from './interference.states.ts';

/** How a cluster ends once nothing blocks it: complete, or gone. */
export type End =
  /** Available, and its operation Succeeded. */
  | 'whole'
  /** The operation is torn down first; then a user retries. */
  | 'undone, then whole'
  /** A user must retry; nothing is torn down. */
  | 'whole when asked again'
  | 'gone'
  /** The deletion lost its authority, so the cluster stays. */
  | 'kept';

export interface Action {
  name: string;
  /** Why the action makes no sense in a state; undefined where it does. */
  senseless?(state: State): string | undefined;
  act(ground: Ground): Promise<void>;
  /** The maximum number of operations of the state's type in the end. */
  operations?: number;
  end(state: State): End;
  /** Also replaces machines, as intended. */
  replaces?: true;
}

/** The end without interference. */
const undisturbed = ({ group, name, is }: State): End => {
  switch (group) {
    case 'building':
      return name === 'Decide' ? 'undone, then whole' : 'whole';
    case 'undoing':
      return 'undone, then whole';
    case 'ended':
      return is.phase === 'Held' && name.endsWith('error') ? 'whole' : 'whole when asked again';
    case 'succeeded':
      return 'whole';
    case 'deleting':
      return 'gone';
    default:
      throw new Error(`unknown group ${group satisfies never}`);
  }
};

const isOver = ({ group, name }: State): boolean =>
  group === 'succeeded' || (group === 'ended' && !name.startsWith('Held'));
const nothingWaits = ({ group, name }: State): string | undefined =>
  group === 'ended' || group === 'succeeded' || name === 'Decide' ? 'no task waits for an answer' : undefined;
const notRunning = ({ group }: State): string | undefined =>
  group === 'ended' || group === 'succeeded' ? 'its workflow has ended' : undefined;

/** The operation's phase and step are unchanged. */
const expectUnmoved = (ground: Ground) => expect(ground.is(), ground.world.story()).toEqual(ground.state.is);
/** A running operation advances by itself; nothing else may have happened to it. */
const expectUnmovedIfStuck = (ground: Ground) => {
  if (ground.state.name === 'Decide') return;
  if (ground.state.group === 'deleting' || ground.state.group === 'undoing') {
    expect(['Running', 'Held'], ground.world.story()).toContain(ground.phase());
    return;
  }
  expectUnmoved(ground);
};

const minutes = (ground: Ground, howMany: number) => ground.world.pass(howMany);

/** A new template and workers that reference it: the desired cluster changes. */
const editWorkers = async (ground: Ground) => {
  const { world } = ground;
  const template = world.find('AWSMachineTemplate', workers) as KubeObject;
  const name = `${workers}-2`;
  const { namespace = '' } = template.metadata;
  await ground.add({
    apiVersion: template.apiVersion,
    kind: template.kind,
    metadata: { name, namespace },
    spec: templateOf(template, 't3.large'),
  } as KubeObject);
  const answer = await world.patch('MachineDeployment', workers, {
    spec: { template: { spec: { infrastructureRef: { name } } } },
  });
  expect(answer.code, answer.body.message).toBe(200);
};

const operate = async (ground: Ground, token: string, task: string) => {
  const { metadata } = ground.operation()!;
  const { namespace = '', name, uid = '' } = metadata;
  await ground.world.system.operations.operate({ task, token, operation: { namespace, name, uid } });
  await minutes(ground, 0.1);
};

const unauthorized = (ground: Ground, actions: readonly string[]) => {
  for (const action of actions) ground.fail({ action, code: 'UnauthorizedOperation' });
};
const writes = [
  'CreateNatGateway',
  'CreateSecurityGroup',
  'CreateSubnet',
  'CreateLoadBalancer',
  'CreateListener',
  'CreateSecret',
  'RunInstances',
  'RegisterTargets',
  'DeleteNatGateway',
  'DeleteSubnet',
  'DeleteLoadBalancer',
  'DeleteVpc',
  'TerminateInstances',
];

const isGone = (ground: Ground) => ground.world.find('Cluster', clusterName) === undefined;

const supersede: Action = {
  name: 'a relevant edit',
  senseless: ({ group, name }) =>
    group === 'deleting' && name !== 'DeleteWorkers' ? 'what was edited is gone' : undefined,
  act: async (ground) => {
    const { group, name } = ground.state;
    await editWorkers(ground);
    await minutes(ground, 0.5);
    const [first, second] = ground.operations().filter(({ spec }) => spec?.type === ground.state.is.type);
    switch (group) {
      case 'building':
        expect(first?.status?.phase).toBe('Cancelled');
        expect(first?.status?.message).toMatch(/superseded by quickstart-create-2/);
        expect(second?.metadata.name).toBe('quickstart-create-2');
        return;
      case 'undoing':
        expect(second, name).toBeUndefined();
        return;
      case 'ended':
        expect(second?.metadata.name).toBe('quickstart-create-2');
        return;
      case 'succeeded':
      case 'deleting':
        expect(second).toBeUndefined();
        return;
      default:
        throw new Error(`unknown group ${group satisfies never}`);
    }
  },
  operations: 2,
  replaces: true,
  // A teardown completes first; then the new operation begins by itself.
  end: ({ group }) => (group === 'deleting' ? 'gone' : 'whole'),
};

const scale: Action = {
  name: 'an edit of replicas',
  senseless: supersede.senseless!,
  act: async (ground) => {
    const before = ground.operations().length;
    expect((await ground.world.scale('MachineDeployment', workers, 2)).code).toBe(200);
    await minutes(ground, 1);
    expectUnmovedIfStuck(ground);
    expect(ground.operations()).toHaveLength(before);
  },
  end: undisturbed,
};

const remove: Action = {
  name: 'the Cluster is deleted',
  senseless: ({ group }) => (group === 'deleting' ? 'it is being deleted' : undefined),
  act: async (ground) => {
    const over = isOver(ground.state);
    await ground.remove();
    await minutes(ground, 1);
    const phase = ground.phase('create');
    if (phase !== undefined) expect(phase).toBe(over ? ground.state.is.phase : 'Cancelled');
    if (!isGone(ground)) expect(ground.operation('delete')?.spec?.attempt).toBe(1);
  },
  end: () => 'gone',
};

const pause: Action = {
  name: 'a pause of four hours',
  act: async (ground) => {
    const patch = (paused: boolean | null) => ground.world.patch('Cluster', clusterName, { spec: { paused } });
    expect((await patch(true)).code).toBe(200);
    await minutes(ground, 2);
    const before = { is: ground.is(), bought: ground.bought(), destroyed: ground.destroyed() };
    const passes = ground.passes();
    // Longer than the deadline of the create.
    await minutes(ground, 4 * 60);
    expect({ is: ground.is(), bought: ground.bought(), destroyed: ground.destroyed() }).toEqual(before);
    expect(ground.passes() - passes, 'passes of a cluster that is paused').toBeLessThan(1500);
    expect((await patch(null)).code).toBe(200);
    await minutes(ground, 1);
    expectUnmovedIfStuck(ground);
  },
  end: undisturbed,
};

const cancel: Action = {
  name: 'cancel',
  act: async (ground) => {
    const { group, is } = ground.state;
    const code = await ground.cancel();
    if (group === 'undoing' || group === 'deleting') {
      expect(code).toBe(422);
      return;
    }
    expect(code).toBe(200);
    await minutes(ground, 1);
    expect(ground.phase()).toBe(isOver(ground.state) ? is.phase : 'Cancelled');
    if (group === 'succeeded') return;
    const had = ground.leftovers();
    await ground.heal();
    await minutes(ground, 2);
    const bought = ground.bought();
    await minutes(ground, 15);
    expect(ground.bought()).toEqual(bought);
    for (const one of had) expect(ground.leftovers()).toContain(one);
  },
  operations: 2,
  end: (state) => {
    // All resources exist already, so it becomes Available regardless.
    if (state.name === 'AddOns' || state.name === 'Available') return 'whole';
    return state.group === 'building' || state.group === 'ended' ? 'whole when asked again' : undisturbed(state);
  },
};

const kill: Action = {
  name: 'kill -9',
  act: async (ground) => {
    const { world } = ground;
    await world.restart();
    for (const effects of [3, 11, 29]) {
      world.crashAfter(effects);
      await minutes(ground, 1);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await minutes(ground, 0.1);
    expectUnmovedIfStuck(ground);
    await ground.heal();
    for (const effects of [17, 23, 31, 41]) {
      world.crashAfter(effects);
      await minutes(ground, 0.5);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
  },
  end: undisturbed,
};

const loseToken: Action = {
  name: 'a lost token',
  senseless: nothingWaits,
  act: async (ground) => {
    const [before] = await ground.tokens();
    await ground.loseTokens();
    expect(await ground.tokens()).toEqual([]);
    // The workflow asks again within the hour.
    await minutes(ground, 62);
    expectUnmovedIfStuck(ground);
    const tokens = await ground.tokens();
    expect(tokens).toHaveLength(1);
    expect(tokens[0]!.sk).not.toBe(before!.sk);
  },
  end: undisturbed,
};

const doubleToken: Action = {
  name: 'a doubled token',
  senseless: nothingWaits,
  act: async (ground) => {
    const [waiting] = await ground.tokens();
    await operate(ground, String(waiting!.token), String(waiting!.step));
    expectUnmovedIfStuck(ground);
    expect(await ground.tokens()).toHaveLength(1);
  },
  end: undisturbed,
};

const strangeToken: Action = {
  name: 'another token for the same step',
  act: async (ground) => {
    const [waiting] = await ground.tokens();
    await operate(ground, 'create-cluster/nobody/0000', String(waiting?.step ?? ground.state.is.step));
    // After an unknown error, a task of the workflow decides, and the operation continues.
    if (ground.state.name !== 'Held by an unknown error') expectUnmovedIfStuck(ground);
    const asksAgain = ground.state.name === 'Held by an unknown error' ? 1 : 0;
    expect((await ground.tokens()).length).toBe(nothingWaits(ground.state) ? asksAgain : 2);
  },
  end: undisturbed,
};

const conditionFirst: Action = {
  name: 'the condition true before the token',
  senseless: nothingWaits,
  act: async (ground) => {
    await ground.loseTokens();
    await ground.heal();
    await minutes(ground, 8);
  },
  // A cluster that became Available meanwhile has the desired state.
  end: undisturbed,
};

const stop: Action = {
  name: 'its execution stopped from outside',
  senseless: notRunning,
  act: async (ground) => {
    const { definition, name } = (await ground.execution())!;
    const stopped = { definition, name, error: 'Operator', cause: 'stopped by hand' };
    await ground.world.system.operations.workflows.stop(stopped);
    await minutes(ground, 0.5);
    expect(ground.phase()).toBe('Held');
    expect(ground.operation()?.status?.message).toMatch(
      ground.state.name === 'TearDownHeld' || ground.state.name === 'Delete, held' || ground.state.group === 'deleting'
        ? /./
        : /workflow was stopped: Operator: stopped by hand|could not be undone yet/,
    );
  },
  end: (state) => {
    if (state.name === 'Preflight') return 'whole when asked again';
    return state.name === 'Decide' ? 'whole' : undisturbed(state);
  },
};

const release: Action = {
  name: 'begun by the previous release',
  senseless: (state) =>
    notRunning(state) ??
    (['LoadBalancer', 'AddOns', 'Available', 'TearDownHeld'].includes(state.name) ? 'it had no such state' : undefined),
  act: async (ground) => {
    const { definition, name } = (await ground.execution())!;
    const previous = previousRelease(definition);
    const key = { pk: 'executions', sk: `${definition}/${name}` };
    await ground.world.work.write({ update: key, set: { machine: JSON.stringify(previous) } });
    await ground.world.restart();
    await minutes(ground, 0.1);
    expectUnmovedIfStuck(ground);
  },
  end: undisturbed,
};

const crashForAWhile: Action = {
  name: 'tasks that crash for a while',
  senseless: notRunning,
  act: async (ground) => {
    ground.world.crashTasks(5);
    ground.world.system.account.faults.clear();
    await ground.state.heal?.(ground);
    await minutes(ground, 6);
  },
  // Healed before a decision: an Available cluster is not torn down.
  end: (state) => (state.name === 'Decide' ? 'whole' : undisturbed(state)),
};

const crashForEver: Action = {
  name: 'tasks that crash for ever',
  senseless: notRunning,
  act: async (ground) => {
    const destroyed = ground.destroyed();
    ground.world.crashTasks(Number.POSITIVE_INFINITY);
    // The deadline, and every retry of the states after it.
    if (ground.state.group === 'building') await ground.expireDeadline();
    await minutes(ground, 20);
    if (ground.state.group === 'building') {
      expect(ground.phase()).toBe('Held');
      expect(ground.destroyed()).toEqual(destroyed);
      await ground.inTime();
    }
  },
  end: (state) => {
    if (state.group !== 'building') return undisturbed(state);
    return state.name === 'Preflight' ? 'whole when asked again' : 'whole';
  },
};

const denied = (name: string, actions: readonly string[]): Action => ({
  name,
  act: async (ground) => {
    unauthorized(ground, actions);
    await minutes(ground, 10);
    expectUnmovedIfStuck(ground);
    await ground.heal();
    await minutes(ground, 1);
    // Each failed lookup of a changed instance is reported and retried.
    ground.world.errors.length = 0;
  },
  end: undisturbed,
});

const deleteOperation: Action = {
  name: 'its operation is deleted',
  act: async (ground) => {
    const { group, is } = ground.state;
    const { name } = ground.operation()!.metadata;
    expect((await ground.world.remove('ClusterOperation', name)).code).toBeLessThan(300);
    await minutes(ground, 1);
    const found = ground.world.find('ClusterOperation', name);
    if (group === 'building' || is.phase === 'Held') {
      if (group !== 'undoing' && group !== 'deleting') expect(found?.status?.phase).toBe('Cancelled');
    } else if (group === 'succeeded') expect(found).toBeUndefined();
    else if (group === 'ended') expect(found?.status?.phase).toBe(is.phase);
  },
  operations: 2,
  end: cancel.end,
};

const stripOperation: Action = {
  name: 'its operation is deleted by force',
  act: async (ground) => {
    const { name } = ground.operation()!.metadata;
    await ground.world.remove('ClusterOperation', name);
    if (ground.world.find('ClusterOperation', name)) await ground.strip('ClusterOperation', name);
    await minutes(ground, 1);
  },
  operations: 2,
  // A lost operation starts over with the existing resources.
  end: ({ group }) => (group === 'deleting' ? 'gone' : 'whole'),
};

const stripCluster: Action = {
  name: "the Cluster's finalizers are taken off",
  senseless: ({ name }) =>
    name === 'DeleteWorkers' || name === 'DeleteControlPlane'
      ? 'without a Cluster no controller may delete its machines: what was begun ends, the rest is kept'
      : undefined,
  act: async (ground) => {
    await ground.strip('Cluster', clusterName);
    await minutes(ground, 1);
    if (ground.state.group === 'deleting') return;
    expectUnmovedIfStuck(ground);
    expect(ground.world.find('Cluster', clusterName)?.metadata.finalizers).toContain('capstan.dev/operations');
  },
  end: undisturbed,
};

const undo: Action = {
  name: 'the Cluster is deleted and its finalizers are taken off',
  senseless: remove.senseless!,
  act: async (ground) => {
    await ground.remove();
    if (!isGone(ground)) await ground.strip('Cluster', clusterName);
    await minutes(ground, 1);
    expect(isGone(ground)).toBe(true);
  },
  end: () => 'kept',
};

export const actions: readonly Action[] = [
  { name: 'nothing', act: async (ground) => minutes(ground, 1), end: undisturbed },
  supersede,
  scale,
  remove,
  pause,
  cancel,
  kill,
  loseToken,
  doubleToken,
  strangeToken,
  conditionFirst,
  stop,
  release,
  crashForAWhile,
  crashForEver,
  denied('AccessDenied for every call', ['*']),
  denied('AccessDenied for what changes something', writes),
  deleteOperation,
  stripOperation,
  stripCluster,
  undo,
];

/** Runs until the end. */
export const finish = async (ground: Ground, end: End): Promise<void> => {
  const { world } = ground;
  await ground.heal();
  switch (end) {
    case 'gone':
      return world.until('nothing is left', () => isGone(ground) && ground.leftovers().length === 0, 120);
    case 'kept': {
      const [machines, bought] = [world.live('instance'), ground.bought()];
      await minutes(ground, 120);
      expect(world.live('instance')).toEqual(machines);
      expect(ground.bought()).toEqual(bought);
      return;
    }
    case 'undone, then whole':
      await world.until('undone', () => ground.phase('create') === 'TornDown', 120);
      await minutes(ground, 0.2);
      expect(ground.leftovers()).toEqual([]);
      await again(ground);
      return settle(ground);
    case 'whole when asked again':
      await minutes(ground, 5);
      expect(isTrue(world, 'Cluster', clusterName, 'Available')).toBe(false);
      await again(ground);
      return settle(ground);
    case 'whole':
      return settle(ground);
    default:
      throw new Error(`unknown end ${end satisfies never}`);
  }
};

const settle = async (ground: Ground) => {
  await ground.settle(120);
  if (ground.wasAvailable())
    await ground.until(
      'its operation is over',
      () => ['Succeeded', 'Cancelled', undefined].includes(ground.phase('create')),
      90,
    );
};
