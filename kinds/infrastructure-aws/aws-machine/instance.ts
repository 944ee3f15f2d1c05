/**
 * Settings of an instance that the controller keeps in the desired state, and the status it
 * reports.
 */
import type { Action, Plan } from '../../../machinery/api/reconcile.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { launchedInterfaces } from '../engine/launched.ts';
import { metadataOptions } from './request.ts';
import type { AWSMachine, AWSMachineStatus } from './schema.ts';

export const providerIdOf = ({ Placement, InstanceId }: Instance): string =>
  `aws:///${Placement.AvailabilityZone}/${InstanceId}`;

export const addressesOf = (instance: Instance): AWSMachineStatus['addresses'] => {
  const all = [
    ['InternalIP', instance.PrivateIpAddress],
    ['InternalIP', instance.Ipv6Address],
    ['InternalDNS', instance.PrivateDnsName],
    ['ExternalIP', instance.PublicIpAddress],
    ['ExternalDNS', instance.PublicDnsName],
  ] as const;
  return all.flatMap(([type, address]) => (address ? [{ type, address }] : []));
};

/**
 * The patch that records the instance as the object's own; undefined when it is recorded already.
 */
export const adoption = ({ spec }: AWSMachine, instance: Instance): Plan['intent'] => {
  const providerID = providerIdOf(instance);
  return spec?.providerID === providerID && spec.instanceID === instance.InstanceId
    ? {}
    : { spec: { providerID, instanceID: instance.InstanceId } };
};

const same = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join();

export const groupRepairs = (region: string, instance: Instance, groups: readonly string[]): Action[] =>
  launchedInterfaces(instance)
    .filter(
      ({ Groups }) =>
        !same(
          Groups.map(({ GroupId }) => GroupId),
          groups,
        ),
    )
    .map(({ NetworkInterfaceId }) =>
      callCloud(region, 'ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, Groups: [...groups] }),
    );

export const metadataRepairs = (region: string, { spec }: AWSMachine, instance: Instance): Action[] => {
  const wanted = metadataOptions(spec!);
  const have = instance.MetadataOptions;
  const right =
    have.HttpTokens === wanted.HttpTokens &&
    have.HttpEndpoint === wanted.HttpEndpoint &&
    have.HttpPutResponseHopLimit === wanted.HttpPutResponseHopLimit &&
    have.InstanceMetadataTags === wanted.InstanceMetadataTags &&
    (wanted.HttpProtocolIpv6 ?? have.HttpProtocolIpv6) === have.HttpProtocolIpv6;
  return right
    ? []
    : [callCloud(region, 'ModifyInstanceMetadataOptions', { InstanceId: instance.InstanceId, ...wanted })];
};
