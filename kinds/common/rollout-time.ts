/**
 * When what is older than `spec.rollout.after` is replaced, in milliseconds since the epoch. Times of creation have no parts of
 * a second: what is made in the second of that moment would count as older, and be replaced in its turn.
 */
export const rolloutTime = (after: string): number => Math.ceil(Date.parse(after) / 1000) * 1000;
