/** Separates the facts in a status from their wording. */
import { equal, equalBut } from './merge.ts';
import { isObject } from './object.ts';

type Fields = Record<string, unknown>;
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {});

/**
 * Condition fields that are no facts. Status is compared separately: Unknown and False are both
 * "not true".
 */
const besideCondition = new Set([
  'message',
  'reason',
  'severity',
  'lastTransitionTime',
  'observedGeneration',
  'status',
]);
/** A missing object is a fact, not wording: once the object exists, the old message is false. */
const absence = /\b(does|do) not exist\b|\b(is|are) (missing|not there)\b/;

const sayTheSame = (a: Fields, b: Fields, apart: ReadonlySet<string>): boolean =>
  a === b ||
  ((a.status === 'True') === (b.status === 'True') &&
    (a.message === b.message || !absence.test(`${a.message} ${b.message}`)) &&
    equalBut(a, b, apart));

/** For lists of conditions, and lists of the same shape; `apart`: fields that are no facts. */
const sameItems = (a: unknown, b: unknown, apart: ReadonlySet<string>): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a === b || (a.length === b.length && a.every((one, i) => sayTheSame(fieldsOf(one), fieldsOf(b[i]), apart)))
    : equal(a, b);

/** Where objects keep the status of an older or newer contract. */
const nested = ['deprecated', 'v1beta1', 'v1beta2'];

/**
 * Whether two statuses state the same facts. Reasons, messages and times of conditions do not
 * count, nor do the `notes` of their kind.
 */
export const sameFacts = (a: unknown, b: unknown, notes: readonly string[] = []): boolean => {
  if (a === b) return true;
  const [one, other] = [fieldsOf(a), fieldsOf(b)];
  const ofLists = Map.groupBy(notes, (note) => note.split('.')[0]!);
  const apart = new Set(['conditions', ...nested, ...ofLists.keys()]);
  return (
    equalBut(one, other, apart) &&
    sameItems(one.conditions, other.conditions, besideCondition) &&
    nested.every((name) => sameFacts(one[name], other[name], notes)) &&
    [...ofLists].every(
      ([list, those]) =>
        those.includes(list) ||
        sameItems(one[list], other[list], new Set(those.map((note) => note.slice(list.length + 1)))),
    )
  );
};
