/** Plans the creation and the repair of all types of resources. */
import { legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { callCloud } from '../../ports/index.ts';
import { type Call, idOf, type ResourceType, stateOf, type Types, type Want } from './resource.ts';
import type { Part, Scope } from './scope.ts';
import type { Step } from './step.ts';
import { clientToken, evidence, tagList, tagSpecifications, tagsOf } from './tags.ts';

type Type = ResourceType<unknown>;
type Whose = Pick<Scope, 'owner' | 'region'>;

/** What one wanted resource needs. */
interface Planned {
  /** Why it cannot be had. */
  failed?: string;
  steps?: Step[];
  underway?: string[];
  forget?: string[];
  /** It is missing and cannot be created yet. */
  isHeld?: boolean;
  /** It serves already, although something is under way. */
  isServing?: boolean;
  awaiting?: string;
}

const isDestructive = /^(Delete|Detach|Disassociate|Release|Replace|Revoke|Terminate)/;

/** A destructive call names the tags that the resource must still carry when it is made. */
const act = ({ owner, region }: Whose, { operation, input }: Call): Action =>
  callCloud(region, operation, input, isDestructive.test(operation) ? evidence(owner) : undefined);

/** `key`: that of the step. */
export const callStep = (whose: Whose, key: string, ...calls: Call[]): Step => ({
  key,
  actions: () => calls.map((one) => act(whose, one)),
});
const removeStep = (scope: Scope, type: Type, one: unknown, key: string): Step =>
  callStep(scope, key, ...(type.remove?.(one, scope.cloudState) ?? []));

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
const missing = (scope: Scope, type: Type, want: Want<unknown>, key: string): Planned => {
  const { noted, lost, lacks, create, isHeld, awaited = [] } = want;
  if (noted && scope.isRecent(key)) return { underway: [key] };
  if (noted && lost) return { failed: lost };
  if (lacks) return { failed: lacks };
  if (awaited.length > 0) return { underway: awaited.map((step) => `${key}/${step}`) };
  if (isHeld || !create) return { isHeld: true };
  const { operation, input } = create;
  const actions = (since: number) => [
    act(scope, { operation, input: { ...input, ...recognized(scope, type, want, key, since) } as typeof input }),
  ];
  return { steps: [{ key, ...(type.repeats && { [type.repeats]: true }), actions }] };
};

/** Replaces a failed resource, or reports it. */
const failed = (scope: Scope, type: Type, want: Want<unknown>, key: string): Planned => {
  const reason = type.failure?.(want.there) ?? '';
  if (!type.isReplaced) return { failed: reason };
  return {
    awaiting: `Replacing ${type.title} ${idOf(type, want.there)}, which failed: ${reason}`,
    forget: [key],
    isHeld: want.isHeld ?? false,
    steps: want.isHeld ? [] : [removeStep(scope, type, want.there, `${key}/failed`)],
  };
};

const planWant = (scope: Scope, type: Type, want: Want<unknown>): Planned => {
  const { which, there, lacks, repairs = {}, awaited = [] } = want;
  const key = which === undefined ? type.sort : `${type.sort}/${which}`;
  if (there === undefined) return missing(scope, type, want, key);
  if (lacks) return { failed: lacks };
  const state = stateOf(type, there);
  if (state === 'failed') return failed(scope, type, want, key);
  const isMoving = type.isMoving?.(there) ?? false;
  const own = state === 'ready' && !isMoving ? [] : [key];
  return {
    steps: Object.entries(repairs).flatMap(([step, one]) => (one ? [callStep(scope, `${key}/${step}`, one)] : [])),
    underway: [...own, ...awaited.map((step) => `${key}/${step}`)],
    isServing: state === 'ready' && awaited.length === 0,
  };
};

/** The part with this condition, which is True when all of its types are ready. */
export const planPart = (scope: Scope, condition: string, all: Types): Part => {
  const together = Object.values(all).filter((type) => type.condition.type === condition);
  const { failed = '', started = '' } = together[0]?.condition ?? {};
  const left: Part = { steps: [], underway: [], settled: false, conditions: [] };
  const lacking = (message: string): Part => ({
    ...left,
    conditions: [legacyFalse(condition, failed, 'Error', message)],
  });
  const planned: Planned[] = [];
  let isLater = false;
  for (const type of together) {
    const desired = type.desired(scope);
    if (desired === 'later') isLater = true;
    else if ('failed' in desired) return lacking(desired.failed);
    else planned.push(...desired.map((want) => planWant(scope, type, want)));
  }
  const reason = planned.find((one) => one.failed)?.failed;
  if (reason) return lacking(reason);
  if (isLater) return left;
  if (planned.length === 0)
    return { ...left, settled: true, conditions: together[0]?.isOptional ? [] : [legacyTrue(condition)] };
  const steps = planned.flatMap((one) => one.steps ?? []);
  const underway = planned.flatMap((one) => one.underway ?? []);
  const forget = planned.flatMap((one) => one.forget ?? []);
  const settled = steps.length + underway.length === 0 && !planned.some((one) => one.isHeld);
  const isTrue = steps.length === 0 && planned.every((one) => !one.isHeld && (one.isServing || !one.underway?.length));
  const awaiting = planned.findLast((one) => one.awaiting)?.awaiting ?? together[0]?.awaiting?.(scope) ?? '';
  const conditions = [isTrue ? legacyTrue(condition) : legacyFalse(condition, started, 'Info', awaiting)];
  const part: Part = { steps, underway, forget, settled, conditions };
  return settled ? together.reduce((so, { completed }) => completed?.(scope, so) ?? so, part) : part;
};

/** Deletes what a stalled worker created once more; nothing else marks it as unwanted. */
export const planDuplicates = (scope: Scope, all: Types): Part => {
  const steps = Object.values(all).flatMap((type) =>
    (type.duplicates?.(scope) ?? []).map(
      (one): Step => ({ ...removeStep(scope, type, one, `${type.sort}/spare/${idOf(type, one)}`), once: true }),
    ),
  );
  return { steps, underway: [], settled: steps.length === 0, conditions: [] };
};

/** One part for each condition. */
export const planResources = (scope: Scope, all: Types): Part[] => {
  const parts: Part[] = [];
  for (const condition of new Set(Object.values(all).map((type) => type.condition.type))) {
    const part = planPart(scope, condition, all);
    parts.push(part);
    const isEnd = Object.values(all).some(
      (type) => type.condition.type === condition && type.allows?.(scope, part) === false,
    );
    if (isEnd) return parts;
  }
  return [...parts, planDuplicates(scope, all)];
};
