/** A health check marks machines as unhealthy: their owners replace them, within their limits. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { portionOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, deployment, type Scene } from '../context.ts';
import { areGone, comes, patience, promptly } from '../progress.ts';
import { staying } from '../requests.ts';

const minute = 60_000;
const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';
/** Below the hour after which a failure is another one. */
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

/** What a health check writes of a machine; false when it is not there, or is changed just then. */
const check = async (
  { client, clock, world }: Scene,
  { metadata: { name } }: Machine,
  verdicts: readonly Verdict[],
): Promise<boolean> => {
  const path = `${pathOf('Machine')}/${name}`;
  const { code, body } = await client.request('GET', path);
  if (code !== 200 || body.metadata.deletionTimestamp) return false;
  const lastTransitionTime = new Date(clock.now()).toISOString();
  const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
  const told = [
    ...conditions.filter(({ type }) => !verdicts.some((verdict) => verdict.type === type)),
    ...verdicts.map((verdict) => ({ ...verdict, message: '', lastTransitionTime })),
  ];
  const { resourceVersion } = body.metadata;
  const noted = await client.request('PATCH', `${path}/status`, {
    metadata: { resourceVersion },
    status: { conditions: told },
  });
  // Of an answer that was lost it does not hear, and the machine is checked all the same.
  const { conditions: known = [] } = world.mirror.get<Machine>('Machine', 'default', name)?.status ?? {};
  const isNoted = ({ type, lastTransitionTime: at }: Condition) =>
    type === 'HealthCheckSucceeded' && at === lastTransitionTime;
  return noted.code === 200 || (known as Condition[]).some(isNoted);
};

/** It is to be replaced. */
export const findIll = (scene: Scene, machine: Machine): Promise<boolean> => check(scene, machine, unhealthy);

/** False when it is not replaced: another one is ill as well. */
const isReplaced = async (scene: Scene, machine: Machine): Promise<boolean> => {
  const { name, uid } = machine.metadata;
  const isGone = areGone(scene, [machine]);
  // Of several that are ill none may go.
  const isAnotherIll = () => controlPlanesOf(scene).some((one) => one.metadata.uid !== uid && !isReady(one));
  await comes(scene, `a machine instead of ${name}, which is ill,`, () => isGone() || isAnotherIll());
  return isGone();
};

const says = ({ metadata }: Machine) => metadata.annotations?.[remediationFor] !== undefined;
/** The one that came in its place, as soon as it is a Node. */
const replacementOf = async (scene: Scene, { metadata }: Machine): Promise<Machine | undefined> => {
  const isInItsPlace = (one: Machine) =>
    one.metadata.annotations?.[remediationFor]?.includes(`"${metadata.name}"`) && one.status?.nodeRef !== undefined;
  const find = () => controlPlanesOf(scene).find(isInItsPlace);
  const until = scene.clock.now() + retryPeriod;
  while (!find() && scene.clock.now() < until) await sleep(scene.clock, minute);
  const isNew = (one: Machine) => Date.parse(one.metadata.creationTimestamp!) > Date.parse(metadata.creationTimestamp!);
  const unsaid = controlPlanesOf(scene).find((one) => isNew(one) && one.status?.nodeRef && !says(one));
  // What is noted there tells how often it was tried.
  if (!find() && unsaid && !scene.world.isHeldUp)
    throw new Violation('remediated', `${unsaid.metadata.name} does not say that it came instead of ${metadata.name}`);
  return find();
};

/** Two at once, of which somebody has said that one is the worse: it goes first, and the other one when it may. */
const findTwoIll = async (scene: Scene, machines: readonly Machine[]) => {
  const { client, clock, draw, wish, world } = scene;
  const worse = draw.pick(machines);
  const other = draw.pick(machines.filter((one) => one !== worse));
  const pause = (paused: boolean) => client.patch('Cluster', wish.name, { spec: { paused } });
  await pause(true);
  // Whoever had begun before is done.
  await sleep(clock, 3 * minute);
  const annotations = { 'cluster.x-k8s.io/remediate-machine': '' };
  await client.patch('Machine', worse.metadata.name, { metadata: { annotations } });
  const areIll = (await findIll(scene, worse)) && (await findIll(scene, other));
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
  if (!areIll || !(await comes(scene, 'the end of one of two that are ill', () => first !== undefined))) return;
  if (first && first !== worse.metadata.name)
    throw new Violation('who goes', `${first}, and not ${worse.metadata.name}, which somebody says is worse`);
  await isReplaced(scene, worse);
};

/** A health check finds a machine of the control plane ill, which is to be replaced; perhaps what comes instead as well. */
export const findControlPlaneIll = async (scene: Scene) => {
  const { client, clock, draw, settled, wish } = scene;
  // A control plane of one cannot spare any.
  if (wish.controlPlanes < 3) {
    wish.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(scene), wish.controlPlanes);
  }
  await settled(90);
  const machines = controlPlanesOf(scene);
  if (machines.length < 3) return;
  const there = machines.filter(({ metadata }) => !metadata.deletionTimestamp);
  if (there.length === 0) return;
  if (there.length === 3 && draw.chance(0.4)) return findTwoIll(scene, there);
  const isAgain = draw.chance(0.6);
  const isLimited = isAgain && draw.chance(0.4);
  const limit = (maxRetry: number | null) =>
    client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { remediation: { maxRetry } } });
  const remediation = { retryPeriodSeconds: retryPeriod / 1000 };
  if (isLimited) await limit(0);
  else if (isAgain) await client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { remediation } });
  const machine = draw.pick(there);
  if (!(await findIll(scene, machine)) || !(await isReplaced(scene, machine)) || !isAgain) return;
  const next = await replacementOf(scene, machine);
  if (!next || !(await findIll(scene, next))) return;
  if (isLimited) {
    // Until somebody has another try, it stays as it is.
    await sleep(clock, draw.spread(minute, 40 * minute));
    await limit(null);
  }
  await isReplaced(scene, next);
};

const areReplaced = (scene: Scene, ill: readonly Machine[]) => {
  const names = ill.map(({ metadata }) => metadata.name).join(', ');
  return comes(scene, `machines instead of ${names}, which are ill,`, areGone(scene, ill));
};

/** None may go until somebody lets them, one by one: who is well again by then stays, and nothing is asked of it any more. */
const findTooManyIll = async (
  scene: Scene,
  machines: readonly Machine[],
  limit: (most: number) => Promise<unknown>,
) => {
  const { client, clock, draw, world } = scene;
  await limit(0);
  // Whoever had begun before is done.
  await sleep(clock, 3 * minute);
  const marked = draw.chance(0.4) ? draw.pick(machines) : undefined;
  const annotations = { 'cluster.x-k8s.io/remediate-machine': '' };
  if (marked) await client.patch('Machine', marked.metadata.name, { metadata: { annotations } });
  const ill: Machine[] = [];
  for (const machine of machines) if (await findIll(scene, machine)) ill.push(machine);
  await sleep(clock, draw.spread(2 * minute, 20 * minute));
  const others = ill.filter((one) => one !== marked);
  const well = others.length > 1 ? draw.pick(others) : undefined;
  if (well && (await check(scene, well, healthy))) {
    const find = () => staying(scene).find(({ metadata }) => metadata.uid === well.metadata.uid);
    const isFree = () => !(find()?.status?.conditions ?? []).some(({ type }) => type === 'OwnerRemediated');
    const most = () => (world.isHeldUp ? patience : promptly);
    await comes(
      scene,
      `that nothing is asked of ${well.metadata.name}, which is well again,`,
      isFree,
      'RemoteConnectionProbe',
      most,
    );
    ill.splice(ill.indexOf(well), 1);
  }
  await limit(1);
  await areReplaced(scene, ill);
};

/** Of these no more may go at once, because they are ill, than their deployment says. */
const watchLimit = (scene: Scene, ill: readonly Machine[]) => {
  const { mirror } = scene.world;
  const limit = () => {
    const { replicas = 0, remediation = {} } =
      mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(scene))?.spec ?? {};
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
    if (under.size > limit() && !scene.world.isHeldUp)
      throw new Violation('remediated', `${[...under].join(', ')} go at once, of which ${limit()} may`);
  });
};

/** Of workers as many as somebody says may go at once. */
export const findWorkersIll = async (scene: Scene) => {
  const { client, draw, settled, wish } = scene;
  if (wish.workers < 3) {
    wish.workers = 3;
    await client.scale('MachineDeployment', deployment(scene), wish.workers);
  }
  await settled(90);
  const machines = staying(scene);
  const nameOfSet = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/set-name'];
  // Of a rollout the set that it leaves replaces none.
  if (machines.length < 2 || new Set(machines.map(nameOfSet)).size > 1) return;
  const allow = (maxInFlight: number | string | undefined) => {
    const remediation = maxInFlight === undefined ? null : { maxInFlight };
    return client.patch('MachineDeployment', deployment(scene), { spec: { remediation } });
  };
  const ill: Machine[] = [];
  watchLimit(scene, ill);
  if (machines.length > 2 && draw.chance(0.5)) {
    ill.push(...machines);
    return findTooManyIll(scene, machines, allow);
  }
  await allow(draw.pick([1, 2, '20%', '34%', undefined]));
  for (const machine of machines)
    if (ill.length < 2 || draw.chance(0.5)) {
      ill.push(machine);
      if (!(await findIll(scene, machine))) ill.pop();
    }
  await areReplaced(scene, ill);
};
