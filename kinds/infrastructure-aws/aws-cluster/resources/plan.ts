/** Plans the creation and the repair of all types of resources. */
import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import type { Action } from '../../../../machinery/api/reconcile.ts';
import { callCloud } from '../../../ports/index.ts';
import { failedPart, type PartCondition, partOf } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import type { Step } from '../step.ts';
import { clientToken, evidence, tagList, tagSpecifications, tagsOf } from '../tags.ts';
import { type Types, types } from './index.ts';
import { type Call, idOf, type ResourceType, stateOf, type Want } from './type.ts';

type Type = ResourceType<unknown>;
type Whose = Pick<Scope, 'owner' | 'region'>;

interface Planned {
  steps: Step[];
  underway: string[];
  forget: string[];
  /** Something is missing that cannot be created yet. */
  isHeld: boolean;
  /** Everything under way serves already. */
  isServing: boolean;
  awaiting: string;
}

const act = ({ owner, region }: Whose, { operation, input, isDestructive }: Call): Action =>
  callCloud(region, operation, input, isDestructive && evidence(owner));

/** `key`: that of the step. */
export const removeStep = (whose: Whose, key: string, calls: readonly Call[]): Step => ({
  key,
  actions: () => calls.map((one) => act(whose, { ...one, isDestructive: true })),
});

/** The tags of a new resource, and its token: announced with the step, so that a retry repeats it. */
const recognized = ({ owner }: Scope, { ec2, repeats }: Type, { tags }: Want<unknown>, key: string, since: number) => {
  if (!tags) return {};
  const all = tagsOf(owner, { role: 'common', purpose: key, ...tags });
  return {
    ...(repeats === 'token' && { ClientToken: clientToken(owner, key, since) }),
    ...(ec2 ? { TagSpecifications: ec2.flatMap((type) => tagSpecifications(type, all)) } : { Tags: tagList(all) }),
  };
};

/** Creates a missing resource. Describe calls may miss one that was created moments ago. */
const missing = (scope: Scope, type: Type, want: Want<unknown>, key: string): Partial<Planned> | { failed: string } => {
  const { noted, lost, lacks, create, isHeld, awaited = [] } = want;
  if (noted && scope.isRecent(key)) return { underway: [key] };
  if (noted && lost) return { failed: lost };
  if (lacks) return { failed: lacks };
  if (awaited.length > 0) return { underway: awaited.map((word) => `${key}/${word}`) };
  if (isHeld || !create) return { isHeld: true };
  const { operation, input } = create;
  const actions = (since: number) => [
    act(scope, { operation, input: { ...input, ...recognized(scope, type, want, key, since) } as typeof input }),
  ];
  return { steps: [{ key, ...(type.repeats === 'once' && { once: true }), actions }] };
};

/** Replaces a failed resource, or reports it. */
const failed = (scope: Scope, type: Type, want: Want<unknown>, key: string): Partial<Planned> | { failed: string } => {
  const reason = type.failure?.(want.there) ?? '';
  if (!type.isReplaced) return { failed: reason };
  return {
    awaiting: `Replacing ${type.title} ${idOf(type, want.there)}, which failed: ${reason}`,
    forget: [key],
    isHeld: want.isHeld ?? false,
    steps: want.isHeld ? [] : [removeStep(scope, `${key}/failed`, type.remove?.(want.there, scope.observed) ?? [])],
  };
};

const planWant = (scope: Scope, type: Type, want: Want<unknown>): Partial<Planned> | { failed: string } => {
  const { which, there, lacks, repairs = {}, awaited = [] } = want;
  const key = which === undefined ? type.sort : `${type.sort}/${which}`;
  if (there === undefined) return missing(scope, type, want, key);
  if (lacks) return { failed: lacks };
  const state = stateOf(type, there);
  if (state === 'failed') return failed(scope, type, want, key);
  const isMoving = type.isMoving?.(there) ?? false;
  const own = state === 'ready' && !isMoving ? [] : [key];
  return {
    steps: Object.entries(repairs).flatMap(([words, one]): Step[] =>
      one ? [{ key: `${key}/${words}`, actions: () => [act(scope, one)] }] : [],
    ),
    underway: [...own, ...awaited.map((word) => `${key}/${word}`)],
    isServing: state === 'ready' && awaited.length === 0,
  };
};

const planType = (scope: Scope, type: Type): Planned | 'unwanted' | 'later' | { failed: string } => {
  const desired = type.desired(scope);
  if (desired === 'later' || 'failed' in desired) return desired;
  if (desired.length === 0) return 'unwanted';
  const all: Partial<Planned>[] = [];
  for (const want of desired) {
    const one = planWant(scope, type, want);
    if ('failed' in one) return one;
    all.push(one);
  }
  return {
    steps: all.flatMap(({ steps = [] }) => steps),
    underway: all.flatMap(({ underway = [] }) => underway),
    forget: all.flatMap(({ forget = [] }) => forget),
    isHeld: all.some(({ isHeld }) => isHeld),
    isServing: all.every(({ isServing = false, underway = [] }) => isServing || underway.length === 0),
    awaiting: all.findLast(({ awaiting }) => awaiting)?.awaiting ?? type.awaiting(scope),
  };
};

/** Types with the same condition: it is True when all of them are ready. */
const planTogether = (scope: Scope, together: Type[]): Part => {
  const { condition, isOptional } = together[0]!;
  const planned: Planned[] = [];
  let isLater = false;
  for (const type of together) {
    const one = planType(scope, type);
    if (one === 'later') isLater = true;
    else if (one !== 'unwanted' && 'failed' in one) return failedPart(condition, one.failed);
    else if (one !== 'unwanted') planned.push(one);
  }
  if (isLater) return notYet;
  if (planned.length === 0) return settled(...(isOptional ? [] : [legacyTrue(condition)]));
  const [steps, underway] = [planned.flatMap((one) => one.steps), planned.flatMap((one) => one.underway)];
  const isHeld = planned.some((one) => one.isHeld);
  const left = isHeld || !planned.every((one) => one.isServing) ? underway : [];
  const { conditions } = partOf(condition, steps, isHeld ? [condition] : left, planned.at(-1)!.awaiting);
  const forget = planned.flatMap((one) => one.forget);
  const isSettled = steps.length + underway.length === 0 && !isHeld;
  const part = { steps, underway, conditions, settled: isSettled, ...(forget.length > 0 && { forget }) };
  return isSettled ? together.reduce((so, { completed }) => completed?.(scope, so) ?? so, part) : part;
};

/** Deletes what a stalled worker created once more; nothing else marks it as unwanted. */
export const planDuplicates = (scope: Scope, all: Types = types): Part => {
  const steps = scope.observed.vpc?.unmanaged
    ? []
    : Object.values(all).flatMap((type) =>
        (type.duplicates?.(scope) ?? []).map(
          (one): Step => ({
            ...removeStep(scope, `${type.sort}/spare/${idOf(type, one)}`, type.remove?.(one, scope.observed) ?? []),
            once: true,
          }),
        ),
      );
  return { steps, underway: [], settled: steps.length === 0, conditions: [] };
};

/** The part with this condition. */
export const planPart = (scope: Scope, condition: PartCondition, all: Types = types): Part =>
  planTogether(
    scope,
    Object.values(all).filter((type) => type.condition === condition),
  );

/** One part for each condition. */
export const planResources = (scope: Scope, all: Types = types): Part[] => {
  const parts: Part[] = [];
  for (const together of Map.groupBy(Object.values(all), ({ condition }) => condition).values()) {
    const part = planTogether(scope, together);
    parts.push(part);
    if (together.some(({ allows }) => allows && !allows(scope, part))) return parts;
  }
  return [...parts, planDuplicates(scope, all)];
};
