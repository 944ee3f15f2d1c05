import { expect, it } from 'vitest';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Cluster } from '../cluster/schema.ts';
import { canCreateMachines, versionsCompared } from '../contract/creatable.ts';
import { operationStopped } from '../contract/operation.ts';
import { type Admission, freely } from '../contract/rollout.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';
import { stuck } from './stuck.ts';

const object = (kind: string, name: string, of: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  ...of,
});
const condition = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  reason: 'KubeadmVersionSkew',
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const set = (name: string, revision: number, isStuck: boolean, why = 'It cannot') => {
  const conditions = isStuck ? [condition(canCreateMachines, 'False', why)] : [];
  const of = object('MachineSet', name, { status: { conditions } });
  const annotations = { 'machinedeployment.clusters.x-k8s.io/revision': String(revision) };
  return { ...of, metadata: { ...of.metadata, annotations } } as MachineSet;
};
const deployment = (version: string) =>
  object('MachineDeployment', 'web', { spec: { template: { spec: { version } } } }) as unknown as MachineDeployment;
const cluster = (version: string | undefined, isStopped = false) =>
  object('Cluster', 'demo', {
    status: {
      ...(version && { controlPlane: { versions: [{ version, replicas: 3 }] } }),
      conditions: [condition(operationStopped, isStopped ? 'True' : 'False', 'refused')],
    },
  }) as unknown as Cluster;

const back: Admission = { state: 'RolledBack' };
const waiting: Admission = { state: 'Waiting' };
const retry = 'remove what stopped the upgrade, and run: capstan retry cluster demo -n default';
const patch = `kubectl patch machinedeployment web -n default --type merge -p '{"spec":{"template":{"spec":{"version":"v1.36.0"}}}}'`;

it.each<{ rule: string; of: Cluster; wants?: string; current?: boolean; admission: Admission; says?: string }>([
  { rule: 'a rollback to a set of the old minor', of: cluster('v1.36.0'), admission: back, says: retry },
  { rule: 'an upgrade that stopped before it', of: cluster('v1.36.0', true), admission: waiting, says: retry },
  { rule: 'nothing while an upgrade is under way', of: cluster('v1.36.0'), admission: waiting },
  { rule: 'nothing while its new set replaces the old one', of: cluster('v1.36.0'), current: false, admission: freely },
  {
    rule: 'a spec that stayed behind its control plane',
    of: cluster('v1.36.0'),
    wants: 'v1.35.0',
    current: true,
    admission: freely,
    says: patch,
  },
  {
    rule: 'a rollback to a set that another version mends',
    of: cluster('v1.36.0'),
    wants: 'v1.37.0',
    admission: back,
    says: patch,
  },
])('reports $rule', ({ of, wants = 'v1.36.0', current, admission, says }) => {
  const old = [set('web-1', 1, false), set('web-2', 2, true)];
  const generations = { current: current === undefined ? undefined : set('web-3', 3, current), old };
  const [reported] = stuck(deployment(wants), of, generations, admission);
  expect(reported?.status).toBe(says && 'False');
  if (says) expect(reported?.message).toContain(says);
});

it('names the version that the refusal names', () => {
  const why = `${versionsCompared('v1.35.0', 'v1.36.0')} do not fit`;
  const generations = { current: set('web-1', 1, true, why), old: [] };
  const [reported] = stuck(deployment('v1.35.0'), cluster('v1.35.9'), generations, freely);
  expect(reported?.message).toContain(patch);
});
