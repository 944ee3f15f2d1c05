import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../../machinery/api/lifecycle.ts';
import type { Context, Read } from '../../../../machinery/api/reconcile.ts';
import type { Instance } from '../../../ports/cloud/index.ts';
import { emptySurvey, type Survey } from '../../../ports/installation.ts';
import type { Installation } from '../index.ts';
import type { Observed } from './observe.ts';
import { period, reconcile, shortPeriod } from './reconcile.ts';

const now = Date.UTC(2026, 0, 1, 12);
const context = { config: {}, installation: 'here', now } as unknown as Context;
const staleAt = (at: number): Installation => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Installation',
  metadata: { name: 'capstan', annotations: { 'capstan.dev/late': timestamp(at) } },
  spec: {},
});
const installation = staleAt(now - 900_000);
const read: Read<Survey> = { state: 'found', value: emptySurvey };
const unreadable: Read<Survey> = { state: 'unreadable', reason: 'Survey: RequestLimitExceeded: slow down' };
const of = (...surveys: Read<Survey>[]): Observed => ({
  installation,
  any: true,
  regions: surveys.map((survey, index) => ({
    region: `region-${index}`,
    settled: [],
    survey,
    stale: { instances: [], secrets: [] },
  })),
});

describe('the drift sweep', () => {
  it.each([
    { rule: 'requeues after its period', observed: of(read), again: period },
    { rule: 'requeues while no region is known yet', observed: of(), again: period },
    { rule: 'fails when a region was unreadable', observed: of(read, unreadable), again: undefined },
    { rule: 'is idle without clusters', observed: { installation, any: false, regions: [] }, again: undefined },
    {
      rule: 'requeues soon after a stale pass',
      observed: { ...of(read), installation: staleAt(now - 890_000) },
      again: shortPeriod,
    },
  ])('$rule', ({ observed, again }) => expect(reconcile(observed, context).requeueAfter).toBe(again));

  it('deletes what a stalled worker created after it was no longer needed', () => {
    const ofMachine = (uid: string) => ({ 'capstan.dev/machine-uid': uid });
    const tags = ofMachine('uid-of-n');
    const instance = { InstanceId: 'i-1', Tags: [{ Key: 'capstan.dev/machine-uid', Value: 'uid-of-m' }] };
    const stale = {
      instances: [instance as unknown as Instance],
      secrets: [
        { type: 'secret', id: 'arn:of:s', tags },
        { type: 'parameter', id: '/p', tags },
      ],
    };
    const regions = [{ region: 'eu-west-1', settled: [], survey: read, stale }];
    const owned = (uid: string) => ({ 'capstan.dev/installation': 'here', ...ofMachine(uid) });
    expect(reconcile({ installation, any: true, regions }, context).actions).toMatchObject([
      {
        operation: 'TerminateInstances',
        input: { region: 'eu-west-1', input: { InstanceIds: ['i-1'] }, owned: owned('uid-of-m') },
      },
      { operation: 'DeleteSecret', input: { input: { SecretId: 'arn:of:s' }, owned: owned('uid-of-n') } },
      { operation: 'DeleteParameter', input: { input: { Name: '/p' }, owned: owned('uid-of-n') } },
    ]);
  });
});
