/**
 * Restores of etcd: of clusters that live, or lost members or all of them, from files that may be
 * damaged, while users interfere.
 */
import type { EtcdSnapshot } from '../../../../kinds/capstan/etcd-snapshot/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { ObjectStorage } from '../../../../machinery/object-storage.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { type Dice, dice } from '../../dice.ts';
import { Violation } from '../../invariants/rule.ts';
import { type ActionName, actions, newest } from '../actions.ts';
import { applyAll, controlPlanesOf, type ScenarioContext } from '../context.ts';
import type { DesiredCluster } from '../manifest.ts';
import { interferences } from './interferences.ts';
import { protect } from './protection.ts';

const second = 1000;
const minute = 60 * second;
/** A restore has four steps of which each may wait for 30 minutes, and faults that delay its news. */
const longest = 8 * 60 * minute;

const ofRestores: readonly ActionName[] = [...interferences, 'deny access'];

const snapshotOf = ({ world }: ScenarioContext, name: string) =>
  world.mirror.get<EtcdSnapshot>('EtcdSnapshot', 'default', name);

const restoresOf = ({ world, desired }: ScenarioContext): ClusterOperation[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === 'default' && spec?.clusterName === desired.name && spec.type === 'restore',
    );

const ended = ['Succeeded', 'Held', 'RolledBack', 'Cancelled', 'Failed'];
const isOpen = ({ status }: ClusterOperation): boolean => !ended.includes(status?.phase ?? '');

/** Undefined if it does not come to be complete, as while etcd does not answer. */
const take = async (context: ScenarioContext, name: string): Promise<EtcdSnapshot | undefined> => {
  const { client, clock, desired } = context;
  await client.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name },
    spec: { clusterName: desired.name },
  });
  const until = clock.now() + 3 * 60 * minute;
  const phase = () => snapshotOf(context, name)?.status?.phase;
  while (clock.now() < until && !/^(Succeeded|Failed)$/.test(phase() ?? '')) await sleep(clock, 15 * second);
  return phase() === 'Succeeded' ? snapshotOf(context, name) : undefined;
};

/** Flips a byte in the middle. */
const damage = async (files: ObjectStorage, location: string): Promise<void> => {
  const parts: Uint8Array[] = [];
  for await (const part of (await files.get(location)) ?? []) parts.push(part);
  const bytes = Buffer.concat(parts);
  bytes[bytes.length >> 1]! ^= 0xff;
  await files.delete(location);
  await files.put(location, ReadableStream.from([bytes]));
};

/** Terminates the hosts of that many members. */
const lose = ({ world, ...context }: ScenarioContext, count: number): void => {
  const ids = controlPlanesOf({ world, ...context }).flatMap(({ spec }) => spec?.providerID?.split('/').at(-1) ?? []);
  const running = world.account.list().filter(({ id, state }) => ids.includes(id) && state === 'running');
  for (const { id } of running.slice(0, count)) world.account.terminate(id);
};

const ask = (context: ScenarioContext, snapshot: string, attempt: number) => {
  const { client, desired } = context;
  return client.request('POST', pathOf('ClusterOperation'), {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { namespace: 'default', name: `${desired.name}-restore-${attempt}` },
    spec: { clusterName: desired.name, type: 'restore', snapshot },
  });
};

const nextAttempt = (context: ScenarioContext): number =>
  Math.max(0, ...restoresOf(context).map(({ spec }) => spec?.attempt ?? 0)) + 1;

/** Waits for its end. Nothing may go on for ever, and what is held names a way on. */
const end = async (context: ScenarioContext, attempt: number): Promise<ClusterOperation | undefined> => {
  const { clock, life, world } = context;
  const until = clock.now() + longest;
  const operation = () => restoresOf(context).find(({ spec }) => spec?.attempt === attempt);
  while (life.desired && clock.now() < until && (!operation() || isOpen(operation()!))) await sleep(clock, 15 * second);
  const last = operation();
  if (!life.desired || world.isDisturbed) return last;
  const { phase, step, message = '' } = last?.status ?? {};
  if (!last || isOpen(last))
    throw new Violation('no exit', `restore ${attempt} is still ${phase} in ${step}: ${message}`);
  if (phase === 'Held' && !message.includes('capstan snapshot restore'))
    throw new Violation('no exit', `restore ${attempt} is held, and its message names no way on: ${message}`);
  return last;
};

const operationsOf = ({ world, desired }: ScenarioContext): ClusterOperation[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(({ metadata, spec }) => metadata.namespace === 'default' && spec?.clusterName === desired.name);

/** Asks for other versions, and waits while an operation answers. */
const toVersion = async (
  context: ScenarioContext,
  versions: Pick<DesiredCluster, 'version' | 'workerVersion'>,
): Promise<void> => {
  const { clock, life, desired } = context;
  Object.assign(desired, versions);
  await applyAll(context);
  const until = clock.now() + 3 * 60 * minute;
  await sleep(clock, minute);
  while (life.desired && clock.now() < until && operationsOf(context).some(isOpen)) await sleep(clock, 15 * second);
};

const restoreOnce = async (context: ScenarioContext, count: number, { lock, setBack }: Chances): Promise<void> => {
  const { client, clock, draw, life, tell, desired, world } = context;
  let lift = async () => {};
  await context.settled(120);
  const name = `${desired.name}-saved-${count}`;
  tell(`take ${name}`);
  const snapshot = await take(context, name);
  if (!snapshot) return;
  if (draw.chance(0.4)) {
    const action = draw.pick(['scale workers', 'delete a machine', 'roll workers'] as const);
    tell(action);
    await actions[action](context);
    await sleep(clock, draw.spread(second, 40 * minute));
  }
  const { version, workerVersion } = desired;
  const isNewer = setBack.chance(0.4) && version !== newest;
  if (isNewer) {
    tell(`upgrade to ${newest}`);
    await toVersion(context, { version: newest, workerVersion: newest });
    await context.settled(120);
  }
  if (lock.chance(0.4)) lift = await protect(context);
  const isDamaged = draw.chance(0.3);
  const lost = isDamaged ? 0 : draw.pick([0, 1, 3]);
  if (isDamaged) {
    tell('damage the file');
    await damage(world.files, snapshot.status?.location ?? '');
  }
  if (lost > 0) {
    tell(`lose ${lost} members`);
    // One that is left of several would have lost its quorum without a user's desired.
    lose(context, lost === 3 ? Number.POSITIVE_INFINITY : lost);
    await sleep(clock, draw.spread(second, 20 * minute));
  }
  if (isNewer) {
    tell(`set the version back to ${version}`);
    await toVersion(context, { version, workerVersion });
  }
  const before = controlPlanesOf(context).map(({ metadata }) => metadata.uid);
  tell('restore');
  const attempt = nextAttempt(context);
  const { code, body } = await ask(context, name, attempt);
  if (code >= 400) {
    if (!isDamaged && lost > 0 && !world.isDisturbed && code === 422)
      throw new Violation('no exit', `a restore of a lost cluster is refused: ${body.message}`);
    tell(`refused: ${body.message}`);
  } else {
    if (draw.chance(0.3)) {
      const beside = await ask(context, name, attempt + 1);
      if (beside.code < 400) throw new Violation('two at once', 'a second restore was admitted beside the first');
    }
    if (draw.chance(0.5) && !isDamaged) {
      await sleep(clock, draw.spread(second, 60 * minute));
      const action = draw.pick(ofRestores);
      tell(action);
      await actions[action](context);
    }
    if (lock.chance(0.4)) {
      await sleep(clock, lock.spread(second, 60 * minute));
      await lift();
      lift = await protect(context);
    }
    const operation = await end(context, attempt);
    tell(`${operation?.status?.phase}: ${operation?.status?.message}`);
    const stayed = controlPlanesOf(context).filter(({ metadata }) => before.includes(metadata.uid)).length;
    if (isDamaged && stayed < before.length && !world.isDisturbed && operation?.status?.phase !== 'Succeeded')
      throw new Violation('destroyed', `${before.length - stayed} members went for a damaged file`);
    // What a user left stopped, or what faults ended, is restored once more.
    const phase = operation?.status?.phase;
    if (life.desired && (phase === 'Held' || (lost > 0 && phase !== 'Succeeded'))) {
      tell('restore again');
      const again = nextAttempt(context);
      if ((await ask(context, name, again)).code < 400) await end(context, again);
    }
  }
  if (!life.desired) return;
  await lift();
  const isRestored = () =>
    restoresOf(context).some(
      ({ spec, status }) => spec?.attempt !== undefined && spec.attempt >= attempt && status?.phase === 'Succeeded',
    );
  // Without the restore, members and workers of the newer version stay.
  if (isNewer && !isRestored()) Object.assign(desired, { version: newest, workerVersion: newest });
  if (!restoresOf(context).some(({ status }) => status?.phase === 'Succeeded') && lost > 0) {
    // Nothing else brings it back.
    life.desired = undefined;
    life.isRuined = true;
    await client.remove('Cluster', desired.name);
    return;
  }
  await applyAll(context);
  await context.settled(draw.pick([1, 120]));
};

interface Chances {
  /** Of a protected cluster. */
  lock: Dice;
  /** Of a snapshot from before a minor upgrade. */
  setBack: Dice;
}

export const playRestores = async (context: ScenarioContext, times: number, ordinal: number): Promise<void> => {
  const chances = { lock: dice(ordinal, 'protection'), setBack: dice(ordinal, 'versions that are set back') };
  for (let count = 1; count <= times && context.life.desired; count++) await restoreOnce(context, count, chances);
};
