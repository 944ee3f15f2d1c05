import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { checkUnserved } from '../upgrade-check/checks/unserved.ts';
import { type GuardFacts, guardFailures } from './guards.ts';

const day = 86_400_000;
const holding: GuardFacts = {
  controlPlane: 'KubeadmControlPlane cp',
  from: parseVersion('v1.35.2'),
  to: parseVersion('v1.36.0'),
  began: 0,
  now: 7 * day,
  followsTargets: true,
  isOwn: true,
  oldMachines: 1,
  etcd: { before: '3.6.6', after: '3.6.8-0' },
  workers: [
    { object: 'Machine w1', version: 'v1.35.4' },
    { object: 'Machine w2', version: 'v1.33.0' },
  ],
  inCluster: [],
};

const failuresOf = (facts: Partial<GuardFacts>) => guardFailures({ ...holding, ...facts });

describe('the guards of a rollback', () => {
  it.each<{ rule: string; facts: Partial<GuardFacts> }>([
    { rule: 'one minor version, within 7 days', facts: {} },
    { rule: 'a patch version', facts: { to: parseVersion('v1.35.9') } },
    { rule: 'an external etcd', facts: { etcd: undefined } },
    { rule: 'no workers', facts: { workers: [] } },
  ])('hold for $rule', ({ facts }) => expect(failuresOf(facts)).toEqual([]));

  it.each<{ rule: string; facts: Partial<GuardFacts>; fails: string[]; object?: string }>([
    { rule: 'two minors', facts: { to: parseVersion('v1.37.0') }, fails: ['RollbackSkipsMinor'] },
    { rule: 'a major', facts: { to: parseVersion('v2.35.0') }, fails: ['RollbackSkipsMinor'] },
    { rule: 'an unknown old version', facts: { from: undefined }, fails: ['RollbackVersionUnknown'] },
    { rule: 'an unknown new version', facts: { to: undefined }, fails: ['RollbackVersionUnknown'] },
    { rule: 'a foreign control plane', facts: { followsTargets: false }, fails: ['RollbackByProvider'] },
    { rule: 'more than 7 days', facts: { now: 7 * day + 1 }, fails: ['RollbackTooLate'] },
    { rule: 'new Machines of an earlier operation', facts: { isOwn: false }, fails: ['RollbackOfAnother'] },
    { rule: 'a control plane without an old Machine', facts: { oldMachines: 0 }, fails: ['NoOldMachine'] },
    {
      rule: 'another minor of etcd',
      facts: { etcd: { before: '3.5.26', after: '3.6.6-0' } },
      fails: ['RollbackChangesEtcd'],
    },
    {
      rule: 'an etcd of which the version before is unknown',
      facts: { etcd: { before: undefined, after: '3.6.6-0' } },
      fails: ['RollbackEtcdUnknown'],
    },
    {
      rule: 'an etcd of which the version after is unknown',
      facts: { etcd: { before: '3.6.6', after: 'latest' } },
      fails: ['RollbackEtcdUnknown'],
    },
    {
      rule: 'a kubelet of the new minor',
      facts: { workers: [...holding.workers, { object: 'Machine w3', version: 'v1.36.0' }] },
      fails: ['RollbackKubeletTooNew'],
      object: 'Machine w3',
    },
    {
      rule: 'a kubelet of an unknown version',
      facts: { workers: [{ object: 'Node n', version: undefined }] },
      fails: ['RollbackKubeletUnknown'],
      object: 'Node n',
    },
    {
      rule: 'objects that only the new API server serves',
      facts: {
        inCluster: checkUnserved('', [{ apiVersion: 'batch/v3', kind: 'JobSet', count: 2, example: 'default/a' }]),
      },
      fails: ['RollbackLosesObjects'],
      object: 'JobSet default/a',
    },
    {
      rule: 'objects that could not be read',
      facts: { inCluster: undefined },
      fails: ['RollbackObjectsUnknown'],
    },
  ])('refuse $rule', ({ facts, fails, object = 'KubeadmControlPlane cp' }) => {
    const failures = failuresOf(facts);
    expect(failures.map(({ code }) => code)).toEqual(fails);
    expect(failures.every((failure) => failure.object === object && failure.remedy !== '')).toBe(true);
  });

  it('name every guard that fails', () => {
    const facts = { isOwn: false, oldMachines: 0, now: 9 * day };
    expect(failuresOf(facts).map(({ code }) => code)).toEqual(['RollbackTooLate', 'RollbackOfAnother', 'NoOldMachine']);
  });
});
