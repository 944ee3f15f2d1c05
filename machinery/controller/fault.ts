/**
 * The loop's own condition in a status: what keeps a pass from doing what its controller decided, or
 * the controller from deciding. Its user reads no log.
 */
import { changeAccepted, legacyFalse, reconcileSucceeded } from '../api/conditions.ts';
import { definitionOf, type Kind, storageVersion } from '../api/kind.ts';
import type { Condition, JsonObject, LegacyCondition } from '../api/object.ts';
import type { Controller, Failure } from '../api/reconcile.ts';
import type { Steps } from '../api/steps.ts';

export interface Fault {
  /** The condition's type. */
  type: string;
  failure: Failure;
}

type Writer = Pick<Controller, 'name' | 'conditions'>;

/** A controller without conditions of its own shares the object's, under a type with its domain. */
const typeOf = ({ name, conditions }: Writer, type: string): string =>
  conditions === 'none' ? `${name}.capstan.dev/${type}` : type;

const types = [changeAccepted, reconcileSucceeded];
const longest = 10_240;
const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

const conditionOf = (writer: Writer, { type: plain, failure: { code, message: text } }: Fault) => {
  const type = typeOf(writer, plain);
  const reason = reasonForm.test(code) ? code : 'Error';
  const message = text.slice(0, longest);
  return writer.conditions === 'v1beta1'
    ? legacyFalse(type, reason, 'Error', message)
    : { type, status: 'False' as const, reason, message };
};

/** `status` with the condition of a fault, or without that of an earlier one. */
export const withFault = (
  status: JsonObject | undefined,
  writer: Writer,
  fault: Fault | undefined,
): JsonObject | undefined => {
  const own = types.map((type) => typeOf(writer, type));
  const before = (status?.conditions ?? []) as (Condition | LegacyCondition)[];
  const others = before.filter(({ type }) => !own.includes(type));
  if (!fault && others.length === before.length) return status;
  const conditions = [...others, ...(fault ? [conditionOf(writer, fault)] : [])];
  return { ...status, conditions: conditions as JsonObject[] };
};

/** Whether the status of the kind's objects has conditions. */
export const hasConditions = async (kind: Kind): Promise<boolean> => {
  const { schema } = storageVersion(await definitionOf(kind));
  return schema.properties?.status?.properties?.conditions !== undefined;
};

const decidedWrongly = Symbol('decided');
/**
 * Runs a decision. An error of it is marked: decisions are pure, so a retry on the same state meets
 * it again.
 */
export const deciding = <T>(decide: () => T): T => {
  try {
    return decide();
  } catch (error) {
    if (typeof error === 'object' && error !== null) Object.assign(error, { [decidedWrongly]: true });
    throw error;
  }
};
/** Runs a decision, with a pause after each step that asks for one. */
export const decidingInSteps = async <T>(
  steps: Steps<T>,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<T> => {
  for (;;) {
    const step = deciding(() => steps.next());
    if (step.done) return step.value;
    const paused = pause();
    if (paused) await paused;
  }
};

export const isOfDecision = (error: unknown): boolean =>
  (error as { [decidedWrongly]?: true } | undefined)?.[decidedWrongly] === true;
