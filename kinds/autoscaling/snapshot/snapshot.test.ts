import { describe, expect, it } from 'vitest';
import { trimTo } from '../../../adapters/workload/trim.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { only } from '../scaling-plan/observe.ts';
import { claimsOf } from './claims.ts';
import { conflictOf } from './conflict.ts';
import { podsOf, snapshotOf } from './index.ts';

const now = Date.parse('2026-11-27T12:00:00Z');
const object = (kind: string, name: string, more: object = {}, namespace = 'default'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace, creationTimestamp: '2026-11-27T11:00:00Z' },
    ...more,
  }) as KubeObject;
const found = (value: KubeObject) => ({ state: 'found', value }) as const;
const absent = { state: 'absent' } as const;

describe('cluster-autoscaler', () => {
  const lease = (renewTime: string) =>
    found(object('Lease', 'cluster-autoscaler', { spec: { renewTime, holderIdentity: 'ca-0' } }));
  const status = (time: string) => {
    const made = object('ConfigMap', 'cluster-autoscaler-status');
    return found({
      ...made,
      metadata: { ...made.metadata, annotations: { 'cluster-autoscaler.kubernetes.io/last-updated': time } },
    });
  };
  it.each([
    {
      rule: 'renewed its Lease',
      traces: { lease: lease('2026-11-27T11:59:30.000000Z'), status: absent },
      is: 'as ca-0',
    },
    {
      rule: 'wrote its status',
      traces: { lease: absent, status: status('2026-11-27 11:58:00.123456 +0000 UTC') },
      is: 'cluster-autoscaler-status',
    },
  ])('acts if it $rule a moment ago', ({ traces, is }) => expect(conflictOf(traces, now)).toContain(is));
  it.each([
    { rule: 'was never there', traces: { lease: absent, status: absent } },
    {
      rule: 'is gone',
      traces: { lease: lease('2026-11-27T11:58:00.000000Z'), status: status('2026-11-27 11:50:00.1 +0000 UTC') },
    },
  ])('does not act if it $rule', ({ traces }) => expect(conflictOf(traces, now)).toBeUndefined());
});

describe('pods', () => {
  const pod = (name: string, more: object = {}) =>
    object('Pod', name, { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }], ...more } });
  it('of one workload share a shape', () => {
    const [a, b, other] = podsOf([pod('a'), pod('b'), pod('c', { nodeSelector: { x: 'y' } })]);
    expect(a!.shape).toBe(b!.shape);
    expect(a!.shape).not.toBe(other!.shape);
  });
});

describe('a claim', () => {
  const using = podsOf([
    object('Pod', 'p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
  ]);
  const claim = (spec: object) => object('PersistentVolumeClaim', 'data', { spec });
  const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
  const volume = object('PersistentVolume', 'pv', {
    spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
  });
  const storageClass = (volumeBindingMode: string) =>
    object('StorageClass', 'gp3', {
      volumeBindingMode,
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    });
  it.each([
    {
      rule: 'runs where its volume is',
      given: { claims: [claim({ volumeName: 'pv' })], volumes: [volume], classes: [] },
      is: { topology: terms },
    },
    {
      rule: 'that binds later runs where its class allows volumes',
      given: {
        claims: [claim({ storageClassName: 'gp3' })],
        volumes: [],
        classes: [storageClass('WaitForFirstConsumer')],
      },
      is: { topology: terms },
    },
    {
      rule: 'that binds at once and has no volume runs nowhere',
      given: { claims: [claim({ storageClassName: 'gp3' })], volumes: [], classes: [storageClass('Immediate')] },
      is: { unbound: true },
    },
    {
      rule: 'that does not exist runs nowhere',
      given: { claims: [], volumes: [], classes: [] },
      is: { unbound: true, missing: true },
    },
    {
      rule: 'takes an attachment of the driver of its volume',
      given: {
        claims: [claim({ volumeName: 'pv' })],
        volumes: [object('PersistentVolume', 'pv', { spec: { csi: { driver: 'ebs.csi.aws.com' } } })],
        classes: [],
      },
      is: { driver: 'ebs.csi.aws.com' },
    },
    {
      rule: 'that binds later takes one of the driver of its class',
      given: {
        claims: [claim({ storageClassName: 'gp3' })],
        volumes: [],
        classes: [
          object('StorageClass', 'gp3', { volumeBindingMode: 'WaitForFirstConsumer', provisioner: 'ebs.csi.aws.com' }),
        ],
      },
      is: { driver: 'ebs.csi.aws.com' },
    },
    {
      rule: 'may be for one pod only',
      given: { claims: [claim({ volumeName: 'pv', accessModes: ['ReadWriteOncePod'] })], volumes: [], classes: [] },
      is: { exclusive: true },
    },
  ])('$rule', ({ given, is }) => expect(claimsOf(using, given)).toEqual({ 'default/data': is }));
});

it('the driver of a claim is among the fields that are read', () => {
  const storageClass = object('StorageClass', 'gp3', {
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    parameters: { type: 'gp3' },
  });
  const claim = object('PersistentVolumeClaim', 'data', { spec: { storageClassName: 'gp3' } });
  const pods = podsOf([
    object('Pod', 'p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
  ]);
  const classes = [trimTo(only)(storageClass)];
  expect(classes[0]).not.toHaveProperty('parameters');
  expect(claimsOf(pods, { claims: [claim], volumes: [], classes })).toEqual({
    'default/data': { driver: 'ebs.csi.aws.com' },
  });
});

it('a node attaches as many volumes as its CSI drivers report', () => {
  const drivers = [{ name: 'ebs.csi.aws.com', allocatable: { count: 25 } }, { name: 'efs.csi.aws.com' }];
  const objects = {
    nodes: [object('Node', 'a'), object('Node', 'b')],
    csiNodes: [object('CSINode', 'a', { spec: { drivers } }), object('CSINode', 'gone', { spec: { drivers } })],
  };
  const none = { pods: [], daemonSets: [], budgets: [], namespaces: [], claims: [], volumes: [], classes: [] };
  const { nodes } = snapshotOf({ ...none, ...objects }, [], undefined);
  expect(nodes.map(({ allocatable }) => allocatable)).toEqual([{ 'attachable-volumes-csi-ebs.csi.aws.com': 25 }, {}]);
});

it('the snapshot has DaemonSets by their template, budgets and namespaces', () => {
  const daemons = object('DaemonSet', 'agent', {
    spec: {
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'c', resources: { requests: { memory: '1Ki' } } }] },
      },
    },
  });
  const budget = object('PodDisruptionBudget', 'b', {
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: 2 },
  });
  const namespace = { ...object('Namespace', 'default'), metadata: { name: 'default', labels: { team: 'a' } } };
  const snapshot = snapshotOf(
    {
      nodes: [],
      pods: [],
      daemonSets: [daemons],
      budgets: [budget],
      namespaces: [namespace],
      claims: [],
      volumes: [],
      classes: [],
      csiNodes: [],
    },
    [],
    undefined,
  );
  expect(snapshot).toEqual({
    nodes: [],
    pods: [],
    daemonSets: [
      { namespace: 'default', name: 'agent', shape: { labels: { app: 'agent' }, requests: { memory: 1024 } } },
    ],
    budgets: [{ namespace: 'default', name: 'b', selector: { matchLabels: { app: 'web' } }, disruptionsAllowed: 2 }],
    claims: {},
    namespaces: { default: { team: 'a' } },
  });
});
