/** Performs the actions of a plan. */
import { ApiError, notFound } from '../api/errors.ts';
import { groupOf, type Kind } from '../api/kind.ts';
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { mergePatch } from '../api/merge.ts';
import type { JsonObject, KubeObject } from '../api/object.ts';
import type { Action, Failure, MergePatch } from '../api/reconcile.ts';
import type { Kinds } from './kinds.ts';
import { type Consequence, consequenceOf, failureOf, type Ports } from './ports.ts';
import { stampForeign } from './status.ts';
import type { ObjectWriter } from './writer.ts';

export interface Actor {
  writer: ObjectWriter;
  kinds: Kinds;
  ports: Ports;
  /** The controller's name, as the writer of its changes. */
  name: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Throws when the pass's lease is over. */
  expectInTime: () => void;
}

export interface Failed {
  failure: Failure;
  consequence: Consequence;
}

type Of<D extends Action['do']> = Extract<Action, { do: D }>;

/** Treats refusals that mean "already done" as success. */
const unless = async (isDone: (error: unknown) => boolean, effect: Promise<unknown>) => {
  try {
    await effect;
  } catch (error) {
    if (!isDone(error)) throw error;
  }
};
const alreadyExists = (error: unknown) => error instanceof ApiError && error.reason === 'AlreadyExists';

const kindOf = (kinds: Kinds, { apiVersion, kind }: { apiVersion?: string; kind: string }): Kind =>
  (apiVersion === undefined ? undefined : kinds.find(groupOf(apiVersion), kind)) ?? kinds.named(kind);

const create = ({ writer, kinds, name }: Actor, { object }: Of<'create'>) =>
  unless(alreadyExists, writer.create(kindOf(kinds, object), object, { writer: name }));

/**
 * With a resourceVersion a lost race ends the pass; without one the patch is retried on the newest
 * state.
 */
const patch = async ({ writer, kinds, name, now }: Actor, action: Of<'patch'>) => {
  const { namespace, uid, resourceVersion } = action;
  const kind = kindOf(kinds, action);
  const key = { namespace, name: action.name };
  const { status, ...rest } = action.patch as MergePatch & { status?: JsonObject };
  const options = { writer: name, retry: resourceVersion === undefined };
  const changed = (current: KubeObject, change: unknown, expected: string | undefined): KubeObject => {
    if (current.metadata.uid !== uid) throw notFound(kind, action.name);
    const { metadata, ...merged } = mergePatch(current, change);
    return { ...merged, metadata: { ...metadata, resourceVersion: expected } } as KubeObject;
  };
  const both = async () => {
    let expected = resourceVersion;
    if (Object.keys(rest).length > 0) {
      const written = await writer.update(kind, key, (current) => changed(current, rest, expected), options);
      if (expected !== undefined) expected = written.metadata.resourceVersion;
    }
    if (!status) return;
    const restamped = (current: KubeObject) => {
      const next = changed(current, { status }, expected);
      const stamp = { generation: current.metadata.generation, now };
      return { ...next, status: stampForeign(next.status as JsonObject, current.status as JsonObject, stamp) };
    };
    await writer.updateStatus(kind, key, restamped, options);
  };
  await unless(isNotFound, both());
};

/** Another uid under the name means that the intended object is absent. */
const remove = ({ writer, kinds, name }: Actor, action: Of<'delete'>) =>
  unless(
    (error) => isNotFound(error) || isConflict(error),
    writer.remove(
      kindOf(kinds, action),
      { namespace: action.namespace, name: action.name },
      { writer: name, preconditions: { uid: action.uid } },
    ),
  );

const call = async ({ ports }: Actor, { port, operation, input }: Of<'call'>) => {
  const effect = ports[port]?.call;
  if (!effect) throw new Error(`this worker cannot act through ${port}`);
  await effect(operation, input);
};

const perform = (actor: Actor, action: Action): Promise<void> => {
  switch (action.do) {
    case 'create':
      return create(actor, action);
    case 'patch':
      return patch(actor, action);
    case 'delete':
      return remove(actor, action);
    case 'call':
      return call(actor, action);
    default:
      throw new Error(`unknown action ${action satisfies never}`);
  }
};

/** The action's name in failures and logs. */
export const labelOf = (action: Action): { port: string; operation: string } => {
  switch (action.do) {
    case 'call':
      return { port: action.port, operation: action.operation };
    case 'create':
      return { port: 'objects', operation: `create ${action.object.kind}` };
    default:
      return { port: 'objects', operation: `${action.do} ${action.kind}` };
  }
};

export interface Failures {
  /** The first failure of a required action. */
  failed: Failed | undefined;
  /** All failures of optional actions. */
  forgone: Failed[];
}

/**
 * Runs actions in order. A failure stops the rest of its group and of the group that it is within.
 * Throws a Conflict, or an expired lease, which ends the pass.
 */
export const performAll = async (actor: Actor, actions: readonly Action[]): Promise<Failures> => {
  const stopped = new Set<string | undefined>();
  const forgone: Failed[] = [];
  let failed: Failed | undefined;
  for (const action of actions) {
    if (stopped.has(action.group)) continue;
    actor.expectInTime();
    try {
      await perform(actor, action);
    } catch (error) {
      if (isConflict(error)) throw error;
      const { group, within = group, optional } = action;
      stopped.add(group).add(within);
      const { port, operation } = labelOf(action);
      const failure = { ...failureOf(port, operation, error, actor.now), ...(group !== undefined && { group }) };
      const one = { failure, consequence: consequenceOf(error) };
      if (optional) forgone.push(one);
      else failed ??= one;
    }
  }
  return { failed, forgone };
};
