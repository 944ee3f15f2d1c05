import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { AWSMachinePoolSpec } from './schema.ts';
import { descriptionOf, rollIn, rollOf, templateData } from './template.ts';

const awsCluster: AWSCluster = { apiVersion: 'v1', kind: 'AWSCluster', metadata: { name: 'a' }, spec: {} };
const image = { key: 'k', id: 'ami-1', root: '/dev/xvda', size: 8 };
const ingredients = (template: object = {}, more: object = {}) => ({
  spec: { minSize: 1, maxSize: 3, awsLaunchTemplate: { instanceType: 't3.large', ...template } } as AWSMachinePoolSpec,
  awsCluster,
  image,
  groups: ['sg-1'],
  tags: { a: 'b' },
  ipv6: false,
  ...more,
});
const roll = (template: object = {}, more: object = {}, secret = 'data') => {
  const data = templateData(ingredients(template, more));
  return typeof data === 'string' ? data : rollOf(data, secret);
};

describe('instances are replaced', () => {
  it.each([
    ['the type', { instanceType: 'm5.large' }],
    ['the size of the root volume', { rootVolume: { size: 40 } }],
    ['another volume', { nonRootVolumes: [{ deviceName: '/dev/sdb', size: 10 }] }],
    ['the market', { spotMarketOptions: {} }],
    ['the price', { spotMarketOptions: { maxPrice: '0.1' } }],
    ['a reservation', { capacityReservationId: 'cr-1' }],
    ['the preference of reservations', { capacityReservationPreference: 'None' }],
    ['the key', { sshKeyName: 'key' }],
    ['the profile', { iamInstanceProfile: 'nodes' }],
    ['metadata', { instanceMetadataOptions: { httpTokens: 'optional' } }],
    ['enclaves', { enclaveOptions: { enabled: true } }],
    ['names', { privateDnsName: { hostnameType: 'resource-name' } }],
  ])('for %s', (_, template) => expect(roll(template)).not.toBe(roll()));

  it.each([
    ['the image', { image: { ...image, id: 'ami-2' } }],
    ['security groups', { groups: ['sg-2'] }],
    ['tags', { tags: { a: 'c' } }],
    ['IPv6', { ipv6: true }],
  ])('for %s', (_, more) => expect(roll({}, more)).not.toBe(roll()));

  it('for other bootstrap data, but not for what it holds', () => {
    expect(roll({}, {}, 'other')).not.toBe(roll());
    expect(rollIn({ VersionDescription: descriptionOf('r', 'one') } as never)).toBe('r');
    expect(descriptionOf('r', 'one')).not.toBe(descriptionOf('r', 'two'));
  });
});

it('reads nothing in a version that another program made', () =>
  expect(rollIn({ VersionDescription: 'my own' } as never)).toBeUndefined());

it('leaves the market to a mixed policy', () => {
  const { spec } = ingredients({ marketType: 'OnDemand' });
  const mixed = { ...spec, mixedInstancesPolicy: { overrides: [{ instanceType: 'm5.large' }] } };
  expect(templateData(ingredients({}, { spec: mixed }))).not.toHaveProperty('InstanceMarketOptions');
});
