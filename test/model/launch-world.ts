/**
 * Machines that are launched together: the passes of their controller in steps (read, record, each action), in any
 * order, with crashes, stalled workers, refused calls and deletions. EC2 shows an instance at once.
 */

import { type Together, togetherAnnotation } from '../../kinds/core/contract/together.ts';
import { cancelledAnnotation } from '../../kinds/infrastructure-aws/aws-machine/batch.ts';
import { awsMachineController } from '../../kinds/infrastructure-aws/aws-machine/controller.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { launchOf } from '../../kinds/infrastructure-aws/aws-machine/launch.ts';
import type { Instance, RunInstancesInput, Tag } from '../../kinds/ports/cloud/index.ts';
import { referenceTo } from '../../kinds/references.fixture.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonValue, KubeObject, ObjectKey } from '../../machinery/api/object.ts';
import type { Action, Context, Failure, Plan, Read, Reader } from '../../machinery/api/reconcile.ts';
import { type Step, Violation, type World } from './explore.ts';

export interface LaunchOptions {
  machines: number;
  /** How many passes of each machine are explored; afterwards all run in turns until they rest. */
  passes: number;
  crashes?: number;
  /** Workers of a machine whose lease expires at any time. */
  stalls?: number;
  refusals?: number;
  /** Machines that a user may delete. */
  deletable?: number[];
  /** Seconds by which the clock may jump, each once. */
  jumps?: number[];
  /** A defect: a machine takes the call as cancelled as soon as it wants to cancel it. */
  impatient?: boolean;
}

interface Pass {
  machine: number;
  object: AWSMachine;
  plan: Plan<never>;
  /** 0: the record is next; n: the nth action. */
  at: number;
  failed?: boolean;
}

const zone = 'a';
const tagsOf = ({ TagSpecifications }: RunInstancesInput): Tag[] => [...(TagSpecifications[0]?.Tags ?? [])];
const isLive = ({ State }: Instance) => State.Name !== 'terminated';

export const launchWorld = (options: LaunchOptions) => (): World => {
  const { machines, passes, deletable = [], jumps = [], impatient = false } = options;
  let { crashes = 0, stalls = 0, refusals = 0 } = options;
  const left = Array.from({ length: machines }, () => passes);
  const toDelete = new Set(deletable);
  const toJump = [...jumps];
  const objects = new Map<string, KubeObject>();
  const failures = new Map<number, Failure>();
  const running: Pass[] = [];
  const instances: Instance[] = [];
  const calls = new Map<string, string>();
  let now = Date.UTC(2026, 0, 1);
  let version = 0;
  let drawn = 0;
  const nameOf = (index: number) => `m${index}`;
  const put = (object: KubeObject) => {
    version += 1;
    const { kind, metadata } = object;
    objects.set(`${kind}/${metadata.name}`, { ...object, metadata: { ...metadata, resourceVersion: String(version) } });
  };
  const machineAt = (index: number) => objects.get(`AWSMachine/${nameOf(index)}`) as AWSMachine | undefined;
  const setUp = () => {
    const of = { namespace: 'default' };
    const labels = { 'cluster.x-k8s.io/cluster-name': 'demo' };
    put({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { ...of, name: 'demo', uid: 'cluster' },
      spec: { infrastructureRef: referenceTo('AWSCluster', 'demo') },
      status: { initialization: { infrastructureProvisioned: true } },
    } as KubeObject);
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'cluster' };
    put({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'AWSCluster',
      metadata: { ...of, name: 'demo', uid: 'aws', labels, ownerReferences: [owner] },
      spec: {
        region: 'r',
        network: {
          vpc: { id: 'vpc-1' },
          subnets: [{ id: 'subnet-1', resourceID: 'subnet-1', availabilityZone: zone }],
        },
      },
      status: { ready: true, networkStatus: { securityGroups: { node: { id: 'sg-1' }, lb: { id: 'sg-2' } } } },
    } as KubeObject);
    for (let index = 0; index < machines; index++) {
      const name = nameOf(index);
      const together: Together = { id: 'group', first: nameOf(0), index, count: machines };
      put({ apiVersion: 'v1', kind: 'Secret', metadata: { ...of, name }, data: { value: 'Iw==' } } as KubeObject);
      put({
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        metadata: { ...of, name, uid: `machine-${name}`, labels },
        spec: { clusterName: 'demo', version: 'v1.35.0', bootstrap: { dataSecretName: name } },
      } as KubeObject);
      put({
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
        kind: 'AWSMachine',
        metadata: {
          ...of,
          name,
          uid: `uid-${name}`,
          labels,
          finalizers: [awsMachineController.finalizer!],
          annotations: { [togetherAnnotation]: JSON.stringify(together) },
          ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: `machine-${name}` }],
        },
        spec: { instanceType: 't', ami: { id: 'ami-1' } },
      } as KubeObject);
    }
  };
  setUp();

  const describe = ({
    Filters = [],
    InstanceIds,
  }: {
    Filters?: { Name: string; Values: string[] }[];
    InstanceIds?: string[];
  }) =>
    instances.filter(
      (one) =>
        (!InstanceIds || InstanceIds.includes(one.InstanceId)) &&
        Filters.every(({ Name, Values }) =>
          Name === 'client-token'
            ? Values.includes(one.ClientToken ?? '')
            : one.Tags.some(({ Key, Value }) => `tag:${Key}` === Name && Values.includes(Value)),
        ),
    );
  const answer = (operation: string, input: object): unknown => {
    switch (operation) {
      case 'DescribeInstances':
        return { Reservations: [{ Instances: describe(input).map((one) => ({ ...one, Tags: [...one.Tags] })) }] };
      case 'DescribeInstanceTypes':
        return { InstanceTypes: [{ InstanceType: 't', ProcessorInfo: { SupportedArchitectures: ['x86_64'] } }] };
      case 'DescribeImages':
        return { Images: [{ ImageId: 'ami-1', RootDeviceName: '/dev/sda1', BlockDeviceMappings: [] }] };
      default:
        throw new Error(`${operation} is not answered here`);
    }
  };
  const reader: Reader = {
    get: <T extends KubeObject>(kind: string, { name }: { name: string }): Read<T> => {
      const value = objects.get(`${kind}/${name}`) as T | undefined;
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: <T extends KubeObject>(kind: unknown): Read<T[]> => ({
      state: 'found',
      value: [...objects.values()].filter((one) => one.kind === kind) as T[],
    }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: <T>(_: string, operation: string, input: JsonValue): Read<T> => ({
      state: 'found',
      value: answer(operation, (input as { input: object }).input) as T,
    }),
  };
  const context = (index: number): Context => ({
    now,
    random: { suffix: () => '', pick: (from) => from[0]!, token: () => `token-${++drawn}` },
    lastFailure: failures.get(index),
    attempts: 0,
    installation: 'here',
    config: {},
    awaits: [],
  });

  /** The uid of the machine that an instance belongs to. */
  const machineOwning = (one: Instance): string => {
    const uid = one.Tags.find(({ Key }) => Key === 'capstan.dev/machine-uid')?.Value;
    return uid ?? `uid-${nameOf(one.AmiLaunchIndex ?? 0)}`;
  };
  const run = (input: RunInstancesInput, machine: number) => {
    const { ClientToken, MaxCount } = input;
    const parameters = JSON.stringify(input);
    if ((calls.get(ClientToken) ?? parameters) !== parameters) throw new Violation(`${ClientToken} was reused`);
    calls.set(ClientToken, parameters);
    if (instances.some((one) => one.ClientToken === ClientToken)) return;
    if (MaxCount > 1)
      for (let index = 0; index < machines; index++)
        if (launchOf(machineAt(index)?.metadata ?? {})?.token !== ClientToken)
          throw new Violation(`m${machine} launched for m${index}, which does not wait for it`);
    for (let index = 0; index < MaxCount; index++)
      instances.push({
        InstanceId: `i-${instances.length}`,
        State: { Name: 'running' },
        ClientToken,
        AmiLaunchIndex: index,
        Placement: { AvailabilityZone: zone },
        MetadataOptions: {
          HttpTokens: 'required',
          HttpEndpoint: 'enabled',
          HttpPutResponseHopLimit: 1,
          InstanceMetadataTags: 'disabled',
        },
        BlockDeviceMappings: [],
        SecurityGroups: [],
        NetworkInterfaces: [],
        Tags: tagsOf(input),
      } as unknown as Instance);
  };
  const perform = (action: Action, machine: number, refused: boolean): void => {
    if (action.do === 'patch') {
      const object = objects.get(`${action.kind}/${action.name}`);
      if (object?.metadata.uid === action.uid) put(mergePatch(object, action.patch));
      return;
    }
    if (action.do !== 'call') throw new Error(`no ${action.do} here`);
    const { input } = action.input as unknown as { input: Record<string, unknown> };
    const fail = (code: string) =>
      failures.set(machine, { port: 'cloud', operation: action.operation, code, message: '', at: now });
    if (action.operation === 'RunInstances') {
      if (refused && !instances.some((one) => one.ClientToken === input.ClientToken)) {
        fail('InsufficientInstanceCapacity');
        return;
      }
      run(input as unknown as RunInstancesInput, machine);
    } else if (action.operation === 'TerminateInstances') {
      for (const id of input.InstanceIds as string[])
        instances.find(({ InstanceId }) => InstanceId === id)!.State = { Name: 'terminated' };
    } else if (action.operation === 'CreateTags') {
      for (const one of instances.filter(({ InstanceId }) => (input.Resources as string[]).includes(InstanceId)))
        for (const tag of input.Tags as Tag[]) one.Tags = [...one.Tags.filter(({ Key }) => Key !== tag.Key), tag];
    }
  };
  const planFor = (object: AWSMachine, about: Context, read = reader) =>
    awsMachineController.reconcile(awsMachineController.observe(object, read, about), about) as Plan<never>;
  const decide = (object: AWSMachine, about: Context): Plan<never> => {
    const plan = planFor(object, about);
    const cancels = plan.actions?.some((action) => action.do === 'patch' && action.name !== object.metadata.name);
    if (!impatient || !cancels) return plan;
    const first = objects.get(`AWSMachine/${nameOf(0)}`)!;
    const value = mergePatch(first, { metadata: { annotations: { [cancelledAnnotation]: 'group' } } });
    const get = (kind: string, key: ObjectKey) =>
      kind === 'AWSMachine' && key.name === nameOf(0) ? { state: 'found', value } : reader.get(kind, key);
    return planFor(object, about, { ...reader, get } as Reader);
  };
  const begin = (machine: number): Pass | undefined => {
    const object = machineAt(machine);
    if (!object) return undefined;
    const about = context(machine);
    const plan = decide(object, about);
    return { machine, object, plan, at: 0 };
  };
  /** Whether the pass has ended. */
  const advance = (pass: Pass, refused: boolean): boolean => {
    const { machine, object, plan } = pass;
    const actions = plan.actions ?? [];
    if (pass.at === 0) {
      const current = machineAt(machine);
      if (!current || (plan.intent && current.metadata.resourceVersion !== object.metadata.resourceVersion))
        return true;
      if (plan.intent && JSON.stringify(mergePatch(current, plan.intent)) !== JSON.stringify(current))
        put(mergePatch(current, plan.intent));
      failures.delete(machine);
    } else {
      perform(actions[pass.at - 1]!, machine, refused);
      if (failures.has(machine)) return true;
    }
    if (pass.at++ < actions.length) return false;
    const last = machineAt(machine);
    if (last && plan.status) put({ ...last, status: plan.status } as KubeObject);
    if (plan.finished && last) {
      objects.delete(`AWSMachine/${nameOf(machine)}`);
      const uid = last.metadata.uid!;
      const left = instances.find((one) => isLive(one) && machineOwning(one) === uid);
      if (left) throw new Violation(`m${machine} is gone, and ${left.InstanceId} runs`);
    }
    return true;
  };
  const drop = (pass: Pass) => running.splice(running.indexOf(pass), 1);
  const remove = (index: number) => {
    const object = machineAt(index)!;
    put({ ...object, metadata: { ...object.metadata, deletionTimestamp: new Date(now).toISOString() } });
  };

  const steps = (): Step[] => {
    const all: Step[] = [];
    for (const pass of running) {
      const label = `m${pass.machine} ${pass.at === 0 ? 'records' : `does ${pass.at} of ${pass.plan.actions?.length}`}`;
      const go = (refused: boolean) => () => {
        if (advance(pass, refused)) drop(pass);
      };
      all.push({ label, take: go(false) });
      const action = pass.plan.actions?.[pass.at - 1];
      if (refusals > 0 && action?.do === 'call' && action.operation === 'RunInstances')
        all.push({
          label: `${label}, refused`,
          take: () => {
            refusals -= 1;
            go(true)();
          },
        });
      if (crashes > 0)
        all.push({
          label: `m${pass.machine} crashes`,
          take: () => {
            crashes -= 1;
            drop(pass);
          },
        });
    }
    for (let index = 0; index < machines; index++) {
      const isBusy = running.some(({ machine }) => machine === index);
      if (left[index]! > 0 && machineAt(index) && (!isBusy || stalls > 0))
        all.push({
          label: `m${index} reads${isBusy ? ' while another worker stalls' : ''}`,
          take: () => {
            left[index]! -= 1;
            if (isBusy) stalls -= 1;
            running.push(begin(index)!);
          },
        });
    }
    for (const index of toDelete)
      all.push({
        label: `a user deletes m${index}`,
        take: () => {
          toDelete.delete(index);
          remove(index);
        },
      });
    const [jump] = toJump;
    if (jump !== undefined)
      all.push({
        label: `${jump} s pass`,
        take: () => {
          toJump.shift();
          now += jump * 1000;
        },
      });
    return all;
  };

  return {
    steps,
    fingerprint: () =>
      JSON.stringify([
        now,
        crashes,
        stalls,
        refusals,
        left,
        [...toDelete],
        [...failures],
        [...objects.values()].filter(({ kind }) => kind === 'AWSMachine').map(({ metadata, spec }) => [metadata, spec]),
        running.map(({ machine, at, plan, object }) => [machine, at, plan, object.metadata.resourceVersion]),
        instances,
      ]).replaceAll(/"resourceVersion":"\d+"/g, ''),
    check: () => {
      const owners = new Map<string, string>();
      for (const one of instances.filter(isLive)) {
        const owner = machineOwning(one);
        const other = owners.get(owner);
        if (other) throw new Violation(`${owner} has ${other} and ${one.InstanceId}`);
        owners.set(owner, one.InstanceId);
      }
    },
    checkEnd: async () => {
      for (let round = 0; round < 120; round++) {
        now += 5_000;
        for (let index = 0; index < machines; index++) {
          const pass = begin(index);
          while (pass && !advance(pass, false));
        }
      }
      const live = instances.filter(isLive);
      const expected = Array.from({ length: machines }, (_, index) => machineAt(index)).filter(
        (one) => one !== undefined,
      );
      for (const { metadata, spec } of expected)
        if (!live.some(({ InstanceId }) => InstanceId === spec?.instanceID))
          throw new Violation(`${metadata.name} has no instance`);
      if (live.length !== expected.length)
        throw new Violation(`${live.length} instances of ${expected.length} machines`);
      if (expected.some(({ metadata }) => metadata.deletionTimestamp)) throw new Violation('a deletion does not end');
    },
  };
};
