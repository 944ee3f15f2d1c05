/** What cloud-init knows of an EC2 instance when it renders user data. Pure. */
import type { Mapping } from './value.ts';

export interface InstanceFacts {
  instanceId: string;
  instanceType: string;
  imageId: string;
  region: string;
  zone: string;
  privateDnsName: string;
  privateIp: string;
  publicIp?: string | undefined;
  hostname: string;
}

/** Each name with a hyphen has a twin that Jinja can read. */
const withTwins = (names: Mapping): Mapping =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, value]) =>
      name.includes('-')
        ? [[name, value] as const, [name.replaceAll('-', '_'), value] as const]
        : [[name, value] as const],
    ),
  );

export const instanceDataOf = (facts: InstanceFacts): Mapping => {
  const { instanceId, instanceType, imageId, region, zone, privateDnsName, privateIp, publicIp, hostname } = facts;
  const v1 = {
    ...withTwins({
      'availability-zone': zone,
      'cloud-name': 'aws',
      'instance-id': instanceId,
      'local-hostname': hostname,
    }),
    cloud_id: 'aws',
    distro: 'ubuntu',
    machine: 'x86_64',
    platform: 'ec2',
    region,
  };
  const meta_data = withTwins({
    'ami-id': imageId,
    hostname: privateDnsName,
    'instance-id': instanceId,
    'instance-type': instanceType,
    'local-hostname': privateDnsName,
    'local-ipv4': privateIp,
    ...(publicIp !== undefined && { 'public-ipv4': publicIp }),
    placement: withTwins({ 'availability-zone': zone, region }),
  });
  return { ds: { meta_data }, v1, ...v1 };
};
