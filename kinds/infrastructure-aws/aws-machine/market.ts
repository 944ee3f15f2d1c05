/** The market in which a machine's instance is bought. Pure. */
import { conditionOf, type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import { fallsBack, spotFallback } from '../../core/contract/spot-fallback.ts';
import type { RunInstancesInput } from '../../ports/cloud/index.ts';
import type { Launch } from './launch.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';

/** Spot options without a market type ask for the spot market. */
export const isSpot = ({ marketType, spotMarketOptions }: Partial<AWSMachineSpec>): boolean =>
  marketType === 'Spot' || (!marketType && spotMarketOptions !== undefined);

/** Whether an instance that the spot market does not have is bought on demand. */
export const hasFallback = ({ metadata, spec }: AWSMachine): boolean =>
  fallsBack(metadata.annotations) && spec !== undefined && isSpot(spec);

/** The condition about the market of a launch; none for one that never fell back. */
export const marketConditions = ({ status }: AWSMachine, launch: Launch | undefined): LegacyDraft[] => {
  const { code } = launch?.fallback ?? {};
  if (code !== undefined)
    return [{ type: spotFallback, status: 'True', reason: code, message: `${noSpot(code)}: it is bought on demand` }];
  return conditionOf(status?.conditions, spotFallback)?.status === 'True'
    ? [legacyFalse(spotFallback, 'SpotMarket', 'Info')]
    : [];
};

export const noSpot = (code: string): string =>
  `The spot market has no capacity for the instance in any subnet that it may use (${code})`;

/**
 * A Machine has one instance: an interrupted one is terminated, not stopped, and its request is not
 * fulfilled again.
 */
export const marketOptions = (spec: AWSMachineSpec): Pick<RunInstancesInput, 'InstanceMarketOptions'> => {
  if (spec.marketType === 'CapacityBlock') return { InstanceMarketOptions: { MarketType: 'capacity-block' } };
  if (!isSpot(spec)) return {};
  const { maxPrice } = spec.spotMarketOptions ?? {};
  return {
    InstanceMarketOptions: {
      MarketType: 'spot',
      SpotOptions: {
        SpotInstanceType: 'one-time',
        InstanceInterruptionBehavior: 'terminate',
        ...(maxPrice && { MaxPrice: maxPrice }),
      },
    },
  };
};

const preferences = {
  None: 'none',
  CapacityReservationsOnly: 'capacity-reservations-only',
  Open: 'open',
} as const;
const isPreference = (value: string): value is keyof typeof preferences => Object.hasOwn(preferences, value);

/** Whose reserved capacity the instance takes. EC2's own default is any open reservation that fits. */
export const reservation = ({
  capacityReservationId: id,
  capacityReservationPreference: preference = '',
}: AWSMachineSpec): Pick<RunInstancesInput, 'CapacityReservationSpecification'> =>
  id || isPreference(preference)
    ? {
        CapacityReservationSpecification: {
          ...(isPreference(preference) && { CapacityReservationPreference: preferences[preference] }),
          ...(id && { CapacityReservationTarget: { CapacityReservationId: id } }),
        },
      }
    : {};
