import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Read } from '../../../machinery/api/reconcile.ts';
import { clusterSecret, type Secret } from '../contract/cluster-secrets.ts';
import { pushFiles } from '../contract/push/configuration.ts';
import { isReporting, type Push, reportedPeriod } from './push.ts';

const now = Date.UTC(2026, 0, 1);
const settings = { url: 'https://capstan/capstan.dev/audit' };
const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' };
const secretOf = (token: string): Read<Secret> =>
  found(clusterSecret({ namespace: 'n', name: 'c-audit-webhook', cluster: 'c', owner, values: { token } }));
const check = (...types: string[]): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check' },
  spec: { checks: { unhealthyNodeConditions: types.map((type) => ({ type })) } },
});
const apiServer = (token: string | undefined): KubeObject => {
  const pushing = { settings, namespace: 'n', cluster: 'c', token: token ?? '' };
  const patch = JSON.parse(pushFiles(pushing, ['health-check'])[2]!.content) as { value: unknown }[];
  const command = ['kube-apiserver', ...(token === undefined ? [] : patch.map(({ value }) => value))];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: { component: 'kube-apiserver' } },
    spec: { containers: [{ command }] } as never,
  };
};

it.each([
  { rule: 'reports', gives: true },
  { rule: 'does not before a first report', reported: undefined, gives: false },
  { rule: 'does not once reports cease', reported: now - (reportedPeriod + 31) * 1000, gives: false },
  { rule: 'does not while one API server has no webhook', pods: ['t', undefined], gives: false },
  { rule: 'does not while one API server has a former token', pods: ['t', 'former'], gives: false },
  { rule: 'does not without API servers', pods: [], gives: false },
  {
    rule: 'does not cover a condition that the node controller does not write',
    types: ['Ready', 'KernelDeadlock'],
    gives: false,
  },
  { rule: 'does not without its token', token: { state: 'absent' } as Read<never>, gives: false },
])('a cluster $rule', ({ gives, pods = ['t', 't'], types = ['Ready'], token = secretOf('t'), ...given }) => {
  const reported = 'reported' in given ? given.reported : now - reportedPeriod * 1000;
  const push: Push = { settings, namespace: 'n', cluster: 'c', token, healthChecks: found([check(...types)]) };
  const context = { now, config: {}, ...(reported !== undefined && { reported }) } as unknown as Context;
  expect(isReporting(push, pods.map(apiServer), context)).toBe(gives);
});
