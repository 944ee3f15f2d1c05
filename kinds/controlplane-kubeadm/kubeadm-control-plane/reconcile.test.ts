import { describe, expect, it } from 'vitest';
import { found } from '../../../machinery/api/reconcile.ts';
import {
  a,
  ago,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  now,
  old,
  specOf,
  three,
} from './control-plane.fixture.ts';
import { annotations } from './names.ts';
import { reconcile } from './reconcile.ts';
import { patched, settled } from './settled.fixture.ts';

describe('a settled control plane', () => {
  it('only requeues after a while', () => {
    const plan = reconcile({ controlPlane: settled(controlPlaneOf({ machines: three })) }, context());
    expect(plan).toMatchObject({ requeueAfter: 24 * 60 * 60 });
    expect(plan.actions).toEqual([]);
    expect(plan.intent).toBeUndefined();
  });

  it('keeps its dates while it waits for health', () => {
    const { rollout } = specOf({ replicas: 3 });
    const after = new Date(now + 40_000).toISOString();
    const ill = controlPlaneOf({ machines: [a, { ...b, node: false }], spec: { rollout: { ...rollout, after } } });
    const plan = reconcile({ controlPlane: settled(ill) }, context());
    expect(plan).toMatchObject({ requeueAfter: 40, events: [{ reason: 'ControlPlaneUnhealthy' }] });
  });

  it('requeues after minutes while a Machine is unhealthy, because its recovery is an event', () => {
    const ill = settled(controlPlaneOf({ machines: [a, b, { ...c, healthy: false }] }));
    expect(reconcile({ controlPlane: ill }, context())).toMatchObject({ requeueAfter: 300 });
  });

  describe('with a machine whose remediation is deferred', () => {
    const tried = {
      [annotations.remediationFor]: JSON.stringify({ machine: 'x', timestamp: ago(1), retryCount: 3 }),
    };
    const { rollout } = specOf({ replicas: 3 });
    const summaryOf = (state: ControlPlaneState) => {
      const before = settled(controlPlaneOf(state));
      return patched(before, reconcile({ controlPlane: before }, context()));
    };
    it.each([
      { remediation: { retryPeriodSeconds: 100 }, after: 40 },
      { remediation: { maxRetry: 3 }, after: 3540 },
      { remediation: { maxRetry: 3, minHealthyPeriodSeconds: 600 }, after: 540 },
      { remediation: { retryPeriodSeconds: 100, minHealthyPeriodSeconds: 80 }, after: 20 },
    ])('requeues for $remediation', ({ remediation, after }) => {
      const state = { machines: [a, b, { ...c, unhealthy: true, annotations: tried }], spec: { remediation } };
      expect(reconcile({ controlPlane: summaryOf(state) }, context())).toMatchObject({ requeueAfter: after });
    });
    it.each([{ retryPeriodSeconds: 3600 }, { maxRetry: 3 }])('continues to roll out: %o', (remediation) => {
      const strategy = { ...rollout!.strategy!, rollingUpdate: { maxSurge: 0 } };
      const ill = { ...old(c), node: false, unhealthy: true, annotations: tried };
      const spec = { remediation, rollout: { ...rollout, strategy } };
      const plan = reconcile({ controlPlane: summaryOf({ machines: [old(a), old(b), ill], spec }) }, context());
      expect(plan.actions).toMatchObject([{ do: 'delete', name: 'c' }]);
    });
  });

  it('updates labels, readiness gates and timeouts in place', () => {
    const spec = specOf({ replicas: 3 });
    const { machineTemplate } = spec;
    const metadata = { labels: { tier: 'one' }, annotations: { note: 'n' } };
    const before = settled(
      controlPlaneOf({ machines: [a], replicas: 1, spec: { machineTemplate: { ...machineTemplate, metadata } } }),
    );
    expect(before.members[0]!.machine.metadata.labels).toMatchObject({ tier: 'one' });
    expect(before.members[0]!.infraMachine!.metadata.labels).toMatchObject({ tier: 'one' });
    const changed = { ...machineTemplate, spec: { ...machineTemplate.spec, deletion: { nodeDrainTimeoutSeconds: 5 } } };
    const kcp = { ...before.kcp, spec: { ...before.kcp.spec!, machineTemplate: changed } };
    const plan = reconcile({ controlPlane: { ...before, kcp } }, context());
    const after = patched({ ...before, kcp }, plan).members[0]!.machine;
    expect(after.metadata.labels).not.toHaveProperty('tier');
    expect(after.metadata.annotations).not.toHaveProperty('note');
    expect(after.spec!.deletion).toEqual({ nodeDeletionTimeoutSeconds: 10, nodeDrainTimeoutSeconds: 5 });
  });

  it('updates a machine in deletion only where its end depends on it', () => {
    const before = settled(controlPlaneOf({ machines: three }));
    before.members[0]!.machine.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const { machineTemplate } = before.kcp.spec!;
    const changed = {
      metadata: { labels: { tier: 'one' } },
      spec: {
        ...machineTemplate.spec,
        deletion: { nodeDrainTimeoutSeconds: 5 },
        taints: [{ key: 'mine', effect: 'NoSchedule' as const, propagation: 'Always' as const }],
        readinessGates: [{ conditionType: 'Mine' }],
      },
    };
    const kcp = { ...before.kcp, spec: { ...before.kcp.spec!, machineTemplate: changed } };
    const plan = reconcile({ controlPlane: { ...before, kcp } }, context());
    const [going, staying] = patched({ ...before, kcp }, plan).members.map(({ machine }) => machine);
    expect(staying!.metadata.labels).toMatchObject({ tier: 'one' });
    expect(going!.spec).toMatchObject({ deletion: { nodeDrainTimeoutSeconds: 5 }, taints: changed.spec.taints });
    expect(going!.spec!.readinessGates).toEqual(before.members[0]!.machine.spec!.readinessGates);
    expect(going!.metadata.labels).not.toHaveProperty('tier');
  });

  it('restores the pre-terminate hook of a machine, except in deletion', () => {
    const before = settled(controlPlaneOf({ machines: three }));
    const [first, second] = before.members.map(({ machine }) => machine);
    delete first!.metadata.annotations![annotations.cleanupHook];
    delete second!.metadata.annotations![annotations.cleanupHook];
    second!.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const plan = reconcile({ controlPlane: before }, context());
    const after = patched(before, plan).members.map(({ machine }) => machine.metadata.annotations!);
    expect(after[0]).toHaveProperty([annotations.cleanupHook]);
    expect(after[1]).not.toHaveProperty([annotations.cleanupHook]);
  });

  it('counts machines and sets conditions', () => {
    const controlPlane = controlPlaneOf({ machines: [a, old(b), { ...c, healthy: false }] });
    const { status } = reconcile({ controlPlane }, context());
    expect(status).toMatchObject({ replicas: 3, upToDateReplicas: 2, version: 'v1.34.0' });
    const conditions = status!.conditions ?? [];
    expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toMatchObject({
      Available: 'True',
      CertificatesAvailable: 'True',
      EtcdClusterHealthy: 'Unknown',
      ControlPlaneComponentsHealthy: 'False',
      RollingOut: 'True',
      ScalingUp: 'False',
      Deleting: 'False',
    });
  });

  it.each<ControlPlaneState & { rule: string; expected: string }>([
    {
      rule: 'is available while a minority is unhealthy',
      machines: [a, b, { ...c, healthy: false }],
      expected: 'True',
    },
    {
      rule: 'is not available without a quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      expected: 'False',
    },
    { rule: 'is available with fewer machines than desired', machines: [a], expected: 'True' },
    {
      rule: 'is not available before initialisation',
      machines: [{ name: 'a', node: false }],
      initialized: false,
      expected: 'False',
    },
    { rule: 'is not available without its certificates', machines: three, missing: ['ca'], expected: 'False' },
    {
      rule: 'is not available with a damaged authority',
      machines: three,
      faults: { ca: 'tls.crt is not a certificate in PEM' },
      expected: 'False',
    },
  ])('$rule', ({ expected, ...state }) => {
    const { status } = reconcile({ controlPlane: controlPlaneOf(state) }, context());
    const conditions = status!.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Available')?.status).toBe(expected);
  });

  it('names the Secrets that are missing and what is wrong with the others', () => {
    const controlPlane = controlPlaneOf({
      machines: three,
      missing: ['sa', 'proxy'],
      faults: { etcd: 'tls.key is not the key of tls.crt' },
    });
    const { status, events } = reconcile({ controlPlane }, context());
    const available = status!.conditions?.find(({ type }) => type === 'CertificatesAvailable');
    const message =
      'Secret c-etcd: tls.key is not the key of tls.crt. Secret c-proxy does not exist with tls.crt and tls.key. Secret c-sa does not exist with tls.crt and tls.key';
    expect(events).toEqual([{ type: 'Warning', reason: 'CertificatesNotAvailable', message }]);
    expect(available).toMatchObject({ status: 'False', message: expect.stringContaining(message) });
  });

  it.each([
    { rule: 'absent', damage: { missing: ['sa' as const] }, isNamed: true },
    { rule: 'damaged', damage: { faults: { etcd: 'why' } }, isNamed: false },
    {
      rule: 'absent before a snapshot could be taken',
      damage: { missing: ['sa' as const], initialized: false },
      isNamed: false,
    },
  ])('names the command that takes a Secret from a snapshot when one is $rule: $isNamed', ({ damage, isNamed }) => {
    const { status } = reconcile({ controlPlane: controlPlaneOf({ machines: three, ...damage }) }, context());
    const available = status!.conditions?.find(({ type }) => type === 'CertificatesAvailable');
    expect(available?.status).toBe('False');
    expect(
      available?.message?.includes('kubectl annotate esnap NAME -n default --overwrite capstan.dev/restore-keys='),
    ).toBe(isNamed);
  });

  it('reports unsupported settings and takes no action', () => {
    const external = { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['https://d'] };
    const spec = { kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } };
    const plan = reconcile({ controlPlane: controlPlaneOf({ machines: [], initialized: false, spec }) }, context());
    expect(plan.actions).toBeUndefined();
    const conditions = plan.status!.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Available')?.message).toMatch(
      /External etcd .*: accepted and stored, but not acted on/,
    );
  });
});

describe('a failure', () => {
  const lastFailure = {
    port: 'objects',
    operation: 'create AWSMachine',
    code: 'Invalid',
    message: 'no such type',
    at: now,
  };
  it.each([
    { rule: 'to initialise is reported as FailedInitialization', initialized: false, reason: 'FailedInitialization' },
    { rule: 'to add a machine is reported as FailedScaleUp', initialized: true, reason: 'FailedScaleUp' },
  ])('$rule', ({ initialized, reason }) => {
    const controlPlane = controlPlaneOf({ machines: initialized ? [a] : [], initialized });
    const { events, status } = reconcile({ controlPlane }, context({ lastFailure }));
    expect(events).toContainEqual({ type: 'Warning', reason, message: 'create AWSMachine: no such type' });
    const conditions = status!.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'ScalingUp')?.message).toContain('* create AWSMachine: no such type');
  });
  it('of an earlier pass is not reported again', () => {
    const earlier = { ...lastFailure, at: now - 1 };
    expect(
      reconcile({ controlPlane: controlPlaneOf({ machines: [] }) }, context({ lastFailure: earlier })).events ?? [],
    ).toEqual([]);
  });
});

describe('a Secret of the cluster with another controller', () => {
  it('changes its controller to the control plane and keeps its other owners', () => {
    const controlPlane = settled(controlPlaneOf({ machines: three }));
    const ca = found(controlPlane.certificates.secrets.ca)!;
    const other = { apiVersion: 'example.com/v1', kind: 'Sealed', name: 'ca', uid: 'sealed' };
    const set = { ...other, kind: 'Set', uid: 'set' };
    const owners = [{ ...other, controller: true }, set];
    const secrets = {
      ...controlPlane.certificates.secrets,
      ca: { state: 'found', value: { ...ca, metadata: { ...ca.metadata, ownerReferences: owners } } } as const,
    };
    const plan = reconcile(
      { controlPlane: { ...controlPlane, certificates: { secrets, generated: {}, faults: {} } } },
      context(),
    );
    const own = expect.objectContaining({ kind: 'KubeadmControlPlane', controller: true });
    expect(plan.actions).toMatchObject([
      { do: 'patch', kind: 'Secret', patch: { metadata: { ownerReferences: [set, own] } } },
    ]);
  });
});

describe('a leftover Secret', () => {
  it('of a former control plane of the same name is awaited until it is garbage collected', () => {
    const controlPlane = settled(controlPlaneOf({ machines: [], initialized: false }));
    const ca = found(controlPlane.certificates.secrets.ca)!;
    const owners = [{ ...ca.metadata.ownerReferences![0]!, uid: 'another' }];
    const secrets = {
      ...controlPlane.certificates.secrets,
      ca: { state: 'found', value: { ...ca, metadata: { ...ca.metadata, ownerReferences: owners } } } as const,
    };
    const plan = reconcile(
      { controlPlane: { ...controlPlane, certificates: { secrets, generated: {}, faults: {} } } },
      context(),
    );
    expect(plan.actions).toEqual([]);
    expect(plan.requeueAfter).toBe(5);
  });
});
