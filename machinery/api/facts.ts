/** What a status says is so, apart from the words about it. */
import { whileHeld } from './lately.ts';
import { equal, equalBut } from './merge.ts';

type Fields = Record<string, unknown>;
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** What a condition says of why and since when; whether it is so is compared as such: what is not known to be so is not so. */
const beside = new Set(['message', 'reason', 'severity', 'lastTransitionTime', 'observedGeneration', 'status']);
/** A missing object is a fact, not wording: once the object exists, the old message is false. */
const absence = /\b(does|do) not exist\b|\b(is|are) (missing|not there)\b/;

const sayTheSame = (a: Fields, b: Fields): boolean =>
  a === b ||
  ((a.status === 'True') === (b.status === 'True') &&
    (a.message === b.message || !absence.test(`${a.message} ${b.message}`)) &&
    equalBut(a, b, beside));

/** Of lists of conditions, or of what looks like it. */
const sameConditions = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a === b || (a.length === b.length && a.every((one, index) => sayTheSame(fieldsOf(one), fieldsOf(b[index]))))
    : equal(a, b);

/** Where an older contract, or the next one, says the same. */
const nested = ['deprecated', 'v1beta1', 'v1beta2'];
const apart = new Set(['message', 'lastUpdated', 'certificatesExpiryDate', 'conditions', 'steps', ...nested]);
const sameIn = (a: Fields, b: Fields): boolean =>
  equalBut(a, b, apart) &&
  sameConditions(a.conditions, b.conditions) &&
  sameConditions(a.steps, b.steps) &&
  nested.every((name) => sameFacts(a[name], b[name]));

/** Whether two statuses say the same is so; reasons, messages and times do not count, wherever conditions live. */
export const sameFacts = (a: unknown, b: unknown): boolean => a === b || sameIn(fieldsOf(a), fieldsOf(b));

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

const transitionIn = whileHeld(({ conditions, steps }: Fields): number | undefined => {
  const times = [
    ...listOf(conditions).map(({ lastTransitionTime }) => lastTransitionTime),
    ...listOf(steps).flatMap(({ started, ended }) => [started, ended]),
  ]
    .map((time) => Date.parse(String(time)))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.max(...times) : undefined;
});

/** When a condition changed last, or a step, in milliseconds since the epoch; undefined when none of them tells. */
export const lastTransitionOf = (status: unknown): number | undefined => transitionIn(fieldsOf(status));
