import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOfCluster, graphOf } from '../../common/causes/index.ts';
import { clusterCauses } from './causes.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const causeOf = (condition: { type: string; status: string; reason: string; message: string }, deletes = false) => {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const cluster: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'c',
      ...(deletes && { deletionTimestamp: lastTransitionTime }),
    },
    spec: {},
    status: { conditions: [{ ...condition, lastTransitionTime }] },
  };
  const [first] = causesOfCluster(graphOf({ objects: [cluster], rules: [clusterCauses], now }));
  return { advice: first?.advice, commands: first?.commands };
};

describe('a topology that cannot be followed', () => {
  const failed = (message: string) =>
    causeOf({ type: 'TopologyReconciled', status: 'False', reason: 'ReconcileFailed', message });

  it.each([
    'handler beforeclusterupgrade.platform of hook BeforeClusterUpgrade: connect ECONNREFUSED',
    'patch "company": handler generatepatches.platform of hook GeneratePatches: it answered Failure: no',
  ])('by a hook has the advice about its extension: %s', (message) =>
    expect(failed(message)).toEqual({
      advice: 'Make extension platform answer Success; to go on without it, delete its ExtensionConfig',
      commands: ['kubectl get extensionconfig platform -o yaml'],
    }));
  it('by its values has the advice about them', () =>
    expect(failed('KubeadmConfigTemplate a does not exist')).toEqual({
      advice: 'Change spec.topology, its ClusterClass or the templates of the class',
      commands: [],
    }));
});

it('a deletion that waits for a hook names what goes on without it', () => {
  const message = 'Waiting for the answer of hook BeforeClusterDelete';
  const waiting = { type: 'Deleting', status: 'True', reason: 'WaitingForBeforeDeleteHook', message };
  expect(causeOf(waiting, true).commands).toEqual([
    'kubectl annotate cluster c -n default runtime.cluster.x-k8s.io/ok-to-delete=',
  ]);
});

describe('a summary of Machines', () => {
  const apiVersion = 'cluster.x-k8s.io/v1beta2';
  const machine = { apiVersion, kind: 'Machine', metadata: { name: 'here', namespace: 'default' }, spec: {} };
  const messageFor = (message: string) => {
    const ready = { type: 'WorkerMachinesReady', status: 'False', reason: 'NotReady', message };
    const metadata = { name: 'c', namespace: 'default' };
    const cluster = { apiVersion, kind: 'Cluster', metadata, spec: {}, status: { conditions: [ready] } };
    return causesOfCluster(graphOf({ objects: [cluster, machine], rules: [clusterCauses], now }))[0]?.message;
  };
  const gone = '* Machine gone:\n  * Deleting: in progress';

  it.each([
    { rule: 'says nothing of one that is gone', message: gone, says: undefined },
    {
      rule: 'says what is of one that exists',
      message: `${gone}\n* Machine here: Waiting for a Node`,
      says: 'Machine here: Waiting for a Node',
    },
    {
      rule: 'names more than it lists',
      message: '* Machines a, b, c, ... (2 more): Waiting for a Node',
      says: 'Machines a, b, c, ... (2 more): Waiting for a Node',
    },
  ])('$rule', ({ message, says }) => expect(messageFor(message)).toBe(says));
});
