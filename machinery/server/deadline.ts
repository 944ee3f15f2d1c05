/** The client's timeout, from the query's `timeout`. */

import { parseDuration } from '../api/durations.ts';
import { badRequest } from '../api/errors.ts';

/** Go's error for an invalid duration. */
const durationError = (text: string): string => {
  const quoted = JSON.stringify(text);
  if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return `time: missing unit in duration ${quoted}`;
  const unit = /^[+-]?(?:\d+\.?\d*|\.\d+)([^\d.]+)/.exec(text)?.[1];
  if (unit !== undefined) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
  return `time: invalid duration ${quoted}`;
};

/**
 * Milliseconds until the request must be carried out, `longest` at most; 400 for an invalid
 * duration.
 */
export const timeoutOf = (query: URLSearchParams, longest: number): number => {
  const text = query.get('timeout') ?? '';
  if (text === '') return longest;
  const seconds = parseDuration(text);
  if (seconds === undefined) throw badRequest(`invalid timeout specified in the request URL - ${durationError(text)}`);
  return seconds === 0 ? longest : Math.min(seconds * 1000, longest);
};
