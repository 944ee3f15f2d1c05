import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { validateSpotFallback } from '../../core/contract/spot-fallback.ts';
import { validatePool } from '../aws-cluster/validate-network.ts';
import { validateFixedAddress } from './fixed-address.ts';
import { isSpot } from './market.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';
import { validateCapacity, validateHosts, validateMaxPrice } from './validate-capacity.ts';
import { invalidKeyName } from './validate-key-name.ts';
import { invalidTags } from './validate-tags.ts';

type Volume = NonNullable<AWSMachineSpec['rootVolume']>;

const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});
const missing = (field: string, detail: string): FieldError => ({ reason: 'FieldValueRequired', field, detail });
const forbidden = (field: string, detail: string): FieldError => ({ reason: 'FieldValueForbidden', field, detail });

export const validate = (object: AWSMachine, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const faults = [
    ...(operation === 'update' && old ? validateChange(object.spec, (old as AWSMachine).spec) : []),
    ...validateSpotFallback('metadata.annotations', object.metadata.annotations, isSpot(object.spec ?? {})),
    ...(object.spec ? validateFixedAddress('metadata.annotations', object.metadata.annotations, object.spec) : []),
  ];
  if (!object.spec) return faults;
  return [
    ...faults,
    ...validateProviderId(object.spec),
    ...validateSpec('spec', object.spec),
    ...(operation === 'create' ? validateNew('spec', object.spec) : []),
  ];
};

const longestProviderId = 512;
/** The Machine takes it over, and admits fewer values. */
const validateProviderId = ({ providerID = '' }: AWSMachineSpec): FieldError[] =>
  providerID.length > longestProviderId
    ? [invalid('spec.providerID', providerID, `may not be more than ${longestProviderId} characters`)]
    : [];

/** Fields that new objects may no longer use. Existing objects keep them until they are deleted. */
export const validateNew = (at: string, spec: AWSMachineSpec): FieldError[] => [
  // An instance in a private subnet sends through its NAT gateway, with another address.
  ...(spec.elasticIpPool && !spec.publicIP
    ? [missing(`${at}.elasticIpPool`, "publicIP must be true for an address of the machine's own")]
    : []),
  ...invalidKeyName(`${at}.sshKeyName`, spec.sshKeyName),
  ...validateMaxPrice(at, spec),
];

/** Validates a machine's spec, also inside a template. */
export const validateSpec = (at: string, spec: AWSMachineSpec): FieldError[] => [
  ...validateCloudInit(at, spec),
  ...validateIgnition(at, spec),
  ...validateVolumes(at, spec),
  ...validateSecurityGroups(at, spec),
  ...validateHosts(at, spec),
  ...validateCapacity(at, spec),
  ...validatePool(`${at}.elasticIpPool`, spec.elasticIpPool),
  ...invalidTags(`${at}.additionalTags`, spec.additionalTags),
];

export const validateVolumes = (
  at: string,
  spec: Pick<AWSMachineSpec, 'rootVolume' | 'nonRootVolumes'>,
): FieldError[] => [
  ...(spec.rootVolume ? validateVolume(`${at}.rootVolume`, spec.rootVolume) : []),
  ...(spec.nonRootVolumes ?? []).flatMap((volume, index) => {
    const field = `${at}.nonRootVolumes[${index}]`;
    const nameless = volume.deviceName
      ? []
      : [missing(`${field}.deviceName`, 'non root volume should have device name')];
    return [...nameless, ...validateVolume(field, volume)];
  }),
];

export const validateSecurityGroups = (
  at: string,
  spec: Pick<AWSMachineSpec, 'additionalSecurityGroups'>,
): FieldError[] =>
  (spec.additionalSecurityGroups ?? []).flatMap(({ id, filters }, index) =>
    id && filters?.length
      ? [
          forbidden(
            `${at}.additionalSecurityGroups[${index}]`,
            'only one of ID or Filters may be specified, specifying both is forbidden',
          ),
        ]
      : [],
  );

const validateCloudInit = (at: string, { cloudInit, ignition }: AWSMachineSpec): FieldError[] => {
  if (!cloudInit) return [];
  const faults: FieldError[] = [];
  const { insecureSkipSecretsManager, secretPrefix, secretCount, secureSecretsBackend } = cloudInit;
  const isConfigured = insecureSkipSecretsManager || secretPrefix || secretCount || secureSecretsBackend;
  if (ignition && isConfigured) faults.push(forbidden(`${at}.cloudInit`, 'cannot be set if spec.ignition is set'));
  if (Boolean(secretPrefix) !== Boolean(secretCount))
    faults.push(forbidden(`${at}.cloudInit.secretCount`, `must be set together with ${at}.cloudInit.secretPrefix`));
  if (insecureSkipSecretsManager) {
    const because = 'cannot be set if spec.cloudInit.insecureSkipSecretsManager is true';
    if (secretPrefix) faults.push(forbidden(`${at}.cloudInit.secretPrefix`, because));
    if (secretCount) faults.push(forbidden(`${at}.cloudInit.secretCount`, because));
    if (secureSecretsBackend) faults.push(forbidden(`${at}.cloudInit.secureSecretsBackend`, because));
  }
  return faults;
};

/** Ignition versions without settings for proxies and certificate authorities. */
const withoutProxy = ['2.3', '3.0'];
export const validateIgnition = (at: string, { ignition }: Pick<AWSMachineSpec, 'ignition'>): FieldError[] =>
  ignition && withoutProxy.includes(ignition.version ?? '')
    ? (['proxy', 'tls'] as const)
        .filter((field) => ignition[field])
        .map((field) => forbidden(`${at}.ignition.${field}`, 'cannot be set if spec.ignition.version is 2.3 or 3.0'))
    : [];

const validateVolume = (at: string, { type, iops, throughput }: Volume): FieldError[] => {
  const faults: FieldError[] = [];
  if ((type === 'io1' || type === 'io2') && !iops)
    faults.push(missing(`${at}.iops`, "iops required if type is 'io1' or 'io2'"));
  if (throughput === undefined) return faults;
  if (type !== 'gp3') faults.push(missing(`${at}.throughput`, "throughput is valid only for type 'gp3'"));
  else if (throughput < 125 || throughput > 2000)
    faults.push(invalid(`${at}.throughput`, throughput, 'throughput must be between 125 and 2000 MiB/s'));
  return faults;
};

/** The immutable part of an existing machine's spec: changes to it would not reach the instance. */
const fixed = (spec: AWSMachineSpec | undefined): unknown => {
  const {
    providerID: _,
    instanceID: __,
    additionalTags: ___,
    additionalSecurityGroups: ____,
    cloudInit,
    privateDnsName,
    ...rest
  } = spec ?? ({} as AWSMachineSpec);
  return {
    ...rest,
    insecureSkipSecretsManager: cloudInit?.insecureSkipSecretsManager ?? false,
    hostnameType: privateDnsName?.hostnameType,
  };
};

const validateChange = (spec: AWSMachineSpec | undefined, old: AWSMachineSpec | undefined): FieldError[] =>
  equal(fixed(spec), fixed(old)) ? [] : [forbidden('spec', 'cannot be modified')];
