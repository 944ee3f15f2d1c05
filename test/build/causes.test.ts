/** `capstan why` knows every reason that a condition can have, and reaches it. */
import { describe, expect, it } from 'vitest';
import { causeRules } from '../../kinds/cause-rules.ts';
import { causesOfCluster, graphOf } from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { reasonsIn } from './reasons.ts';

/** Sources whose reasons stand in no condition. */
const elsewhere = [
  // Why the autoscaler keeps a node or chooses a pool: in its decisions.
  /^kinds\/autoscaling\/plan\//,
  // Events.
  /\/events\.ts$/,
  /^kinds\/kubernetes\//,
  // Of EtcdSnapshots: why they are taken.
  /^kinds\/operations\/(upgrade\/snapshot|restore\/present|delete\/final-snapshot|create\/origin)\.ts$/,
  // Cluster API's v1beta1 conditions, which repeat those of v1beta2.
  /\/legacy(-part|-conditions)?\.ts$/,
  // What `capstan why` itself reports.
  /[/-]causes(\.ts$|\/)/,
];
/** Reasons of v1beta1 conditions, of events and of snapshots beside conditions. */
const others = new Set([
  'CertificatesNotAvailable',
  'ControlPlaneComponentsUnhealthy',
  'ControlPlaneInitialized',
  'Draining',
  'EtcdClusterUnhealthy',
  'FieldValueInvalid',
  'HealthCheckSucceeded',
  'InfrastructureReady',
  'MachineCreationFailed',
  'MachineDeleted',
  'MachinePreserved',
  'MissingNodeRef',
  'NodeNotFound',
  'NotYetReported',
  'PreflightCheckFailed',
  'Schedule',
  'WaitingExternalHook',
  'WaitingForAvailableMachines',
  'WaitingForKubeadmInit',
  'WaitingForMachineSet',
]);

const known = new Map<string, string[]>();
for (const { kind, conditions } of causeRules)
  for (const [type, { reasons = {}, fine = [] }] of Object.entries(conditions))
    for (const reason of [...Object.keys(reasons), ...fine])
      known.set(reason, [...(known.get(reason) ?? []), `${kind}.${type}`]);

it('knows every reason that a source of a kind gives', () => {
  const given = reasonsIn(['kinds/**/*.ts']).filter(({ file }) => !elsewhere.some((pattern) => pattern.test(file)));
  expect(given.length).toBeGreaterThan(150);
  const unknown = given.filter(({ reason }) => !known.has(reason) && !others.has(reason));
  expect([...new Set(unknown.map(({ file, reason }) => `${reason} (${file})`))].sort()).toEqual([]);
});

const at = '2026-01-01T00:00:00Z';
const now = Date.parse('2026-01-01T01:00:00Z');
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };

const clusterWith = (object: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default', uid: 'c' },
  spec: {},
  status: { conditions: [{ type: 'Available', status: 'True', reason: 'Available', lastTransitionTime: at }] },
  ...object,
});

const cases = causeRules.flatMap(({ group, kind, conditions }) =>
  Object.entries(conditions).flatMap(([type, { bad = 'False', reasons = {} }]) =>
    bad === 'Never' ? [] : Object.keys(reasons).map((reason) => ({ group, kind, type, reason, bad })),
  ),
);

describe('every reason of a condition', () => {
  it('is reached from its cluster', () => {
    expect(cases.length).toBeGreaterThan(120);
    const undetected = cases.flatMap(({ group, kind, type, reason, bad }) => {
      const isDeletion = type === 'Deleting' || reason.startsWith('Deleting') || reason === 'Deleted';
      const metadata = {
        name: kind === 'Cluster' ? 'c' : 'x',
        namespace: 'default',
        uid: 'x',
        labels,
        ...(isDeletion && { deletionTimestamp: at }),
      };
      const condition = { type, status: bad, reason, message: `words of ${reason}`, lastTransitionTime: at };
      const object = { apiVersion: `${group}/v1`, kind, metadata, spec: {}, status: { conditions: [condition] } };
      const objects = kind === 'Cluster' ? [clusterWith(object)] : [clusterWith(), object];
      const causes = causesOfCluster(graphOf({ objects, rules: causeRules, now }));
      const isReached = causes.some((cause) => cause.kind === kind && cause.message === `words of ${reason}`);
      return isReached ? [] : [`${kind}.${type}=${bad} ${reason}`];
    });
    expect(undetected).toEqual([]);
  });

  it('of a kind without rules is reached by its plain conditions', () => {
    const pool = {
      apiVersion: 'infra.example.com/v1',
      kind: 'ExamplePool',
      metadata: { name: 'p', namespace: 'default', labels },
      spec: {},
      status: {
        conditions: [
          { type: 'Ready', status: 'False', reason: 'Broken', message: 'the pool is broken', lastTransitionTime: at },
        ],
      },
    };
    const causes = causesOfCluster(graphOf({ objects: [clusterWith(), pool], rules: causeRules, now }));
    expect(causes).toMatchObject([
      { kind: 'ExamplePool', name: 'p', message: 'the pool is broken', level: 'fault', since: at },
    ]);
  });
});

it('says of every fault what happens next or what the user can do', () => {
  const silent = cases.filter(({ kind, type, reason }) => {
    const rule = causeRules.find((one) => one.kind === kind)?.conditions[type];
    const merged = { ...rule, ...rule?.reasons?.[reason] };
    const isExplained = merged.by !== undefined || merged.level === 'wait';
    return !isExplained && !merged.next && !merged.run && !merged.advice;
  });
  expect(silent.map(({ kind, type, reason }) => `${kind}.${type} ${reason}`)).toEqual([]);
});
