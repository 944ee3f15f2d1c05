import { expect, it } from 'vitest';
import type { Condition } from '../../../machinery/api/object.ts';
import { judgeCertificates } from './certificates.ts';
import { judgementOf } from './index.ts';
import { factsOf } from './preflight.fixture.ts';

const faults = ['Secret default/demo-ca lacks tls.key: add it', 'Secret default/demo-sa: tls.key is not the key'];

it.each<{ rule: string; reports: Partial<Condition>[]; judged: object }>([
  {
    rule: 'waits until the control plane has reported on its certificates',
    reports: [],
    judged: {
      verdict: 'pending',
      message: 'Waiting for KubeadmControlPlane default/demo-cp to report on its certificates',
    },
  },
  {
    rule: 'passes certificates that are still to be generated',
    reports: [{ status: 'False', reason: 'NotAvailable', message: 'Waiting for Cluster infrastructure to be ready' }],
    judged: { verdict: 'passed', message: '' },
  },
  { rule: 'passes usable ones', reports: [{ status: 'True', reason: 'Available' }], judged: { verdict: 'passed' } },
  {
    rule: 'refuses unusable ones, each by a finding of its own',
    reports: [{ status: 'False', reason: 'Unusable', message: faults.join('; ') }],
    judged: { verdict: 'refused', findings: faults.map((message) => ({ message })) },
  },
])('$rule', ({ reports, judged }) => {
  const conditions = reports.map((one) => ({ type: 'CertificatesAvailable', ...one }));
  const facts = factsOf({ changed: { controlPlane: { status: { conditions } } } });
  expect(judgementOf(judgeCertificates(facts))).toMatchObject(judged);
});
