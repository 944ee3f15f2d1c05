import { describe, expect, it } from 'vitest';
import type { Image } from '../ports/cloud.ts';
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

describe('a machine is asked for', () => {
  it.each([
    ['its image alone', {}],
    ['a root volume', { rootVolume: { size: 20 } }],
    ['more volumes', { nonRootVolumes: [{ deviceName: '/dev/sdb', size: 5 }] }],
  ])('with volumes that are encrypted and go with it: %s', (_, more) => {
    for (const { Ebs } of asked(more).BlockDeviceMappings ?? [])
      expect(Ebs).toMatchObject({ DeleteOnTermination: true, Encrypted: true });
  });

  it('so that its credentials stay on it', () => {
    expect(asked().MetadataOptions).toMatchObject({ HttpTokens: 'required', HttpPutResponseHopLimit: 1 });
  });
});
