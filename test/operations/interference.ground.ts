/** A cluster in one state of one operation, and the possible interference. */
import { expect } from 'vitest';
import { givenSpec } from '../../kinds/common/filled.ts';
import type { Phase } from '../../kinds/core/contract/operation.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { OperationType } from '../../kinds/operations/facts.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import type { Item } from '../../machinery/ports.ts';
import type { FaultSpec } from '../../simulation/aws/faults.ts';
import { expectNothingDoubled, expectWhole, isSettled } from '../system/checks.ts';
import { example } from '../system/manifests.ts';
import { createWorld, type Kind, type Moment, type World } from '../system/world.ts';
import type { State } from './interference.states.ts';

export const clusterName = 'quickstart';
export const workers = 'quickstart-workers';

/** The smallest cluster with every step: one machine of each role, distinguished by type. */
export const manifestWith = (): KubeObject[] =>
  example('quickstart.yaml').map((object) => {
    const { kind, metadata, spec } = object as KubeObject<JsonObject>;
    if (kind === 'MachineDeployment') return { ...object, spec: { ...spec, replicas: 1 } };
    if (kind !== 'AWSMachineTemplate' || metadata.name !== workers) return object;
    return { ...object, spec: templateOf(object, 't3.xlarge') };
  });

export const templateOf = ({ spec }: KubeObject, instanceType: string): JsonObject => {
  const { template } = spec as { template: { spec: JsonObject } };
  return { template: { ...template, spec: { ...template.spec, instanceType } } };
};

export interface Reached {
  type: OperationType;
  phase: Phase;
  step: string;
}

/** The kinds whose specs belong to the user. */
const given = [
  'Cluster',
  'AWSCluster',
  'KubeadmControlPlane',
  'MachineDeployment',
  'AWSMachineTemplate',
  'ClusterResourceSet',
] as const;
const generated = ['Machine', 'MachineSet', 'AWSMachine', 'KubeadmConfig'] as const;

export interface Ground {
  readonly world: World;
  readonly state: State;
  /** The newest operation of the type. */
  operation(type?: OperationType): ClusterOperation | undefined;
  operations(): ClusterOperation[];
  phase(type?: OperationType): Phase | undefined;
  /** The phase and step of the newest operation. */
  is(): Partial<Reached>;
  execution(): Promise<{ definition: string; name: string; status: string; state: string } | undefined>;
  running(): Promise<string[]>;
  /** The task tokens that wait for the operation. */
  tokens(): Promise<Item[]>;
  loseTokens(): Promise<void>;
  fail(fault: FaultSpec): void;
  heal(): Promise<void>;
  apply(): Promise<void>;
  add(object: KubeObject): Promise<void>;
  annotate(annotations: Record<string, string | null>): Promise<void>;
  approve(type: string): Promise<void>;
  /** Moves the deadline of the create into the past. */
  expireDeadline(): Promise<void>;
  /** Extends the deadline again. */
  inTime(): Promise<void>;
  /** Deletes the remaining VPC, as an operator would. */
  removeByHand(): Promise<void>;
  cancel(): Promise<number>;
  remove(): Promise<void>;
  /** Removes all finalizers. */
  strip(kind: Kind, name: string): Promise<void>;
  until(what: string, done: () => boolean, minutes?: number): Promise<void>;
  toStep(step: string): Promise<void>;
  toTask(state: string): Promise<void>;
  toPhase(phase: Phase, type?: OperationType, minutes?: number): Promise<void>;
  settle(minutes?: number): Promise<void>;
  /** The number of destructive calls so far. */
  destroyed(): Record<string, number>;
  /** The number of creating calls so far. */
  bought(): Record<string, number>;
  /** The number of passes of all controllers so far. */
  passes(): number;
  specs(): Map<string, JsonObject>;
  expectWhole(): void;
  leftovers(): string[];
  wasAvailable(): boolean;
}

const retry = 'capstan.dev/retry';
const longDeadline = '3h';
export const again = (ground: Ground): Promise<void> => ground.annotate({ [retry]: `at ${ground.world.now()}` });

const count = (world: World, pattern: RegExp) =>
  Object.fromEntries(Object.entries(world.calls(true)).filter(([action]) => pattern.test(action)));

const groundOf = (world: World, state: State): Ground => {
  const operations = () =>
    world.all('ClusterOperation').toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0));
  const operation: Ground['operation'] = (type = state.is.type) =>
    operations().findLast(({ spec }) => spec?.type === type);
  const awaitsOf = async (): Promise<Item[]> => {
    const { items } = await world.work.query({
      pk: `await#clusteroperations.capstan.dev#default/${operation()?.metadata.name}`,
      consistent: true,
    });
    return items;
  };
  const lookup = async () => {
    const name = operation()?.status?.execution;
    return (await world.system.operations.workflows.list()).find((one) => one.name === name);
  };
  const ground: Ground = {
    world,
    state,
    operation,
    operations,
    phase: (type) => operation(type)?.status?.phase,
    is: () => {
      const { spec, status } = operation() ?? {};
      return {
        ...(spec && { type: spec.type }),
        ...(status?.phase && { phase: status.phase }),
        step: status?.step ?? '',
      };
    },
    execution: lookup,
    running: async () =>
      (await world.system.operations.workflows.list())
        .filter(({ status }) => status === 'RUNNING')
        .map(({ name, state: at }) => `${name} in ${at}`),
    tokens: awaitsOf,
    loseTokens: async () => {
      for (const { pk, sk } of await awaitsOf()) await world.work.write({ delete: { pk, sk } });
    },
    fail: (fault) => void world.system.account.faults.add(fault),
    heal: async () => {
      world.crashTasks(0);
      world.system.account.faults.clear();
      await state.heal?.(ground);
    },
    apply: async () => {
      const annotations = { 'capstan.dev/create-deadline': longDeadline };
      for (const object of state.manifest?.() ?? manifestWith()) {
        const isCluster = object.kind === 'Cluster';
        const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
        await world.apply(isCluster ? { ...object, metadata } : object);
      }
    },
    add: async (object) => void (await world.apply(object)),
    annotate: async (annotations) => {
      const answer = await world.patch('Cluster', clusterName, { metadata: { annotations } });
      expect(answer.code, answer.body.message).toBe(200);
    },
    approve: async (type) => {
      const cluster = world.find('Cluster', clusterName);
      if (!cluster || world.condition('Cluster', clusterName, type)) return;
      const lastTransitionTime = new Date(world.now()).toISOString().replace(/\.\d+/, '');
      const approved = { type, status: 'True', reason: 'Approved', message: '', lastTransitionTime };
      const conditions = [...((cluster.status?.conditions ?? []) as { type: string }[]), approved];
      const answer = await world.request(
        'PATCH',
        `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${clusterName}/status`,
        { status: { conditions } },
        'application/merge-patch+json',
      );
      expect(answer.code, answer.body.message).toBe(200);
    },
    expireDeadline: () => ground.annotate({ 'capstan.dev/create-deadline': '1s' }),
    inTime: () => ground.annotate({ 'capstan.dev/create-deadline': longDeadline }),
    removeByHand: async () => {
      for (const { type, region, id } of world.live()) {
        expect(type).toBe('vpc');
        await world.wait(world.system.account.call(region, 'DeleteVpc', { VpcId: id }));
      }
    },
    cancel: async () => {
      const { name } = operation()!.metadata;
      return (await world.patch('ClusterOperation', name, { spec: { cancel: true } })).code;
    },
    remove: async () => {
      expect((await world.remove('Cluster', clusterName)).code).toBeLessThan(300);
    },
    strip: async (kind, name) => {
      expect((await world.patch(kind, name, { metadata: { finalizers: null } })).code).toBe(200);
    },
    until: (what, done, minutes = 60) => world.until(what, done, minutes),
    toStep: (step) => world.until(`step ${step}`, () => operations().at(-1)?.status?.step === step, 60),
    toTask: async (at) => {
      for (let turn = 0; turn < 1200 && (await lookup())?.state !== at; turn += 1) await world.pass(0.05);
      expect((await lookup())?.state).toBe(at);
    },
    toPhase: (phase, type, minutes = 60) => world.until(`phase ${phase}`, () => ground.phase(type) === phase, minutes),
    settle: (minutes = 60) => world.until('settled', () => isSettled(world), minutes),
    destroyed: () => count(world, /^(Delete(?!Secret)|Terminate|Release|Detach|Deregister)/),
    bought: () => count(world, /^(Run|Create|Allocate)/),
    passes: () => Object.values(world.passes).reduce((sum, one) => sum + one, 0),
    specs: () =>
      new Map(
        given.flatMap((kind) =>
          (world.all(kind) as KubeObject[]).map(
            (object) => [`${kind} ${object.metadata.name}`, givenSpec(object)] as const,
          ),
        ),
      ),
    expectWhole: () => expectWhole(world),
    wasAvailable: () =>
      world.find('Cluster', clusterName)?.metadata.annotations?.['capstan.dev/was-available'] === 'true',
    leftovers: () => [
      ...world.live().map(({ type, id }) => `${type} ${id}`),
      ...generated.flatMap((kind) => world.all(kind).map(({ metadata }) => `${kind} ${metadata.name}`)),
      ...world
        .all('Secret')
        .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] !== undefined)
        .map(({ metadata }) => `Secret ${metadata.name}`),
    ],
  };
  return ground;
};

const moments = new Map<string, Promise<Moment>>();
const momentOf = (state: State): Promise<Moment> => {
  const known = moments.get(state.name);
  if (known) return known;
  const moment = (async () => {
    const from = state.from && (await momentOf(state.from));
    const world = await createWorld({ workflows: true, ...(from && { from, seed: 2 }) });
    const ground = groundOf(world, state);
    await state.reach(ground);
    await world.pass(0.1);
    expect(ground.is(), world.story()).toEqual(state.is);
    return world.moment();
  })();
  moments.set(state.name, moment);
  return moment;
};

/** A copy of the world in which the state was reached. */
export const enter = async (state: State, seed: number): Promise<Ground> => {
  const world = await createWorld({ from: await momentOf(state), seed: seed + 3, workflows: true });
  world.onCommit(({ type }) => {
    if (type.startsWith('aws') && world.all('Cluster').length > 0) expectNothingDoubled(world);
  });
  await world.pass(0.05);
  return groundOf(world, state);
};
