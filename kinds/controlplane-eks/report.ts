import { type LegacyDraft, summarizeLegacy, withLegacy } from '../../machinery/api/conditions.ts';
import type { Failure } from '../../machinery/api/reconcile.ts';

export const describeFailure = ({ code, message }: Failure): string => `${code}: ${message}`;

/** The conditions after a pass, with Ready as the summary of those that count: all, or those of these types. */
export const conditionsAfter = (
  before: readonly LegacyDraft[],
  changes: readonly LegacyDraft[],
  counting?: readonly string[],
): LegacyDraft[] => {
  const conditions = withLegacy(
    before.filter(({ type }) => type !== 'Ready'),
    ...changes,
  );
  const summary = summarizeLegacy(conditions.filter(({ type }) => counting?.includes(type) ?? true));
  return withLegacy(conditions, ...(summary ? [summary] : []));
};
