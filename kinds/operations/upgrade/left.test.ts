import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { leftByUpgrade } from './left.ts';

const started = '2026-01-01T12:00:00Z';
interface Given {
  is: 'old' | 'new' | 'before';
  pool?: string;
  version?: string;
  joined?: boolean;
}
const machineOf = ({ is, pool, version = is === 'new' ? 'v1.36.0' : 'v1.35.0', joined = true }: Given): Machine =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      name: 'm',
      namespace: 'default',
      creationTimestamp: is === 'new' ? '2026-01-01T12:05:00Z' : '2026-01-01T09:00:00Z',
      labels: pool ? { 'cluster.x-k8s.io/deployment-name': pool } : { 'cluster.x-k8s.io/control-plane': '' },
    },
    spec: { clusterName: 'c', version },
    status: {
      ...(joined && { nodeRef: { name: 'n' } }),
      conditions: [
        { type: 'UpToDate', status: is === 'old' ? 'False' : 'True', reason: 'R', lastTransitionTime: started },
      ],
    },
  }) as unknown as Machine;
const cluster = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default', annotations },
});
const operation = () =>
  ({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: 'c-upgrade-1', namespace: 'default' },
    spec: { clusterName: 'c', type: 'upgrade' },
    status: { phase: 'Running', started },
  }) as ClusterOperation;

const old: Given = { is: 'old' };
const pool: Given = { is: 'old', pool: 'md' };
const forward = (count: string) =>
  `${count} control-plane Machines are new and stay: the control plane only goes forward`;
const stuck =
  'MachineDeployment md stays at v1.35.0, and can neither grow nor replace Machines until its version is v1.36.0';

it.each<{ rule: string; machines: Given[]; annotations?: Record<string, string>; stays: string[] }>([
  { rule: 'nothing before the first new Machine has joined', machines: [old, { is: 'new', joined: false }], stays: [] },
  {
    rule: 'new members, and pools of the old minor',
    machines: [{ is: 'new' }, old, old, pool],
    stays: [forward('1 of 3'), stuck],
  },
  {
    rule: 'new members alone within a minor',
    machines: [{ is: 'new', version: 'v1.35.1' }, old, pool],
    stays: [forward('1 of 2')],
  },
  {
    rule: 'nothing under guard while an old member is left',
    machines: [{ is: 'new' }, old, pool],
    annotations: { 'capstan.dev/upgrade-rollback': 'Guarded' },
    stays: [],
  },
  {
    rule: 'nothing of an upgrade of workers',
    machines: [{ is: 'before' }, { is: 'new', pool: 'md' }, pool],
    stays: [],
  },
])('of a cancelled upgrade stays $rule', ({ machines, annotations, stays }) =>
  expect(leftByUpgrade(operation(), cluster(annotations), machines.map(machineOf))).toEqual(stays));
