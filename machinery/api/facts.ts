/** What a status says is so, apart from the words about it. */
import { whileHeld } from './lately.ts';

type Fields = Record<string, unknown>;
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/**
 * Of a list of conditions, or of what looks like it: what is so, without why and since when. What is not known to be so is
 * not so.
 */
const plainly = (list: unknown): unknown =>
  Array.isArray(list)
    ? list.map((one: unknown) => {
        const {
          message: _,
          reason: __,
          severity: ___,
          lastTransitionTime: ____,
          observedGeneration: _____,
          status,
          ...rest
        } = fieldsOf(one);
        return { ...rest, holds: status === 'True' };
      })
    : list;

const withPlainConditions = (holder: unknown): Fields => {
  const { conditions, ...rest } = fieldsOf(holder);
  return { ...rest, conditions: plainly(conditions) };
};

const factsIn = whileHeld((status: Fields): Fields => {
  const {
    message: _,
    lastUpdated: __,
    certificatesExpiryDate: ___,
    conditions,
    steps,
    deprecated,
    v1beta2,
    ...rest
  } = status;
  return {
    ...rest,
    conditions: plainly(conditions),
    steps: plainly(steps),
    deprecated: { ...fieldsOf(deprecated), v1beta1: withPlainConditions(fieldsOf(deprecated).v1beta1) },
    v1beta2: withPlainConditions(v1beta2),
  };
});

/** Everything of a status but reasons, messages and times, wherever conditions live. */
export const factsOf = (status: unknown): Fields => factsIn(fieldsOf(status));

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
