/** What happened to an operation between two of its statuses, as Events. Pure. */
import type { EventDraft } from '../../machinery/api/reconcile.ts';
import type { OperationStatus, OperationStep } from './schema.ts';
import { sentence } from './steps/cause.ts';

const stepEvents = (before: OperationStep | undefined, { name, verdict, message }: OperationStep): EventDraft[] => {
  const began: EventDraft[] = before
    ? []
    : [{ type: 'Normal', reason: 'StepStarted', message: `Step ${name} started` }];
  if (verdict === 'Running' || before?.verdict === verdict) return began;
  const why = message ? `: ${sentence(message)}` : '';
  switch (verdict) {
    case 'Succeeded':
      return [...began, { type: 'Normal', reason: 'StepSucceeded', message: `Step ${name} succeeded` }];
    case 'Cancelled':
      return [...began, { type: 'Normal', reason: 'StepCancelled', message: `Step ${name} was cancelled` }];
    case 'Refused':
    case 'Failed':
      return [...began, { type: 'Warning', reason: `Step${verdict}`, message: `Step ${name} failed${why}` }];
    case 'DeadlineExceeded':
      return [...began, { type: 'Warning', reason: verdict, message: `Step ${name} was not done in time${why}` }];
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

const outcomeEvents = (before: OperationStatus, { phase, message = '', late, step }: OperationStatus): EventDraft[] => {
  const lateness: EventDraft[] =
    late && !before.late
      ? [{ type: 'Warning', reason: 'Late', message: `Step ${step ?? ''} is late, and the policy is to go on` }]
      : [];
  if (phase === before.phase || phase === undefined || phase === 'Pending') return lateness;
  switch (phase) {
    case 'Running':
      return lateness;
    case 'Succeeded':
    case 'Cancelled':
      return [...lateness, { type: 'Normal', reason: phase, message }];
    case 'Held':
    case 'TornDown':
    case 'RolledBack':
      return [...lateness, { type: 'Warning', reason: phase, message }];
    default:
      throw new Error(`unknown phase ${phase satisfies never}`);
  }
};

export const eventsBetween = (before: OperationStatus, after: OperationStatus): EventDraft[] => [
  ...(after.steps ?? []).flatMap((step) =>
    stepEvents(
      before.steps?.find(({ name, started }) => name === step.name && started === step.started),
      step,
    ),
  ),
  ...outcomeEvents(before, after),
];
