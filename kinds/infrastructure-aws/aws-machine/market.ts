/** The market in which a machine's instance is bought. Pure. */
import type { AWSMachineSpec } from './schema.ts';

/** Spot options without a market type ask for the spot market. */
export const isSpot = ({ marketType, spotMarketOptions }: Partial<AWSMachineSpec>): boolean =>
  marketType === 'Spot' || (!marketType && spotMarketOptions !== undefined);
