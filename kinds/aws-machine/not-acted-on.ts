/** What an AWSMachine may ask for, is stored, and changes nothing yet: reported, so that nobody believes it works. */
import type { AWSMachineSpec } from './schema.ts';

export interface NotActedOn<Spec> {
  /** Path inside spec. */
  field: string;
  /** What is not done. */
  feature: string;
  isSet: (spec: Spec) => boolean;
}

export const machineNotActedOn: NotActedOn<AWSMachineSpec>[] = [
  {
    field: 'spotMarketOptions',
    feature: 'spot capacity',
    isSet: (spec) => spec.spotMarketOptions !== undefined || spec.marketType === 'Spot',
  },
  {
    field: 'capacityReservationId',
    feature: 'capacity reservations',
    isSet: (spec) =>
      Boolean(spec.capacityReservationId) ||
      Boolean(spec.capacityReservationPreference) ||
      spec.marketType === 'CapacityBlock',
  },
  {
    field: 'hostID',
    feature: 'dedicated hosts',
    isSet: (spec) => Boolean(spec.hostID) || spec.dynamicHostAllocation !== undefined || spec.tenancy === 'host',
  },
  { field: 'ignition', feature: 'Ignition', isSet: (spec) => spec.ignition !== undefined },
  {
    field: 'assignPrimaryIPv6',
    feature: 'IPv6',
    isSet: (spec) =>
      spec.assignPrimaryIPv6 === 'enabled' || spec.instanceMetadataOptions?.httpProtocolIpv6 === 'enabled',
  },
  { field: 'elasticIpPool', feature: 'address pools for instances', isSet: (spec) => spec.elasticIpPool !== undefined },
  {
    field: 'cloudInit.secureSecretsBackend',
    feature: 'the SSM parameter store (Secrets Manager is used)',
    isSet: (spec) => spec.cloudInit?.secureSecretsBackend === 'ssm-parameter-store',
  },
  { field: 'ami.eksLookupType', feature: 'EKS images', isSet: (spec) => spec.ami?.eksLookupType !== undefined },
];

/** One sentence a feature that `spec` asks for in vain; `at` is where the spec stands. */
export const messages = <Spec>(entries: NotActedOn<Spec>[], spec: Spec | undefined, at = 'spec'): string[] =>
  spec === undefined
    ? []
    : entries
        .filter(({ isSet }) => isSet(spec))
        .map(({ field, feature }) => `${at}.${field}: ${feature}: accepted and stored, but not acted on`);

export const warnings = (spec: AWSMachineSpec | undefined, at = 'spec'): string[] =>
  messages(machineNotActedOn, spec, at);
