import { describe, expect, it } from 'vitest';
import { evidence } from '../../infrastructure-aws/engine/tags.ts';
import type { EksAddon } from '../../ports/cloud/index.ts';
import { addonsCondition, notedAddons, type ObservedAddon, planAddons } from './add-ons.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'mine', additionalTags: {} };
const where = { region: 'eu-central-1', clusterName: 'mine', owner };
const addon = (change: Partial<EksAddon> = {}): EksAddon => ({
  addonName: 'coredns',
  addonArn: 'arn',
  addonVersion: 'v1',
  status: 'ACTIVE',
  createdAt: '',
  modifiedAt: '',
  health: { issues: [] },
  tags: evidence(owner),
  ...change,
});
const observed = (has: Partial<EksAddon> | undefined, change: Partial<ObservedAddon> = {}): ObservedAddon => ({
  name: 'coredns',
  wanted: { name: 'coredns', version: 'v1' },
  preserve: false,
  addon: has ? { state: 'found', value: addon(has) } : { state: 'absent' },
  ...change,
});
const calls = (one: ObservedAddon) =>
  planAddons(where, [one]).actions.map((action) => {
    const { operation, input } = action as unknown as { operation: string; input: { input: { preserve?: boolean } } };
    return `${operation}${input.input.preserve ? ' and keep its objects' : ''}`;
  });

describe('an add-on', () => {
  it.each<{ rule: string; one: ObservedAddon; does: string[] }>([
    { rule: 'is made', one: observed(undefined), does: ['CreateAddon'] },
    { rule: 'is left where it is as the spec says', one: observed({}), does: [] },
    { rule: 'is changed', one: observed({ addonVersion: 'v0' }), does: ['UpdateAddon'] },
    { rule: 'gets settings', one: observed({ configurationValues: '{}' }), does: ['UpdateAddon'] },
    {
      rule: 'is mended where EKS failed',
      one: observed({ addonVersion: 'v0', status: 'CREATE_FAILED' }),
      does: ['UpdateAddon'],
    },
    { rule: 'waits for EKS', one: observed({ addonVersion: 'v0', status: 'UPDATING' }), does: [] },
    { rule: 'is removed', one: observed({}, { wanted: undefined }), does: ['DeleteAddon'] },
    {
      rule: 'is removed without its objects',
      one: observed({}, { wanted: undefined, preserve: true }),
      does: ['DeleteAddon and keep its objects'],
    },
    { rule: 'of another stays', one: observed({ tags: {} }, { wanted: undefined }), does: [] },
    { rule: 'of another is not changed', one: observed({ tags: {}, addonVersion: 'v0' }), does: [] },
  ])('$rule', ({ one, does }) => expect(calls(one)).toEqual(does));

  it('that has no replicas says so', () => {
    const health = { issues: [{ code: 'InsufficientNumberOfReplicas', message: 'none', resourceIds: [] }] };
    const one = observed({ status: 'DEGRADED', health });
    expect(addonsCondition([one], planAddons(where, [one]), undefined)).toMatchObject({
      severity: 'Warning',
      message: 'Add-on coredns is DEGRADED: InsufficientNumberOfReplicas: none',
    });
  });

  it('that EKS refused, and that is no longer wanted, is not worked on', () => {
    const gone = observed(undefined, { wanted: undefined });
    expect(addonsCondition([gone], planAddons(where, [gone]), undefined)).toBeUndefined();
    const all = [gone, observed({})];
    expect(addonsCondition(all, planAddons(where, all), undefined)).toMatchObject({ status: 'True' });
  });

  it.each([
    { rule: 'is noted while it is wanted', one: observed(undefined), noted: { coredns: false } },
    {
      rule: 'is noted until it is gone',
      one: observed({}, { wanted: undefined, preserve: true }),
      noted: { coredns: true },
    },
    { rule: 'is forgotten then', one: observed(undefined, { wanted: undefined }), noted: {} },
  ])('$rule', ({ one, noted }) => expect(notedAddons([one], owner)).toEqual(noted));
});
