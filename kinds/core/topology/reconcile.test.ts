import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { HookAnswers } from '../contract/lifecycle-hooks.ts';
import { Gate } from './gate.ts';
import { reconcile } from './reconcile.ts';

const now = Date.UTC(2026, 0, 1);
const cluster: Cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'c', uid: 'of-c' },
};
const blockedBy = (answers: HookAnswers, lastFailure?: Context['lastFailure']) => {
  const gate = new Gate({ isHandled: () => true, answers, pending: [], holds: [], now });
  gate.passes({ hook: 'BeforeClusterCreate', about: 'of-c' });
  const progress = { reason: 'ClusterCreating', message: 'why' } as const;
  const plan = reconcile({ is: 'blocked', cluster, gate, progress }, { now, lastFailure } as Context);
  const reported = plan.intent?.metadata?.annotations?.['capstan.dev/topology'];
  return { calls: plan.actions?.length, reported: reported && (JSON.parse(reported) as object) };
};
const at = new Date(now).toISOString();

describe('a topology that a hook holds back', () => {
  it('reports nothing until the hook has answered, so that its answer is the first report', () =>
    expect(blockedBy({})).toEqual({ calls: 1, reported: undefined }));

  it('reports who blocks', () =>
    expect(blockedBy({ BeforeClusterCreate: { about: 'of-c', at, retryAfterSeconds: 60 } })).toEqual({
      calls: 0,
      reported: { reason: 'ClusterCreating', message: 'why' },
    }));

  it('reports a call that failed', () => {
    const failure = { port: 'extensions', operation: 'CallHook', code: '', message: 'no answer', at: now };
    expect(blockedBy({}, failure)).toEqual({
      calls: 1,
      reported: { reason: 'ReconcileFailed', message: 'no answer' },
    });
  });
});
