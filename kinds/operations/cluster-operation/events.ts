/** The Events between two statuses of an operation. Pure. */
import type { EventDraft } from '../../../machinery/api/reconcile.ts';
import { oneLine } from '../shared/cause.ts';
import type { OperationStatus, OperationStep } from './schema.ts';

/** A restore that saved the present has found nothing that speaks against it: it names what it is going to do. */
const preflightEvent = (message: string, isSaved: boolean): EventDraft =>
  isSaved
    ? { type: 'Normal', reason: 'PreflightNotes', message }
    : { type: 'Warning', reason: 'PreflightWarnings', message };

/** Failures of a step, and warnings of the first. A success is in the status, and the next step follows it. */
const stepEvents = (
  before: OperationStep | undefined,
  { name, verdict, message }: OperationStep,
  isSaved: boolean,
): EventDraft[] => {
  if (before?.verdict === verdict) return [];
  const why = message ? `: ${oneLine(message)}` : '';
  switch (verdict) {
    case 'Running':
      return [];
    case 'Succeeded':
      return name === 'Preflight' && message ? [preflightEvent(message, isSaved)] : [];
    case 'Paused':
      return [{ type: 'Normal', reason: verdict, message: `Paused before step ${name}${why}` }];
    case 'Cancelled':
      return [{ type: 'Normal', reason: 'StepCancelled', message: `Step ${name} was cancelled` }];
    case 'Refused':
    case 'Failed':
      return [{ type: 'Warning', reason: `Step${verdict}`, message: `Step ${name} failed${why}` }];
    case 'DeadlineExceeded':
      return [{ type: 'Warning', reason: verdict, message: `Step ${name} was not done in time${why}` }];
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

const outcomeEvents = (before: OperationStatus, { phase, message = '', late, step }: OperationStatus): EventDraft[] => {
  const overdueEvents: EventDraft[] =
    late && !before.late
      ? [{ type: 'Warning', reason: 'Late', message: `Step ${step ?? ''} is late, and the policy is to go on` }]
      : [];
  if (phase === before.phase || phase === undefined || phase === 'Pending') return overdueEvents;
  switch (phase) {
    case 'Running':
    case 'Paused':
      return overdueEvents;
    case 'Succeeded':
    case 'Cancelled':
      return [...overdueEvents, { type: 'Normal', reason: phase, message }];
    case 'Held':
    case 'TornDown':
    case 'RolledBack':
      return [...overdueEvents, { type: 'Warning', reason: phase, message }];
    default:
      throw new Error(`unknown phase ${phase satisfies never}`);
  }
};

export const eventsBetween = (before: OperationStatus, after: OperationStatus): EventDraft[] =>
  [
    ...(after.steps ?? []).flatMap((step) =>
      stepEvents(
        before.steps?.find(({ name, started }) => name === step.name && started === step.started),
        step,
        after.before !== undefined,
      ),
    ),
    ...outcomeEvents(before, after),
  ].map((event) => ({ ...event, isOfStatus: true }));
