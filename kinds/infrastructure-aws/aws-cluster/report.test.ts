import { describe, expect, it } from 'vitest';
import { unreadable } from './report.ts';
import type { AWSCluster } from './schema.ts';

const saying = (status: 'True' | 'False'): AWSCluster => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSCluster',
  metadata: { name: 'demo', namespace: 'default' },
  spec: { region: 'us-west-2' },
  status: {
    ready: false,
    conditions: [
      { type: 'VpcReady', status, severity: status === 'True' ? '' : 'Info', message: 'Waiting to be admitted' },
    ],
  } as AWSCluster['status'],
});
const conditionIn = ({ status }: ReturnType<typeof unreadable>) => {
  const conditions = (status?.conditions ?? []) as unknown as { type: string; severity?: string; message?: string }[];
  return conditions.find(({ type }) => type === 'VpcReady');
};
const context = { random: { suffix: () => '', pick: <T>(from: readonly T[]) => from[2]!, token: () => '' } };
const throttled = 'DescribeSubnets: RequestLimitExceeded: Request limit exceeded.';

describe('an account that cannot be read', () => {
  it('is reported where nothing is known, even if the error may pass', () => {
    expect(conditionIn(unreadable(saying('False'), throttled, context))).toMatchObject({
      severity: 'Warning',
      message: throttled,
    });
  });
  it('keeps the known state while the error may pass', () => {
    expect(unreadable(saying('True'), throttled, context)).toEqual({ requeueAfter: 5 });
  });
  it('is an error where the error is permanent', () => {
    const denied = 'DescribeVpcs: UnauthorizedOperation: no';
    expect(conditionIn(unreadable(saying('True'), denied, context))).toMatchObject({
      severity: 'Error',
      message: denied,
    });
  });
});
