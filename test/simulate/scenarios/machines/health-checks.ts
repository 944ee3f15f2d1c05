/** A health check marks machines as unhealthy. Their owners replace them within their limits. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { portionOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, deployment, type ScenarioContext } from '../context.ts';
import { areGone, comes, promptly, resyncTimeout } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';
/** Below the hour after which another failure counts as a new remediation. */
const retryPeriod = 50 * minute;

const isReady = ({ status }: Machine) =>
  (status?.conditions as Condition[] | undefined)?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
  false;

type Verdict = Pick<Condition, 'type' | 'status' | 'reason'>;
const unhealthy: readonly Verdict[] = [
  { type: 'HealthCheckSucceeded', status: 'False', reason: 'UnhealthyNode' },
  { type: 'OwnerRemediated', status: 'False', reason: 'WaitingForRemediation' },
];
const healthy: readonly Verdict[] = [{ type: 'HealthCheckSucceeded', status: 'True', reason: 'Succeeded' }];

/**
 * Writes conditions as a health check does; false when the machine is missing, in deletion or
 * modified concurrently.
 */
const check = async (
  { client, clock, world }: ScenarioContext,
  { metadata: { name } }: Machine,
  verdicts: readonly Verdict[],
): Promise<boolean> => {
  const path = `${pathOf('Machine')}/${name}`;
  const { code, body } = await client.request('GET', path);
  if (code !== 200 || body.metadata.deletionTimestamp) return false;
  const lastTransitionTime = new Date(clock.now()).toISOString();
  const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
  const reported = [
    ...conditions.filter(({ type }) => !verdicts.some((verdict) => verdict.type === type)),
    ...verdicts.map((verdict) => ({ ...verdict, message: '', lastTransitionTime })),
  ];
  const { resourceVersion } = body.metadata;
  const noted = await client.request('PATCH', `${path}/status`, {
    metadata: { resourceVersion },
    status: { conditions: reported },
  });
  // When the answer is lost, the condition may have been written all the same.
  const { conditions: known = [] } = world.mirror.get<Machine>('Machine', 'default', name)?.status ?? {};
  const isNoted = ({ type, lastTransitionTime: at }: Condition) =>
    type === 'HealthCheckSucceeded' && at === lastTransitionTime;
  return noted.code === 200 || (known as Condition[]).some(isNoted);
};

/** Marks a machine as unhealthy. */
export const markUnhealthy = (context: ScenarioContext, machine: Machine): Promise<boolean> =>
  check(context, machine, unhealthy);

/** Waits for the replacement; false when another machine is unhealthy too. */
const isReplaced = async (context: ScenarioContext, machine: Machine): Promise<boolean> => {
  const { name, uid } = machine.metadata;
  const isGone = areGone(context, [machine]);
  // With several unhealthy machines none may be replaced.
  const isAnotherIll = () => controlPlanesOf(context).some((one) => one.metadata.uid !== uid && !isReady(one));
  await comes(context, `the replacement of the unhealthy ${name}`, () => isGone() || isAnotherIll());
  return isGone();
};

const says = ({ metadata }: Machine) => metadata.annotations?.[remediationFor] !== undefined;
/** The replacement, once it has a Node. */
const replacementOf = async (context: ScenarioContext, { metadata }: Machine): Promise<Machine | undefined> => {
  const isInItsPlace = (one: Machine) =>
    one.metadata.annotations?.[remediationFor]?.includes(`"${metadata.name}"`) && one.status?.nodeRef !== undefined;
  const find = () => controlPlanesOf(context).find(isInItsPlace);
  const until = context.clock.now() + retryPeriod;
  while (!find() && context.clock.now() < until) await sleep(context.clock, minute);
  const isNew = (one: Machine) => Date.parse(one.metadata.creationTimestamp!) > Date.parse(metadata.creationTimestamp!);
  const unannotated = controlPlanesOf(context).find((one) => isNew(one) && one.status?.nodeRef && !says(one));
  // The annotation counts the remediation attempts.
  if (!find() && unannotated && !context.world.isHeldUp)
    throw new Violation(
      'remediated',
      `${unannotated.metadata.name} has no annotation that it replaces ${metadata.name}`,
    );
  return find();
};

/**
 * Two machines are unhealthy at once and one of them is annotated. The annotated one is remediated
 * first.
 */
const markTwoUnhealthy = async (context: ScenarioContext, machines: readonly Machine[]) => {
  const { client, clock, draw, desired, world } = context;
  const worse = draw.pick(machines);
  const other = draw.pick(machines.filter((one) => one !== worse));
  const pause = (paused: boolean) => client.patch('Cluster', desired.name, { spec: { paused } });
  await pause(true);
  // Passes that began before the pause have ended by then.
  await sleep(clock, 3 * minute);
  const annotations = { 'cluster.x-k8s.io/remediate-machine': '' };
  await client.patch('Machine', worse.metadata.name, { metadata: { annotations } });
  const areIll = (await markUnhealthy(context, worse)) && (await markUnhealthy(context, other));
  let first: string | undefined;
  world.mirror.onCommit(({ object, before, writer }) => {
    const isDeletion = object?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
    if (
      object?.kind === 'Machine' &&
      isDeletion &&
      machines.some(({ metadata }) => metadata.uid === object.metadata.uid)
    )
      first ??= writer === 'kubeadm-control-plane' ? object.metadata.name : '';
  });
  await pause(false);
  if (!areIll || !(await comes(context, 'the remediation of one of two unhealthy machines', () => first !== undefined)))
    return;
  if (first && first !== worse.metadata.name)
    throw new Violation('who goes', `${first} is remediated before the annotated ${worse.metadata.name}`);
  await isReplaced(context, worse);
};

/** A health check marks a control plane machine as unhealthy, and sometimes its replacement too. */
export const markControlPlaneUnhealthy = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  // A control plane with one machine cannot replace it.
  if (desired.controlPlanes < 3) {
    desired.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(context), desired.controlPlanes);
  }
  await settled(90);
  const machines = controlPlanesOf(context);
  if (machines.length < 3) return;
  const there = machines.filter(({ metadata }) => !metadata.deletionTimestamp);
  if (there.length === 0) return;
  if (there.length === 3 && draw.chance(0.4)) return markTwoUnhealthy(context, there);
  const isAgain = draw.chance(0.6);
  const isLimited = isAgain && draw.chance(0.4);
  const limit = (maxRetry: number | null) =>
    client.patch('KubeadmControlPlane', controlPlane(context), { spec: { remediation: { maxRetry } } });
  const remediation = { retryPeriodSeconds: retryPeriod / 1000 };
  if (isLimited) await limit(0);
  else if (isAgain) await client.patch('KubeadmControlPlane', controlPlane(context), { spec: { remediation } });
  const machine = draw.pick(there);
  if (!(await markUnhealthy(context, machine)) || !(await isReplaced(context, machine)) || !isAgain) return;
  const next = await replacementOf(context, machine);
  if (!next || !(await markUnhealthy(context, next))) return;
  if (isLimited) {
    // The machine stays until a user allows another attempt.
    await sleep(clock, draw.spread(minute, 40 * minute));
    await limit(null);
  }
  await isReplaced(context, next);
};

const areReplaced = (context: ScenarioContext, ill: readonly Machine[]) => {
  const names = ill.map(({ metadata }) => metadata.name).join(', ');
  return comes(context, `the replacement of the unhealthy ${names}`, areGone(context, ill));
};

/**
 * No unhealthy worker may be deleted until a user raises the limit. A worker that recovers before
 * that stays, and loses its remediation request.
 */
const markTooManyUnhealthy = async (
  context: ScenarioContext,
  machines: readonly Machine[],
  limit: (most: number) => Promise<unknown>,
) => {
  const { client, clock, draw, world } = context;
  await limit(0);
  // Passes that began before the change have ended by then.
  await sleep(clock, 3 * minute);
  const marked = draw.chance(0.4) ? draw.pick(machines) : undefined;
  const annotations = { 'cluster.x-k8s.io/remediate-machine': '' };
  if (marked) await client.patch('Machine', marked.metadata.name, { metadata: { annotations } });
  const ill: Machine[] = [];
  for (const machine of machines) if (await markUnhealthy(context, machine)) ill.push(machine);
  await sleep(clock, draw.spread(2 * minute, 20 * minute));
  const others = ill.filter((one) => one !== marked);
  const well = others.length > 1 ? draw.pick(others) : undefined;
  if (well && (await check(context, well, healthy))) {
    const find = () => staying(context).find(({ metadata }) => metadata.uid === well.metadata.uid);
    const isFree = () => !(find()?.status?.conditions ?? []).some(({ type }) => type === 'OwnerRemediated');
    const most = () => (world.isHeldUp ? resyncTimeout : promptly);
    await comes(
      context,
      `that the remediation request of ${well.metadata.name}, which has recovered, is withdrawn`,
      isFree,
      'RemoteConnectionProbe',
      most,
    );
    ill.splice(ill.indexOf(well), 1);
  }
  await limit(1);
  await areReplaced(context, ill);
};

/** Checks that no more unhealthy workers are in deletion at once than the deployment allows. */
const watchLimit = (context: ScenarioContext, ill: readonly Machine[]) => {
  const { mirror } = context.world;
  const limit = () => {
    const { replicas = 0, remediation = {} } =
      mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context))?.spec ?? {};
    return portionOf(remediation.maxInFlight ?? Number.POSITIVE_INFINITY, replicas, Math.ceil);
  };
  const under = new Set<string>();
  mirror.onCommit(({ object, before, writer }) => {
    const one = object ?? before;
    if (one?.kind !== 'Machine' || !ill.some(({ metadata }) => metadata.uid === one.metadata.uid)) return;
    if (!object) under.delete(one.metadata.name);
    const isTaken = object?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
    if (!isTaken || writer !== 'machine-set') return;
    under.add(one.metadata.name);
    if (under.size > limit() && !context.world.isHeldUp)
      throw new Violation('remediated', `${[...under].join(', ')} are deleted at once, but at most ${limit()} may be`);
  });
};

/** Marks workers as unhealthy. At most maxInFlight of them may be deleted at once. */
export const markWorkersUnhealthy = async (context: ScenarioContext) => {
  const { client, draw, settled, desired } = context;
  if (desired.workers < 3) {
    desired.workers = 3;
    await client.scale('MachineDeployment', deployment(context), desired.workers);
  }
  await settled(90);
  const machines = staying(context);
  const nameOfSet = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/set-name'];
  // During a rollout the old set does not remediate.
  if (machines.length < 2 || new Set(machines.map(nameOfSet)).size > 1) return;
  const allow = (maxInFlight: number | string | undefined) => {
    const remediation = maxInFlight === undefined ? null : { maxInFlight };
    return client.patch('MachineDeployment', deployment(context), { spec: { remediation } });
  };
  const ill: Machine[] = [];
  watchLimit(context, ill);
  if (machines.length > 2 && draw.chance(0.5)) {
    ill.push(...machines);
    return markTooManyUnhealthy(context, machines, allow);
  }
  await allow(draw.pick([1, 2, '20%', '34%', undefined]));
  for (const machine of machines)
    if (ill.length < 2 || draw.chance(0.5)) {
      ill.push(machine);
      if (!(await markUnhealthy(context, machine))) ill.pop();
    }
  await areReplaced(context, ill);
};
