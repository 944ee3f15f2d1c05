import { parseDuration } from '../../../machinery/api/durations.ts';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue, requiredField } from '../../common/validate.ts';
import { validateIgnition, validateSecurityGroups, validateVolumes } from '../aws-machine/validate.ts';
import { validateCapacity, validateMaxPrice } from '../aws-machine/validate-capacity.ts';
import { invalidKeyName } from '../aws-machine/validate-key-name.ts';
import { invalidTags } from '../aws-machine/validate-tags.ts';
import { drainHook } from './hooks.ts';
import type { AWSMachinePool, AWSMachinePoolSpec } from './schema.ts';
import { asMachineSpec } from './template.ts';

export const validate = ({ spec }: AWSMachinePool, { operation }: Admission): FieldError[] =>
  operation === 'delete' || !spec
    ? []
    : [
        ...validateSizes(spec),
        ...validateTemplate(spec),
        ...validateMarket(spec),
        ...validateSubnets(spec),
        ...validateRefresh(spec),
        ...validateHooks(spec),
        ...validateSeconds('spec.defaultCoolDown', spec.defaultCoolDown),
        ...validateSeconds('spec.defaultInstanceWarmup', spec.defaultInstanceWarmup),
        ...validateIgnition('spec', spec),
        ...invalidTags('spec.additionalTags', spec.additionalTags),
      ];

const validateSizes = ({ minSize, maxSize }: AWSMachinePoolSpec): FieldError[] =>
  minSize > maxSize
    ? [invalidValue('spec.minSize', minSize, `must not be greater than spec.maxSize (${maxSize})`)]
    : [];

const at = 'spec.awsLaunchTemplate';

const validateTemplate = (spec: AWSMachinePoolSpec): FieldError[] => {
  const machine = asMachineSpec(spec);
  return [
    ...(machine.instanceType
      ? []
      : [requiredField(`${at}.instanceType`, 'must be set unless spec.mixedInstancesPolicy.overrides names types')]),
    ...validateVolumes(at, machine),
    ...validateSecurityGroups(at, machine),
    ...validateCapacity(at, machine),
    ...validateReservation(machine),
    ...validateMaxPrice(at, machine),
    ...invalidKeyName(`${at}.sshKeyName`, machine.sshKeyName),
  ];
};

const validateReservation = ({
  capacityReservationId,
  marketType,
  spotMarketOptions,
}: ReturnType<typeof asMachineSpec>): FieldError[] => {
  if (!capacityReservationId) return [];
  const field = `${at}.capacityReservationId`;
  return [
    ...(marketType === 'Spot' ? [forbiddenField(field, "cannot be set when marketType is 'Spot'")] : []),
    ...(spotMarketOptions ? [forbiddenField(field, 'cannot be set when spotMarketOptions is specified')] : []),
  ];
};

const validateMarket = ({ awsLaunchTemplate, mixedInstancesPolicy }: AWSMachinePoolSpec): FieldError[] => {
  if (!mixedInstancesPolicy) return [];
  const { spotMarketOptions, marketType } = awsLaunchTemplate;
  const detail = 'either spec.awsLaunchTemplate.spotMarketOptions or spec.mixedInstancesPolicy should be used';
  const { onDemandBaseCapacity: base = 0, onDemandPercentageAboveBaseCapacity: share = 100 } =
    mixedInstancesPolicy.instancesDistribution ?? {};
  const distribution = 'spec.mixedInstancesPolicy.instancesDistribution';
  return [
    ...(spotMarketOptions ? [forbiddenField(`${at}.spotMarketOptions`, detail)] : []),
    // Auto Scaling refuses a template with a market in a mixed policy.
    ...(marketType && marketType !== 'OnDemand'
      ? [forbiddenField(`${at}.marketType`, `cannot be '${marketType}' with spec.mixedInstancesPolicy`)]
      : []),
    ...(base < 0
      ? [invalidValue(`${distribution}.onDemandBaseCapacity`, base, 'must be greater than or equal to 0')]
      : []),
    ...(share < 0 || share > 100
      ? [invalidValue(`${distribution}.onDemandPercentageAboveBaseCapacity`, share, 'must be between 0 and 100')]
      : []),
  ];
};

const validateSubnets = ({ subnets = [] }: AWSMachinePoolSpec): FieldError[] =>
  subnets.flatMap(({ id, filters }, index) => {
    const field = `spec.subnets[${index}]`;
    if (id && filters?.length)
      return [forbiddenField(field, 'only one of ID or Filters may be specified, specifying both is forbidden')];
    return id || filters?.length ? [] : [requiredField(field, 'either ID or Filters must be specified')];
  });

const validateRefresh = ({ refreshPreferences }: AWSMachinePoolSpec): FieldError[] => {
  const { strategy, minHealthyPercentage: least, maxHealthyPercentage: most } = refreshPreferences ?? {};
  const field = 'spec.refreshPreferences';
  return [
    ...(strategy && strategy !== 'Rolling'
      ? [
          {
            reason: 'FieldValueNotSupported' as const,
            field: `${field}.strategy`,
            value: strategy,
            detail: 'supported values: "Rolling"',
          },
        ]
      : []),
    ...(least !== undefined && (least < 0 || least > 100)
      ? [invalidValue(`${field}.minHealthyPercentage`, least, 'must be between 0 and 100')]
      : []),
    ...(most !== undefined && least === undefined
      ? [requiredField(`${field}.minHealthyPercentage`, 'must be set when maxHealthyPercentage is set')]
      : []),
    ...(most !== undefined && least !== undefined && most - least > 100
      ? [
          invalidValue(
            `${field}.maxHealthyPercentage`,
            most,
            'the difference between maxHealthyPercentage and minHealthyPercentage cannot be greater than 100',
          ),
        ]
      : []),
  ];
};

const [shortest, longest] = [30, 7200];
const names = /^[A-Za-z0-9\-_/]{1,255}$/;

const validateHooks = ({ lifecycleHooks = [] }: AWSMachinePoolSpec): FieldError[] =>
  lifecycleHooks.flatMap(({ name, heartbeatTimeout, notificationTargetARN, roleARN }, index) => {
    const field = `spec.lifecycleHooks[${index}]`;
    const seconds = heartbeatTimeout ? parseDuration(heartbeatTimeout) : shortest;
    const isKnown = lifecycleHooks.findIndex((other) => other.name === name) < index;
    return [
      ...(names.test(name)
        ? []
        : [invalidValue(`${field}.name`, name, 'must be 1 to 255 letters, digits, hyphens, underscores or slashes')]),
      ...(name === drainHook ? [forbiddenField(`${field}.name`, `${drainHook} is Capstan's own hook`)] : []),
      ...(isKnown ? [{ reason: 'FieldValueDuplicate' as const, field: `${field}.name`, value: name, detail: '' }] : []),
      ...(seconds === undefined || seconds < shortest || seconds > longest || !Number.isInteger(seconds)
        ? [
            invalidValue(
              `${field}.heartbeatTimeout`,
              heartbeatTimeout,
              `must be whole seconds between ${shortest}s and ${longest}s`,
            ),
          ]
        : []),
      ...(notificationTargetARN && !roleARN
        ? [requiredField(`${field}.roleARN`, 'must be set when notificationTargetARN is set')]
        : []),
      ...(roleARN && !notificationTargetARN
        ? [requiredField(`${field}.notificationTargetARN`, 'must be set when roleARN is set')]
        : []),
    ];
  });

const validateSeconds = (field: string, value: string | undefined): FieldError[] => {
  if (!value) return [];
  const seconds = parseDuration(value);
  return seconds !== undefined && seconds >= 0 && Number.isInteger(seconds)
    ? []
    : [invalidValue(field, value, 'must be a duration of whole seconds, such as 5m')];
};
