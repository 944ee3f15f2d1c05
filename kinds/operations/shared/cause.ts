/** Finds why an object is not ready, from the deepest object that reports a reason. Pure. */
import { changeAccepted, conditionOf, reconcileSucceeded } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { because, obstaclesOf } from '../../core/contract/blocked.ts';
import { holdAmong } from '../../core/contract/hold.ts';
import type { ClusterState } from './cluster-state.ts';

type AnyCondition = Condition & LegacyCondition;

export const conditionsOf = (object: KubeObject | undefined): AnyCondition[] =>
  ((object?.status as { conditions?: AnyCondition[] } | undefined)?.conditions ?? []) as AnyCondition[];

/** One line without a trailing full stop. */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^[\s*]+/, '').trim())
    .filter((line) => line !== '')
    .join('; ')
    .replace(/\.$/, '');

/** A v1beta1 summary that only counts conditions: its reason names the failing one. */
const isCount = (message: string): boolean => /^\d+ of \d+ completed$/.test(message);

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;
const saying = (object: KubeObject, { type, reason, message }: AnyCondition): string =>
  `${nameOf(object)}: ${oneLine(message && !isCount(message) ? message : [type, reason].filter(Boolean).join(' '))}`;

/**
 * Ignore these reasons: the operation knows better, and they may be left over from the previous
 * one.
 */
const isOfOperation = ({ reason = '' }: AnyCondition): boolean =>
  ['WaitingForOperation', 'OnHold', 'TornDown'].includes(reason);

const urgency = ['Error', 'Warning'];

/** The most severe v1beta1 condition; severity Info is not a problem. */
export const troubleOf = (object: KubeObject): { condition: AnyCondition; text: string } | undefined => {
  const reported = conditionsOf(object).filter(({ type, status }) => type !== 'Ready' && status === 'False');
  for (const severity of urgency) {
    const condition = reported.find((one) => one.severity === severity && one.message) ?? undefined;
    if (condition) return { condition, text: saying(object, condition) };
  }
  const condition = reported.find((one) => one.severity === 'Error');
  return condition && { condition, text: saying(object, condition) };
};

const isGoing = ({ reason = '' }: AnyCondition): boolean => reason === 'Deleting' || reason === 'Deleted';

/**
 * What blocks its deletion. Conditions from before the deletion, which report why it could not be
 * created, do not count.
 */
export const obstacleTo = (object: KubeObject): ReturnType<typeof troubleOf> =>
  object.metadata.deletionTimestamp !== undefined || conditionsOf(object).some(isGoing) ? troubleOf(object) : undefined;

/**
 * The same for an infrastructure machine, whose conditions each show by their reason whether they
 * concern the deletion.
 */
export const obstacleToMachine = (object: KubeObject): ReturnType<typeof troubleOf> => {
  const trouble = troubleOf(object);
  return trouble && isGoing(trouble.condition) ? trouble : undefined;
};

/**
 * What holds the object, else the message of a v1beta2 condition that is not True; a refused change
 * explains the others.
 */
export const complaintOf = (object: KubeObject, ...types: string[]): string | undefined => {
  const held = holdAmong([object]);
  if (held !== undefined) return held;
  for (const type of [changeAccepted, reconcileSucceeded, ...types]) {
    const condition = conditionOf(conditionsOf(object), type);
    if (condition && condition.status !== 'True' && condition.message && !isOfOperation(condition))
      return saying(object, condition);
  }
  return undefined;
};

/** What keeps the object from its next step, though nothing else is wrong with it. */
export const obstacleOf = (object: KubeObject): string | undefined => {
  const obstacles = obstaclesOf(object).map(oneLine);
  return obstacles.length > 0 ? `${nameOf(object)}: the next step${because} ${obstacles.join('; ')}` : undefined;
};

/** Whether a message names an obstacle that time alone does not remove. */
export const namesObstacle = (message: string): boolean => message.includes(because);

export const isControlPlaneMachine = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[labels.controlPlane] !== undefined;

const isReady = (machine: KubeObject): boolean => conditionOf(conditionsOf(machine), 'Ready')?.status === 'True';

export const instanceNameOf = (machine: KubeObject): string | undefined =>
  (machine.spec as { infrastructureRef?: { name?: string } } | undefined)?.infrastructureRef?.name;

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The normal wait of an instance without an error. */
const delayOf = (instance: KubeObject | undefined, types: readonly string[]): string | undefined => {
  const reported = conditionsOf(instance);
  const condition = types.map((type) => conditionOf(reported, type)).find((one) => one?.status === 'False');
  return instance && condition && saying(instance, condition);
};

/**
 * The cause for Machines: first what their infrastructure machines report, then the Machines' own
 * conditions.
 */
export const causeOfMachines = (
  machines: readonly KubeObject[],
  { infraMachines, provider }: ClusterState,
): string | undefined => {
  const waiting = machines.filter((machine) => !isReady(machine)).toSorted(byName);
  const instanceOf = (machine: KubeObject) =>
    infraMachines.find(({ metadata }) => metadata.name === instanceNameOf(machine));
  const held = holdAmong([...waiting, ...waiting.flatMap((machine) => instanceOf(machine) ?? [])]);
  if (held !== undefined) return held;
  const troubles = waiting.flatMap((machine) => {
    const instance = instanceOf(machine);
    return (instance && troubleOf(instance)) ?? [];
  });
  const worst = troubles.find(({ condition }) => condition.severity === 'Error') ?? troubles[0];
  if (worst) return worst.text;
  for (const machine of waiting) {
    const complaint =
      complaintOf(machine, 'BootstrapConfigReady') ??
      delayOf(instanceOf(machine), provider.machineDelays) ??
      complaintOf(machine, 'InfrastructureReady', 'NodeReady', 'Ready');
    if (complaint) return complaint;
  }
  return undefined;
};

/** `what` with its cause after a colon; an object that already ends `what` is not repeated. */
export const withCause = (what: string, cause: string | undefined): string => {
  if (cause === undefined) return what;
  const [subject = ''] = cause.split(': ', 1);
  return what.endsWith(` ${subject}`) ? `${what}${cause.slice(subject.length)}` : `${what}: ${cause}`;
};
