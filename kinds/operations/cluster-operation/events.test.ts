import { expect, it } from 'vitest';
import { eventsBetween } from './events.ts';
import type { OperationStatus } from './schema.ts';

const started = '2026-11-30T00:00:00Z';
const passed = (message?: string): OperationStatus => ({
  steps: [{ name: 'Preflight', started, verdict: 'Succeeded', ...(message !== undefined && { message }) }],
});

it.each<{ rule: string; after: OperationStatus; is: string[] }>([
  { rule: 'is none without a message', after: passed(), is: [] },
  { rule: 'warns of what speaks against an operation', after: passed('why'), is: ['Warning PreflightWarnings: why'] },
  {
    rule: 'warns of a restore that could not save the present',
    after: passed('The present state is not saved'),
    is: ['Warning PreflightWarnings: The present state is not saved'],
  },
  {
    rule: 'does not warn of a restore that saved it',
    after: { ...passed('The present state is EtcdSnapshot c-restore-1-before'), before: 'c-restore-1-before' },
    is: ['Normal PreflightNotes: The present state is EtcdSnapshot c-restore-1-before'],
  },
])('the Event of a Preflight that succeeds $rule', ({ after, is }) => {
  const before: OperationStatus = { steps: [{ name: 'Preflight', started, verdict: 'Running' }] };
  expect(eventsBetween(before, after).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual(is);
});
