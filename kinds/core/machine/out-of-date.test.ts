import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { ago, cluster, conditionsOf, config, host, machine, run, snapshot, tidy } from './machine.fixture.ts';

describe('the expiry of certificates', () => {
  const name = 'machine.cluster.x-k8s.io/certificates-expiry';
  const [may, june, july] = ['05', '06', '07'].map((month) => `2027-${month}-01T00:00:00Z`);
  it.each<{ rule: string; own?: string; config?: string; before?: string; is?: string; warns?: string[] }>([
    { rule: 'is unknown without an annotation', before: may },
    { rule: 'is that of the bootstrap config', config: june, is: june },
    { rule: 'is that of the Machine first', own: july, config: june, is: july },
    { rule: 'has any offset of time', config: '2027-06-01T02:00:00.5+02:00', is: june },
    {
      rule: 'is that of the bootstrap config if that of the Machine is none',
      own: 'soon',
      config: june,
      is: june,
      warns: [`Annotation ${name} of Machine m is "soon", not a time in RFC 3339: ${june} counts instead`],
    },
    {
      rule: 'is the one known before if there is no other',
      config: '2027',
      before: may,
      is: may,
      warns: [`Annotation ${name} of KubeadmConfig m is "2027", not a time in RFC 3339: ${may} counts instead`],
    },
    {
      rule: 'is unknown if no annotation is one',
      own: '',
      config: '2027-02-30',
      warns: [
        `Annotation ${name} of Machine m is "", not a time in RFC 3339: no other date is known`,
        `Annotation ${name} of KubeadmConfig m is "2027-02-30", not a time in RFC 3339: no other date is known`,
      ],
    },
  ])('$rule', ({ own, config: noted, before, is, warns = [] }) => {
    const annotated = (text: string | undefined) => (text === undefined ? {} : { annotations: { [name]: text } });
    const one = machine({
      spec: { providerID: 'aws:///z/i-1' },
      metadata: { labels: { 'cluster.x-k8s.io/control-plane': '' }, ...annotated(own) },
      status: { nodeRef: { name: 'node-1' }, ...(before && { certificatesExpiryDate: before }) },
    });
    const of = { ...config, metadata: { ...config.metadata, ...annotated(noted) } };
    const plan = run(one, [cluster(), of, host, snapshot([tidy])]);
    expect(plan.status?.certificatesExpiryDate).toBe(is);
    const messages = warns.map((message) => ({ type: 'Warning', reason: 'InvalidCertificatesExpiry', message }));
    expect(plan.events).toEqual(messages);
  });
});

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
