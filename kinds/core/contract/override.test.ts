import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Preflight } from './infrastructure.ts';
import { howToOverride, overriddenFor, overrideAudited, overrideFault, withOverrides } from './override.ts';

const name = 'capstan.dev/override-findings';
const cluster = (value?: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'default', ...(value !== undefined && { annotations: { [name]: value } }) },
});
const preflight = (codes: string[], waitsFor?: string): Preflight => ({
  verdict: 'refused',
  message: codes.join('; '),
  findings: codes.map((code) => ({ code, message: `about ${code}` })),
  ...(waitsFor && { waitsFor }),
});

describe('an override', () => {
  it.each([
    { rule: 'names one operation and its codes', value: 'demo-upgrade-2:FlagRemoved,QuotaExceeded', is: undefined },
    { rule: 'names no guard of etcd', value: 'demo-upgrade-2:FlagRemoved,EtcdAlarm', is: /^EtcdAlarm guards/ },
    {
      rule: 'names no guard of authorities',
      value: 'demo-create-2:CertificateRefused',
      is: /^CertificateRefused guards/,
    },
    { rule: 'names no guard of versions', value: 'demo-upgrade-2:MinorSkipped', is: /^MinorSkipped guards/ },
    { rule: 'names an operation', value: 'FlagRemoved', is: /^must be the name of one operation/ },
    { rule: 'names codes', value: 'demo-upgrade-2:', is: /^must be the name of one operation/ },
  ])('$rule', ({ value, is }) => {
    const fault = overrideFault(value);
    if (is) expect(fault).toMatch(is);
    else expect(fault).toBeUndefined();
  });

  it('holds for the operation of that name only, and for no guard that an earlier version admitted', () => {
    const one = cluster('demo-upgrade-2:FlagRemoved,EtcdAlarm');
    expect(overriddenFor(one, 'demo-upgrade-2')).toEqual(['FlagRemoved']);
    expect(overriddenFor(one, 'demo-upgrade-3')).toEqual([]);
    expect(overriddenFor(cluster(), 'demo-upgrade-2')).toEqual([]);
  });

  it.each([
    {
      rule: 'all refusals',
      findings: preflight(['A']),
      left: { verdict: 'passed', message: '' },
      over: ['A: about A'],
    },
    {
      rule: 'what is unknown',
      findings: preflight(['A'], 'b'),
      left: { verdict: 'pending', message: 'b' },
      over: ['A: about A'],
    },
    {
      rule: 'some',
      findings: preflight(['A', 'B']),
      left: { verdict: 'refused', message: 'about B', findings: [{ code: 'B', message: 'about B' }] },
      over: ['A: about A'],
    },
    { rule: 'none', findings: preflight(['B']), left: preflight(['B']), over: [] },
  ])('leaves the rest of a preflight: $rule', ({ findings, left, over }) =>
    expect(withOverrides(findings, ['A'])).toEqual({ preflight: left, overridden: over }));

  it('is offered for findings that are no guards', () => {
    expect(howToOverride(cluster(), ['FlagRemoved', 'FlagRemoved'])).toBe(
      'To go on in spite of them, once, run: capstan retry cluster demo -n default --override FlagRemoved',
    );
    expect(howToOverride(cluster(), ['FlagRemoved', 'EtcdAlarm'])).toBeUndefined();
  });

  it('is named in the audit log when it is set or changed', () => {
    const write = (old?: KubeObject): Admission => ({
      operation: old ? 'update' : 'create',
      user: { username: 'u', groups: [] },
      dryRun: false,
      ...(old && { old }),
    });
    const one = cluster('demo-upgrade-2:FlagRemoved');
    expect(overrideAudited(one, write(cluster()))).toEqual({ [name]: 'demo-upgrade-2:FlagRemoved' });
    expect(overrideAudited(one, write())).toEqual({ [name]: 'demo-upgrade-2:FlagRemoved' });
    expect(overrideAudited(one, write(one))).toEqual({});
    expect(overrideAudited(cluster(), write(one))).toEqual({});
  });
});
