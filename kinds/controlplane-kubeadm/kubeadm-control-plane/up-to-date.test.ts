import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { a, ago, controlPlaneOf, now, specOf } from './control-plane.fixture.ts';
import type { KubeadmControlPlane } from './index.ts';
import { type MachineFacts, outOfDateReasons, outOfDateTimes } from './up-to-date.ts';

const day = 24 * 60 * 60 * 1000;
const { kcp, members } = controlPlaneOf({ machines: [{ ...a, age: 60 }] });
const [member] = members;
const { rollout } = specOf();
const wanting = (spec: object): KubeadmControlPlane => ({ ...kcp, spec: { ...kcp.spec!, ...spec } });
const later = (ms: number) => new Date(now + ms).toISOString();
const expiring = (at: string) => ({
  ...member!.machine,
  status: { ...member!.machine.status, certificatesExpiryDate: at },
});
const facts = (more: Partial<MachineFacts> = {}): MachineFacts => ({
  machine: member!.machine,
  controlPlane: kcp,
  infraMachine: member!.infraMachine,
  bootstrapConfig: member!.config,
  now,
  ...more,
});
const host = (annotations: Record<string, string> | undefined): KubeObject => {
  const { metadata, ...infraMachine } = member!.infraMachine!;
  return { ...infraMachine, metadata: { ...metadata, annotations: annotations as never } };
};
const origin = (name: string, groupKind: string) => ({
  'cluster.x-k8s.io/cloned-from-name': name,
  'cluster.x-k8s.io/cloned-from-groupkind': groupKind,
});
const kind = 'AWSMachineTemplate.infrastructure.cluster.x-k8s.io';
const renewedBefore = (days: number) => wanting({ rollout: { ...rollout, before: { certificatesExpiryDays: days } } });
const rolledAfter = (date: string) => wanting({ rollout: { ...rollout, after: date } });

describe('a control plane machine is out of date', () => {
  it.each<{ rule: string; of: Partial<MachineFacts>; is: RegExp[] }>([
    { rule: 'not when it matches the spec', of: {}, is: [] },
    { rule: 'not when the spec is empty', of: { controlPlane: { ...kcp, spec: undefined as never } }, is: [] },
    {
      rule: 'because of its version',
      of: { controlPlane: wanting({ version: 'v1.36.0' }), bootstrapConfig: undefined },
      is: [/^Version v1.35.0, v1.36.0 required$/],
    },
    {
      rule: 'not without a known version',
      of: { machine: { ...member!.machine, spec: { ...member!.machine.spec!, version: undefined as never } } },
      is: [],
    },
    {
      rule: 'because of its bootstrap config',
      of: { controlPlane: wanting({ kubeadmConfigSpec: { ntp: { enabled: true } } }) },
      is: [/^KubeadmConfig is not up-to-date$/],
    },
    {
      rule: 'not if its bootstrap config is unknown',
      of: { controlPlane: wanting({ kubeadmConfigSpec: { ntp: { enabled: true } } }), bootstrapConfig: undefined },
      is: [],
    },
    {
      rule: 'because of the name of its template',
      of: { infraMachine: host(origin('other', kind)) },
      is: [/^AWSMachine is not up-to-date$/],
    },
    {
      rule: 'because of the kind of its template',
      of: { infraMachine: host(origin('template', 'Other.example.com')) },
      is: [/AWSMachine/],
    },
    { rule: 'not where its template is not recorded', of: { infraMachine: host(undefined) }, is: [] },
    {
      rule: 'not where its template is partly recorded',
      of: { infraMachine: host({ 'cluster.x-k8s.io/cloned-from-name': 'other' }) },
      is: [],
    },
    {
      rule: 'whichever part of the template differs',
      of: { infraMachine: host({ 'cluster.x-k8s.io/cloned-from-groupkind': 'Other' }) },
      is: [],
    },
    { rule: 'not where its host is gone', of: { infraMachine: undefined }, is: [] },
    {
      rule: 'when its certificates expire soon',
      of: { controlPlane: renewedBefore(7), machine: expiring(later(7 * day)) },
      is: [/^Certificates will expire soon/],
    },
    {
      rule: 'not before they expire soon',
      of: { controlPlane: renewedBefore(7), machine: expiring(later(7 * day + 1000)) },
      is: [],
    },
    { rule: 'not without rolloutBefore', of: { machine: expiring(later(0)) }, is: [] },
    { rule: 'not while their expiry is unknown', of: { controlPlane: renewedBefore(7) }, is: [] },
    {
      rule: 'when it is older than rollout.after',
      of: { controlPlane: rolledAfter(ago(1)) },
      is: [/rolloutAfter expired$/],
    },
    { rule: 'not when it is newer', of: { controlPlane: rolledAfter(ago(61)) }, is: [] },
    { rule: 'not when it is equally old', of: { controlPlane: rolledAfter(ago(60)) }, is: [] },
    { rule: 'not before rollout.after', of: { controlPlane: rolledAfter(later(1000)) }, is: [] },
  ])('$rule', ({ of, is }) => {
    const reasons = outOfDateReasons(facts(of));
    expect(reasons).toHaveLength(is.length);
    for (const [index, pattern] of is.entries()) expect(reasons[index]).toMatch(pattern);
  });

  it('is re-evaluated at known times', () => {
    const both = wanting({ rollout: { ...rollout, after: later(day), before: { certificatesExpiryDays: 7 } } });
    const machine = expiring(later(10 * day));
    expect(outOfDateTimes({ machine, controlPlane: both })).toEqual([now + 3 * day, now + day]);
    expect(outOfDateTimes({ machine, controlPlane: kcp })).toEqual([]);
  });
});
