/** Validates the capacity fields of a machine's spec. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue, requiredField } from '../../common/validate.ts';
import type { AWSMachineSpec } from './schema.ts';

/** Dedicated hosts. */
export const validateHosts = (at: string, spec: AWSMachineSpec): FieldError[] => {
  const { hostID, dynamicHostAllocation, hostAffinity, tenancy } = spec;
  const given = { hostID: Boolean(hostID), dynamicHostAllocation: dynamicHostAllocation !== undefined };
  const fields = (['hostID', 'dynamicHostAllocation'] as const).filter((field) => given[field]);
  const faults: FieldError[] = [];
  for (const field of fields) {
    if (fields.length > 1)
      faults.push(forbiddenField(`${at}.${field}`, 'hostID and dynamicHostAllocation are mutually exclusive'));
    if (tenancy !== 'host')
      faults.push(forbiddenField(`${at}.${field}`, `${field} can only be set when tenancy is 'host'`));
  }
  if (hostAffinity === 'host' && tenancy !== 'host')
    faults.push(forbiddenField(`${at}.hostAffinity`, "hostAffinity can only be set to 'host' when tenancy is 'host'"));
  // A restarted instance may leave its host, which then stays allocated and paid for.
  if (given.dynamicHostAllocation && hostAffinity !== 'host')
    faults.push(
      forbiddenField(
        `${at}.dynamicHostAllocation`,
        "dynamicHostAllocation can only be set when hostAffinity is 'host'",
      ),
    );
  return faults;
};

/** A template must name the host of its machines; a single AWSMachine may adopt an instance with its host. */
export const validateHostOfTemplate = (at: string, spec: AWSMachineSpec): FieldError[] =>
  spec.hostAffinity === 'host' && !spec.hostID && spec.dynamicHostAllocation === undefined
    ? [requiredField(`${at}.hostID`, "hostID or dynamicHostAllocation must be set when hostAffinity is 'host'")]
    : [];

const preferences = ['', 'None', 'CapacityReservationsOnly', 'Open'];

const validatePreference = (at: string, spec: AWSMachineSpec): FieldError[] => {
  const { capacityReservationId, capacityReservationPreference: preference, marketType } = spec;
  const field = `${at}.capacityReservationPreference`;
  if (preference === undefined) return [];
  if (!preferences.includes(preference))
    return [
      {
        reason: 'FieldValueNotSupported',
        field,
        value: preference,
        detail: `supported values: ${preferences.map((value) => JSON.stringify(value)).join(', ')}`,
      },
    ];
  if (preference !== 'CapacityReservationsOnly')
    return capacityReservationId && preference !== ''
      ? [
          forbiddenField(
            field,
            "when capacityReservationId is specified, capacityReservationPreference may only be 'CapacityReservationsOnly' or empty",
          ),
        ]
      : [];
  return [
    ...(marketType === 'Spot'
      ? [forbiddenField(field, "cannot be 'CapacityReservationsOnly' when marketType is 'Spot'")]
      : []),
    ...(spec.spotMarketOptions
      ? [forbiddenField(field, "cannot be 'CapacityReservationsOnly' when spotMarketOptions is set")]
      : []),
  ];
};

/** Markets and reservations. */
export const validateCapacity = (at: string, spec: AWSMachineSpec): FieldError[] => {
  const { marketType, capacityReservationId, spotMarketOptions } = spec;
  return [
    ...(marketType === 'CapacityBlock' && !capacityReservationId
      ? [requiredField(`${at}.capacityReservationId`, 'is required when CapacityBlock is provided')]
      : []),
    ...(spotMarketOptions && (marketType === 'CapacityBlock' || marketType === 'OnDemand')
      ? [
          invalidValue(
            `${at}.spotMarketOptions`,
            spotMarketOptions,
            `marketType set to ${marketType} and spotMarketOptions cannot be used together`,
          ),
        ]
      : []),
    ...validatePreference(at, spec),
  ];
};

/** EC2 compares it with prices such as 0.0416, and an empty one means the on-demand price. */
export const validateMaxPrice = (at: string, { spotMarketOptions }: AWSMachineSpec): FieldError[] => {
  const { maxPrice } = spotMarketOptions ?? {};
  if (!maxPrice || (/^(\d+|\d*\.\d+)$/.test(maxPrice) && Number(maxPrice) > 0)) return [];
  return [
    invalidValue(
      `${at}.spotMarketOptions.maxPrice`,
      maxPrice,
      "must be a price in US dollars an hour, such as '0.05', or empty for the on-demand price",
    ),
  ];
};
