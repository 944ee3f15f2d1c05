import { describe, expect, it } from 'vitest';
import type { Context, Read } from '../../../machinery/api/reconcile.ts';
import type { Instance } from '../../ports/cloud.ts';
import { emptySurvey, type Survey } from '../../ports/installation.ts';
import type { Snapshot } from './observe.ts';
import { period, reconcile } from './reconcile.ts';

const context = { config: {}, installation: 'here' } as unknown as Context;
const read: Read<Survey> = { state: 'found', value: emptySurvey };
const unreadable: Read<Survey> = { state: 'unreadable', reason: 'Survey: RequestLimitExceeded: slow down' };
const of = (...surveys: Read<Survey>[]): Snapshot => ({
  any: true,
  regions: surveys.map((survey, index) => ({ region: `region-${index}`, settled: [], survey, late: [] })),
});

describe('a sweep of the account', () => {
  it.each([
    { rule: 'comes again after its period', snapshot: of(read), again: period },
    { rule: 'comes again while there is no region to look at yet', snapshot: of(), again: period },
    { rule: 'has failed when a region could not be read', snapshot: of(read, unreadable), again: undefined },
    { rule: 'rests without clusters', snapshot: { any: false, regions: [] }, again: undefined },
  ])('$rule', ({ snapshot, again }) => expect(reconcile(snapshot, context).requeueAfter).toBe(again));

  it('takes away what was launched for machines that were gone', () => {
    const late = {
      InstanceId: 'i-1',
      Tags: [{ Key: 'capstan.dev/machine-uid', Value: 'uid-of-m' }],
    } as unknown as Instance;
    const snapshot: Snapshot = {
      any: true,
      regions: [{ region: 'eu-west-1', settled: [], survey: read, late: [late] }],
    };
    expect(reconcile(snapshot, context).actions).toMatchObject([
      {
        operation: 'TerminateInstances',
        input: {
          region: 'eu-west-1',
          input: { InstanceIds: ['i-1'] },
          owned: { 'capstan.dev/installation': 'here', 'capstan.dev/machine-uid': 'uid-of-m' },
        },
      },
    ]);
  });
});
