/** Separates the facts in a status from their wording. */
import { memoizeFrozen } from './memoize.ts';
import { equal, equalBut } from './merge.ts';

type Fields = Record<string, unknown>;
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/**
 * Condition fields that are no facts. Status is compared separately: Unknown and False are both
 * "not true".
 */
const beside = new Set(['message', 'reason', 'severity', 'lastTransitionTime', 'observedGeneration', 'status']);
/** A missing object is a fact, not wording: once the object exists, the old message is false. */
const absence = /\b(does|do) not exist\b|\b(is|are) (missing|not there)\b/;

const sayTheSame = (a: Fields, b: Fields): boolean =>
  a === b ||
  ((a.status === 'True') === (b.status === 'True') &&
    (a.message === b.message || !absence.test(`${a.message} ${b.message}`)) &&
    equalBut(a, b, beside));

/** For lists of conditions, and lists of the same shape. */
const sameConditions = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a === b || (a.length === b.length && a.every((one, index) => sayTheSame(fieldsOf(one), fieldsOf(b[index]))))
    : equal(a, b);

/** Where objects keep the status of an older or newer contract. */
const nested = ['deprecated', 'v1beta1', 'v1beta2'];
const apart = new Set(['message', 'lastUpdated', 'certificatesExpiryDate', 'conditions', 'steps', ...nested]);
const sameIn = (a: Fields, b: Fields): boolean =>
  equalBut(a, b, apart) &&
  sameConditions(a.conditions, b.conditions) &&
  sameConditions(a.steps, b.steps) &&
  nested.every((name) => sameFacts(a[name], b[name]));

/**
 * Whether two statuses state the same facts. Reasons, messages and times of conditions do not
 * count.
 */
export const sameFacts = (a: unknown, b: unknown): boolean => a === b || sameIn(fieldsOf(a), fieldsOf(b));

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

const transitionIn = memoizeFrozen(({ conditions, steps }: Fields): number | undefined => {
  const times = [
    ...listOf(conditions).map(({ lastTransitionTime }) => lastTransitionTime),
    ...listOf(steps).flatMap(({ started, ended }) => [started, ended]),
  ]
    .map((time) => Date.parse(String(time)))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.max(...times) : undefined;
});

/**
 * When a condition or a step last changed, in milliseconds since the epoch; undefined without any
 * time.
 */
export const lastTransitionOf = (status: unknown): number | undefined => transitionIn(fieldsOf(status));
