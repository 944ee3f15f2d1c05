import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { ago, cluster, conditionsOf, config, host, machine, run, snapshot, tidy } from './machine.fixture.ts';

describe('a control plane machine', () => {
  const labels = { 'cluster.x-k8s.io/control-plane': '' };
  const certificates = { 'machine.cluster.x-k8s.io/certificates-expiry': ago(-8 * 24 * 3600) };
  const old = { creationTimestamp: ago(3600), labels, annotations: certificates };
  const wanting = (rollout: object): KubeObject[] => [
    { ...cluster(), spec: { controlPlaneRef: { kind: 'KubeadmControlPlane', name: 'c' } } },
    {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      metadata: { name: 'c', namespace: 'default', uid: 'kcp' },
      spec: { version: 'v1.35.0', machineTemplate: { spec: {} }, rollout },
    },
  ];
  it.each([
    { when: 'in four seconds', rollout: { after: ago(-4) }, metadata: old, upToDate: 'True', wait: 4 },
    { when: 'now', rollout: { after: ago(0) }, metadata: old, upToDate: 'False', wait: undefined },
    {
      when: 'before it was made',
      rollout: { after: ago(60) },
      metadata: { ...old, creationTimestamp: ago(30) },
      upToDate: 'True',
      wait: undefined,
    },
    { when: 'in two days', rollout: { after: ago(-48 * 3600) }, metadata: old, upToDate: 'True', wait: undefined },
    {
      when: 'in an hour, before its certificates end',
      rollout: { before: { certificatesExpiryDays: 8 } },
      metadata: {
        ...old,
        annotations: { 'machine.cluster.x-k8s.io/certificates-expiry': ago(-(8 * 24 + 1) * 3600) },
      },
      upToDate: 'True',
      wait: 3600,
    },
    {
      when: 'since its certificates are about to end',
      rollout: { before: { certificatesExpiryDays: 9 } },
      metadata: old,
      upToDate: 'False',
      wait: undefined,
    },
  ])('is requeued for the time of its replacement: $when', ({ rollout, metadata, upToDate, wait }) => {
    const one = machine({
      spec: { providerID: 'aws:///z/i-1', version: 'v1.35.0' },
      metadata,
      status: { certificatesExpiryDate: metadata.annotations['machine.cluster.x-k8s.io/certificates-expiry'] },
    });
    const plan = run(one, [...wanting(rollout), config, host, snapshot([tidy])]);
    expect([conditionsOf(plan).UpToDate?.[0], plan.requeueAfter]).toEqual([upToDate, wait]);
  });
});
