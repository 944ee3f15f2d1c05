/** The older Cluster API conditions, which carry a severity and are summarized in Ready. Pure. */
import type { LegacyCondition } from './object.ts';

/** A condition as reconcilers write it: the loop adds the time. */
export type LegacyDraft = Omit<LegacyCondition, 'lastTransitionTime'>;
type Severity = 'Error' | 'Warning' | 'Info';

export const legacyTrue = (type: string): LegacyDraft => ({ type, status: 'True' });
export const legacyFalse = (type: string, reason: string, severity: Severity, message = ''): LegacyDraft => ({
  type,
  status: 'False',
  severity,
  reason,
  ...(message && { message }),
});
export const legacyUnknown = (type: string, reason: string, message = ''): LegacyDraft => ({
  type,
  status: 'Unknown',
  reason,
  ...(message && { message }),
});

/** Ready first, the others by type, as the field's tools print them. */
export const sortLegacy = <C extends { type: string }>(conditions: readonly C[]): C[] =>
  [...conditions].sort((a, b) => {
    if (a.type === 'Ready' || b.type === 'Ready') return Number(b.type === 'Ready') - Number(a.type === 'Ready');
    return a.type < b.type ? -1 : a.type > b.type ? 1 : 0;
  });

/** Replaces the conditions whose types occur in `changes`. */
export const withLegacy = (
  conditions: readonly LegacyDraft[] | undefined,
  ...changes: LegacyDraft[]
): LegacyDraft[] => {
  const changed = new Set(changes.map((c) => c.type));
  return sortLegacy([...(conditions ?? []).filter((c) => !changed.has(c.type)), ...changes]);
};

/** Mirrors Ready of another object under another type; without it the fallback. */
export const mirrorLegacy = (
  conditions: readonly LegacyDraft[] | undefined,
  type: string,
  fallback: LegacyDraft,
): LegacyDraft => {
  const ready = conditions?.find((c) => c.type === 'Ready');
  if (!ready) return { ...fallback, type };
  const { status, severity, reason, message } = ready;
  return { type, status, ...(severity && { severity }), ...(reason && { reason }), ...(message && { message }) };
};

/** The most urgent first; True is the least urgent. */
const rank = ({ status, severity }: LegacyDraft): number => {
  if (status === 'True') return 4;
  if (status === 'Unknown') return 3;
  return severity === 'Error' ? 0 : severity === 'Warning' ? 1 : 2;
};

const mostUrgent = (conditions: readonly LegacyDraft[], order: readonly string[]): LegacyDraft => {
  const placeOf = (type: string) => (order.includes(type) ? order.indexOf(type) : order.length);
  return [...conditions].sort((a, b) => rank(a) - rank(b) || placeOf(a.type) - placeOf(b.type))[0]!;
};

export interface LegacySummaryOptions {
  /** The condition types that count, the most relevant first; absent = all but Ready. */
  of?: readonly string[];
  negative?: readonly string[];
  /**
   * Replaces the message by "x of y completed"; y is the number of types in `of`, else of
   * conditions.
   */
  stepCounter?: boolean;
  /** Counts steps only while no other conditions than these exist; y is their number. */
  stepCounterIfOnly?: readonly string[];
}

/** Summarizes one object's conditions as Ready; undefined without any of them. */
export const summarizeLegacy = (
  conditions: readonly LegacyDraft[] | undefined,
  { of, negative = [], stepCounter = false, stepCounterIfOnly }: LegacySummaryOptions = {},
): LegacyDraft | undefined => {
  const flipped = { True: 'False', False: 'True', Unknown: 'Unknown' } as const;
  const inputs = sortLegacy(conditions ?? [])
    .filter((c) => c.type !== 'Ready' && (!of || of.includes(c.type)))
    .map((c) => (negative.includes(c.type) ? { ...c, status: flipped[c.status] } : c));
  if (inputs.length === 0) return undefined;
  const counted = stepCounter && inputs.every((c) => !stepCounterIfOnly || stepCounterIfOnly.includes(c.type));
  const top = mostUrgent(inputs, of ?? []);
  const steps = (stepCounterIfOnly ?? of ?? inputs).length;
  const done = inputs.filter((c) => c.status === 'True').length;
  return merged('Ready', top, counted ? `${done} of ${steps} completed` : top.message);
};

/** Aggregates Ready of many objects; undefined when none has it. */
export const aggregateLegacy = (
  type: string,
  sources: readonly { kind: string; name: string; conditions: readonly LegacyDraft[] | undefined }[],
): LegacyDraft | undefined => {
  const inputs = [...sources]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .flatMap(({ kind, name, conditions }) => {
      const ready = conditions?.find((c) => c.type === 'Ready');
      if (!ready) return [];
      const reason = ready.reason?.includes('@') ? ready.reason : `${ready.reason ?? ''} @ ${kind}/${name}`;
      return [{ ...ready, reason }];
    });
  if (inputs.length === 0) return undefined;
  const done = inputs.filter((c) => c.status === 'True').length;
  return merged(type, mostUrgent(inputs, []), `${done} of ${sources.length} completed`);
};

const merged = (type: string, { status, severity, reason }: LegacyDraft, message: string | undefined): LegacyDraft => {
  if (status === 'True') return legacyTrue(type);
  return {
    type,
    status,
    ...(status === 'False' && severity && { severity }),
    ...(reason && { reason }),
    ...(message && { message }),
  };
};
