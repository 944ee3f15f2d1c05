/** What one object reports as not well, the most telling first. Pure. */

import { changeAccepted, reconcileSucceeded } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';
import { withoutCredentials } from '../credentials.ts';
import { pausedAnnotation } from '../paused.ts';
import { kubectl, mergePatch, withoutAnnotation } from './commands.ts';
import { type Complaint, clusterReferenceOf, type Graph, referencesIn } from './graph.ts';
import type { CauseRules, ConditionRule, Explanation, Level, ReasonRule } from './rule.ts';

type AnyCondition = Condition & LegacyCondition;

export const conditionsOf = ({ status }: KubeObject): AnyCondition[] =>
  (status as { conditions?: AnyCondition[] } | undefined)?.conditions ?? [];

/** One line without bullets and a trailing full stop. */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^[\s*]+/, '').trim())
    .filter((line) => line !== '')
    .map((line, at, lines) => (at === lines.length - 1 ? line : line.replace(/:$/, ' -')))
    .join('; ')
    .replaceAll(' -; ', ': ')
    .replace(/\.$/, '');

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

const ownDomains = ['cluster.x-k8s.io', 'capstan.dev'];
const isForeign = (finalizer: string): boolean => {
  const [domain = ''] = finalizer.split('/');
  return domain.includes('.') && !ownDomains.some((own) => domain === own || domain.endsWith(`.${own}`));
};

const complaint = (object: KubeObject, of: Omit<Complaint, 'object'>): Complaint => ({ object, ...of });

interface FieldsEntry {
  time?: string;
  fieldsV1?: Record<string, unknown>;
}

/** When the client that set a field last wrote; undefined if none is known. */
const writtenAt = ({ metadata }: KubeObject, path: readonly string[]): string | undefined => {
  const { managedFields = [] } = metadata as { managedFields?: FieldsEntry[] };
  return managedFields.find(({ fieldsV1 }) =>
    path.reduce<unknown>((fields, name) => (fields as Record<string, unknown> | undefined)?.[`f:${name}`], fieldsV1),
  )?.time;
};

/** The controller reports a pause a moment after it began; before, the client that asked for it is known. */
const pausedSince = (object: KubeObject, path: readonly string[]): string | undefined => {
  const condition = conditionsOf(object).find(({ type }) => type === 'Paused');
  return condition?.status === 'True' ? condition.lastTransitionTime : writtenAt(object, path);
};

/** Nothing goes on with the object until a user lifts it. */
const holds = (object: KubeObject): Complaint[] => {
  const { annotations, deletionTimestamp, finalizers = [] } = object.metadata;
  const isPaused = (object.spec as { paused?: boolean } | undefined)?.paused === true;
  const foreign = deletionTimestamp === undefined ? [] : finalizers.filter(isForeign);
  const paused = (message: string, path: readonly string[], run: string): Complaint =>
    complaint(object, {
      type: 'Paused',
      reason: 'Paused',
      message,
      level: 'hold',
      since: pausedSince(object, path),
      rule: { next: 'No controller acts on it until the pause is lifted', run: () => [run] },
    });
  return [
    ...(isPaused
      ? [paused('is paused by its spec.paused', ['spec', 'paused'], mergePatch(object, { spec: { paused: false } }))]
      : []),
    ...(annotations?.[pausedAnnotation] !== undefined
      ? [
          paused(
            `is held by its annotation ${pausedAnnotation}`,
            ['metadata', 'annotations', pausedAnnotation],
            withoutAnnotation(object, pausedAnnotation),
          ),
        ]
      : []),
    ...(foreign.length > 0 && foreign.length === finalizers.length
      ? [
          complaint(object, {
            type: 'Finalizers',
            reason: 'ForeignFinalizer',
            message: `is being deleted and held by ${foreign.length === 1 ? 'its finalizer' : 'its finalizers'} ${foreign.join(', ')}`,
            level: 'hold',
            since: deletionTimestamp,
            rule: {
              next: 'It is gone as soon as the program that set the finalizer removes it',
              advice: 'Only if that program no longer runs, remove the finalizer yourself',
              run: () => [kubectl('patch', object, `--type merge -p '{"metadata":{"finalizers":null}}'`)],
            },
          }),
        ]
      : []),
  ];
};

/**
 * When a condition began to name what is missing; undefined if none does, unless the object is so young that it has
 * none yet.
 */
const missingSince = (object: KubeObject, name: string): string | undefined => {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return object.metadata.creationTimestamp;
  return conditions.find(({ message }) => message?.includes(name))?.lastTransitionTime;
};

const missing = (object: KubeObject, rules: CauseRules | undefined, graph: Graph): Complaint[] =>
  isDeleting(object) || rules?.isRecord?.(object)
    ? []
    : [...clusterReferenceOf(object), ...referencesIn(object.spec)]
        .filter((reference) => graph.isAbsent(reference))
        .map(({ kind, name }) =>
          complaint(object, {
            type: 'References',
            reason: 'ReferenceNotFound',
            message: `refers to ${kind} ${name}, which does not exist`,
            level: 'fault',
            since: missingSince(object, name),
            rule: {
              next: `Capstan goes on as soon as ${kind} ${name} exists`,
              advice: `Apply ${kind} ${name}, or name another`,
              run: () => [
                `kubectl get ${kind.toLowerCase()}${object.metadata.namespace ? ` -n ${object.metadata.namespace}` : ''}`,
              ],
            },
          }),
        );

/** Types whose True is not well, or only activity, of kinds without rules. */
const negative: Readonly<Record<string, ConditionRule>> = {
  Degraded: { bad: 'True' },
  Deleting: { bad: 'True', level: 'wait' },
  Failed: { bad: 'True' },
  Stalled: { bad: 'True' },
  Paused: { bad: 'Never' },
  Progressing: { bad: 'Never' },
  Reconciling: { bad: 'Never' },
  Remediating: { bad: 'Never' },
  RollingOut: { bad: 'Never' },
  ScalingDown: { bad: 'Never' },
  ScalingUp: { bad: 'Never' },
  Updating: { bad: 'Never' },
};
const summaries = ['Ready', 'Available'];

/** A pass of the controller fails, or the API refuses what it decides: nothing else of the object is up to date. */
const loopFaults = [changeAccepted, reconcileSucceeded];
const loopRule: ConditionRule = {
  level: 'fault',
  next: 'The controller tries again, at the latest after 15 minutes',
  advice: 'If its message names nothing that you can change, report it with the log',
  run: () => ['capstan logs --since 30m'],
};

const ruleFor = (rules: CauseRules | undefined, type: string): ConditionRule => {
  if (loopFaults.some((fault) => type === fault || type.endsWith(`.capstan.dev/${fault}`))) return loopRule;
  return rules?.conditions[type] ?? negative[type] ?? (summaries.includes(type) ? { isSummary: true } : {});
};

const isBad = ({ status, reason = '' }: AnyCondition, { bad = 'False', fine = [] }: ConditionRule): boolean => {
  if (bad === 'Never' || fine.includes(reason)) return false;
  return status === bad || (bad === 'False' && status === 'Unknown');
};

/** A v1beta1 summary that only counts conditions. */
const isCount = (message: string): boolean => /^\d+ of \d+ completed$/.test(message);

/** As controllers word what time alone brings. */
export const isWaiting = (message: string): boolean =>
  /^(\* )?(\w+: )?(Waiting (for|to|up)|Remote connection not established yet|Control plane not yet initialized)\b/.test(
    message,
  );

const levelOf = (
  { status, severity, type, reason = '', message = '' }: AnyCondition,
  rule: ReasonRule,
  bad: ConditionRule['bad'],
): Level => {
  if (loopFaults.includes(type)) return 'fault';
  if (rule.level) return rule.level;
  if (severity === 'Info') return 'wait';
  // Without a severity, nothing has failed as long as no words say so.
  const isSilent = message === '' || isCount(message) || isWaiting(message);
  if (!severity && (isSilent || /^WaitingFor|Started$/.test(reason))) return 'wait';
  return severity || bad === 'True' || status === 'False' ? 'fault' : 'wait';
};

const isOverdue = ({ overdueAfter }: ReasonRule, since: string | undefined, now: number | undefined): boolean =>
  overdueAfter !== undefined &&
  since !== undefined &&
  now !== undefined &&
  now - Date.parse(since) > overdueAfter * 1000;

const isOfDeletion = ({ type, reason = '', severity }: AnyCondition, rule: ConditionRule): boolean =>
  type === 'Deleting' ||
  reason === 'Deleting' ||
  reason === 'Deleted' ||
  loopFaults.includes(type) ||
  (rule.countsInDeletion === true && severity !== 'Info');

const fromConditions = (object: KubeObject, rules: CauseRules | undefined, graph: Graph): Complaint[] => {
  const { now } = graph;
  const order = [...loopFaults, ...Object.keys(rules?.conditions ?? {})];
  const placeOf = ({ type }: AnyCondition) => (order.indexOf(type) + order.length + 1) % (order.length + 1);
  return conditionsOf(object)
    .filter((condition) => !isDeleting(object) || isOfDeletion(condition, ruleFor(rules, condition.type)))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .flatMap((condition) => {
      const rule = ruleFor(rules, condition.type);
      if (!isBad(condition, rule)) return [];
      const { type, reason = '', message: whole = '', lastTransitionTime: since } = condition;
      const { reasons: _, isSummary: __, fine: ___, countsInDeletion: ____, bad, about, ...common } = rule;
      const message = about && graph.cluster ? about(whole, graph) : whole;
      if (message === undefined) return [];
      const own = rule.reasons?.[reason];
      const level = levelOf({ ...condition, message }, { ...common, ...own }, bad);
      const { next: _____, ...waits } = common;
      // What follows a failure does not follow a wait.
      const merged: ReasonRule = { ...(level === 'wait' && common.level !== 'wait' ? waits : common), ...own };
      const text = message === '' || isCount(message) ? `${type}: ${reason || condition.status}` : oneLine(message);
      return [
        complaint(object, {
          type,
          reason,
          message: withoutCredentials(text),
          level: level === 'wait' && isOverdue(merged, since, now) ? 'fault' : level,
          since,
          rule: merged,
        }),
      ];
    });
};

const isSummary = ({ type }: Complaint, rules: CauseRules | undefined): boolean =>
  ruleFor(rules, type).isSummary === true;

/** A part waits for its Machine, which its owner cannot create. */
const ofOwners: Explanation = ({ metadata: { ownerReferences = [] } }, graph) =>
  ownerReferences
    .flatMap(({ kind, name }) => graph.complaints(graph.get(kind, name)))
    .filter(({ object, level }) => object.kind !== 'Cluster' && level !== 'wait');

/** Seconds until an object that no controller has acted on counts as late. */
const untouched = 60;

const unreconciled = (object: KubeObject, rules: CauseRules | undefined, now: number | undefined): Complaint[] => {
  const isJudged = Object.values(rules?.conditions ?? {}).some(({ bad }) => bad !== 'Never');
  if (!isJudged || conditionsOf(object).length > 0 || isDeleting(object)) return [];
  const since = object.metadata.creationTimestamp;
  return [
    complaint(object, {
      type: 'Reconciled',
      reason: 'NotReconciledYet',
      message: 'no controller has reconciled it yet',
      level: isOverdue({ overdueAfter: untouched }, since, now) ? 'fault' : 'wait',
      since,
      rule: {
        by: ofOwners,
        next: 'A controller reconciles it within seconds, unless the installation is frozen or its queues are stuck',
        run: () => ['capstan status'],
      },
    }),
  ];
};

/** Waits on an object's deletion that no condition reports. */
const deletion = (object: KubeObject, found: readonly Complaint[]): Complaint[] =>
  !isDeleting(object) || found.length > 0
    ? []
    : [
        complaint(object, {
          type: 'Deleting',
          reason: 'Deleting',
          message: `is being deleted${(object.metadata.finalizers ?? []).length > 0 ? ` (finalizers ${object.metadata.finalizers?.join(', ')})` : ''}`,
          level: 'wait',
          since: object.metadata.deletionTimestamp,
          rule: { by: (one, graph) => graph.ownedBy(one).filter(isDeleting).flatMap(graph.complaints) },
        }),
      ];

export const complaintsOf = (object: KubeObject, rules: CauseRules | undefined, graph: Graph): Complaint[] => {
  const reported = fromConditions(object, rules, graph);
  const others = (rules?.others?.(object, graph) ?? []).map((one) => ({
    ...one,
    message: withoutCredentials(one.message),
  }));
  const found = [...holds(object), ...missing(object, rules, graph), ...others, ...reported];
  const telling = found.filter((one) => !isSummary(one, rules));
  const kept = telling.length > 0 ? telling : found;
  return [...kept, ...(kept.length > 0 ? [] : unreconciled(object, rules, graph.now)), ...deletion(object, kept)];
};
