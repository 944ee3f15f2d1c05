/**
 * Samples refused requests in the audit log, because strangers choose their number and their length.
 * The next refusal that is recorded counts those that were not.
 */
import { createLimits, type Rate } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Audit, AuditEvent } from './audit.ts';

const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

/** Refusals of a caller that are recorded; enough for each mistake of a person. */
const perCaller: Rate = { rate: 0.1, burst: 20 };
/** Refusals of all callers, by status code: strangers without a token do not hide what users attempt. */
const perCode: Rate = { rate: 0.2, burst: 50 };

/** Characters of each text in a refused request's event. */
const longestText = 256;
export const unrecorded = 'capstan.dev/refused-unrecorded';

const shortened = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      typeof one === 'string' && one.length > longestText ? `${one.slice(0, longestText)}…` : one,
    ),
  ) as T;

const callerOf = ({ user, sourceIPs }: AuditEvent): string => user.username ?? sourceIPs?.[0] ?? '';

export const sampled = (audit: Audit, clock: Pick<Clock, 'now'>): Audit => {
  const [callers, codes] = [createLimits(clock, perCaller), createLimits(clock, perCode)];
  let count = 0;
  return (event) => {
    const { code } = event.responseStatus;
    if (!refusals.has(code)) return audit(event);
    if (!callers.take(callerOf(event)) || !codes.take(String(code))) {
      count++;
      return;
    }
    const annotations = { ...event.annotations, ...(count > 0 && { [unrecorded]: String(count) }) };
    count = 0;
    audit(shortened({ ...event, annotations }));
  };
};
