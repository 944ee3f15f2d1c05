import { describe, expect, it } from 'vitest';
import type { Image } from '../../ports/cloud/index.ts';
import { launchRequest } from './request.ts';
import type { AWSMachineSpec } from './schema.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'c0', additionalTags: {} };
const image = {
  ImageId: 'ami-1',
  RootDeviceName: '/dev/sda1',
  BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 8 } }],
} as Image;
const metadata = { name: 'm', namespace: 'default', uid: 'machine' };
const asked = (more: Partial<AWSMachineSpec> = {}) => {
  const request = launchRequest({
    awsMachine: { apiVersion: '', kind: 'AWSMachine', metadata, spec: { instanceType: 't3.large', ...more } },
    awsCluster: { apiVersion: '', kind: 'AWSCluster', metadata: { name: 'c0' } },
    owner,
    controlPlane: false,
    image,
    place: { subnetId: 'subnet-1', zone: 'a' },
    groups: ['sg-1'],
  });
  if (typeof request === 'string') throw new Error(request);
  return request;
};

describe('a launch request', () => {
  it.each([
    ['its image only', {}],
    ['a root volume', { rootVolume: { size: 20 } }],
    ['further volumes', { nonRootVolumes: [{ deviceName: '/dev/sdb', size: 5 }] }],
  ])('encrypts volumes and deletes them on termination: %s', (_, more) => {
    for (const { Ebs } of asked(more).BlockDeviceMappings ?? [])
      expect(Ebs).toMatchObject({ DeleteOnTermination: true, Encrypted: true });
  });

  it('keeps credentials on the instance', () => {
    expect(asked().MetadataOptions).toMatchObject({ HttpTokens: 'required', HttpPutResponseHopLimit: 1 });
  });

  it('requires access to its bootstrap data', () => {
    const instanceMetadataOptions = { httpEndpoint: 'disabled' } as const;
    expect(() => asked({ instanceMetadataOptions })).toThrow('spec.instanceMetadataOptions.httpEndpoint: ');
  });

  it('keeps the root volume at the root device of the image, whatever its name is', () => {
    const volumes = asked({ rootVolume: { size: 20, deviceName: '/dev/xvda' } }).BlockDeviceMappings;
    expect(volumes).toMatchObject([{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20 } }]);
  });

  it('encrypts volumes with a given key', () => {
    const [root] = asked({ rootVolume: { size: 20, encrypted: false, encryptionKey: 'k' } }).BlockDeviceMappings ?? [];
    expect(root?.Ebs).toMatchObject({ Encrypted: true, KmsKeyId: 'k' });
  });

  it.each([
    { made: 'made for it', spec: {}, tagged: ['instance', 'volume', 'network-interface'] },
    { made: 'brought', spec: { networkInterfaces: ['eni-1'] }, tagged: ['instance', 'volume'] },
  ])('tags the resources of the launch, where its interface is $made', ({ spec, tagged }) => {
    expect(asked(spec).TagSpecifications.map(({ ResourceType }) => ResourceType)).toEqual(tagged);
  });

  const oneTime = { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' };
  it.each<[string, Partial<AWSMachineSpec>, object | undefined]>([
    ['neither market nor options', {}, undefined],
    ['the on-demand market', { marketType: 'OnDemand' }, undefined],
    ['the spot market', { marketType: 'Spot' }, oneTime],
    ['spot options', { spotMarketOptions: {} }, oneTime],
    ['an empty maximum price', { spotMarketOptions: { maxPrice: '' } }, oneTime],
    [
      'a maximum price',
      { marketType: 'Spot', spotMarketOptions: { maxPrice: '0.05' } },
      { ...oneTime, MaxPrice: '0.05' },
    ],
  ])('asks for spot capacity as the spec says: %s', (_, spec, SpotOptions) => {
    expect(asked(spec).InstanceMarketOptions).toEqual(SpotOptions && { MarketType: 'spot', SpotOptions });
  });

  const target = { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } };
  it.each<[string, Partial<AWSMachineSpec>, object | undefined]>([
    ['nothing', {}, undefined],
    ['an empty preference', { capacityReservationPreference: '' }, undefined],
    ['an open one', { capacityReservationPreference: 'Open' }, { CapacityReservationPreference: 'open' }],
    ['none', { capacityReservationPreference: 'None' }, { CapacityReservationPreference: 'none' }],
    ['a named one', { capacityReservationId: 'cr-1' }, target],
    [
      'a named one or nothing',
      { capacityReservationId: 'cr-1', capacityReservationPreference: 'CapacityReservationsOnly' },
      { ...target, CapacityReservationPreference: 'capacity-reservations-only' },
    ],
  ])('takes reserved capacity as the spec says: %s', (_, spec, wanted) => {
    expect(asked(spec).CapacityReservationSpecification).toEqual(wanted);
  });

  it('buys a capacity block in its own market', () => {
    expect(asked({ marketType: 'CapacityBlock', capacityReservationId: 'cr-1' })).toMatchObject({
      InstanceMarketOptions: { MarketType: 'capacity-block' },
      CapacityReservationSpecification: target,
    });
  });
});
