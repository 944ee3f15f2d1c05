/** What an AWSCluster may ask for, is stored, and changes nothing yet. */
import { messages, type NotActedOn } from '../aws-machine/not-acted-on.ts';
import type { AWSClusterSpec } from './schema.ts';

export const clusterNotActedOn: NotActedOn<AWSClusterSpec>[] = [
  {
    field: 'network.vpc.ipv6',
    feature: 'IPv6',
    isSet: ({ network, controlPlaneLoadBalancer: first, secondaryControlPlaneLoadBalancer: second }) =>
      network?.vpc?.ipv6 !== undefined ||
      (network?.subnets ?? []).some(({ isIpv6, ipv6CidrBlock }) => isIpv6 || ipv6CidrBlock) ||
      [first, second].some(
        (one) =>
          one?.targetGroupIPType === 'ipv6' ||
          one?.additionalListeners?.some(({ targetGroupIPType }) => targetGroupIPType === 'ipv6'),
      ),
  },
  {
    field: 'identityRef',
    feature: 'identities other than the AWSClusterControllerIdentity',
    isSet: ({ identityRef }) => identityRef !== undefined && identityRef.kind !== 'AWSClusterControllerIdentity',
  },
  { field: 's3Bucket', feature: 'the bucket for Ignition', isSet: ({ s3Bucket }) => s3Bucket !== undefined },
  {
    field: 'network.vpc.ipamPool',
    feature: 'IPAM pools',
    isSet: ({ network }) => network?.vpc?.ipamPool !== undefined,
  },
  {
    field: 'network.vpc.carrierGatewayId',
    feature: 'Wavelength zones',
    isSet: ({ network }) =>
      Boolean(network?.vpc?.carrierGatewayId) ||
      (network?.subnets ?? []).some(({ zoneType }) => zoneType === 'wavelength-zone'),
  },
  {
    field: 'network.vpc.privateDnsHostnameTypeOnLaunch',
    feature: 'host names by resource for a whole subnet (set privateDnsName of the machines)',
    isSet: ({ network }) => network?.vpc?.privateDnsHostnameTypeOnLaunch === 'resource-name',
  },
];

export const warnings = (spec: AWSClusterSpec): string[] => messages(clusterNotActedOn, spec);
