/** Prices of spot instances. */
import type { Calls } from '../call.ts';
import type { Page } from '../shared.ts';

export type SpotPrice = {
  InstanceType: string;
  AvailabilityZone: string;
  SpotPrice: string;
  /** RFC 3339: since when. */
  Timestamp: string;
};
export interface SpotPriceActions {
  /**
   * With StartTime now, RFC 3339: the current prices, of each zone. Dollars an hour as decimal text.
   */
  DescribeSpotPriceHistory: [
    { InstanceTypes: string[]; ProductDescriptions: string[]; StartTime: string } & Page,
    { SpotPriceHistory: SpotPrice[]; NextToken?: string },
  ];
}

export const spotPriceCalls = {
  DescribeSpotPriceHistory: {},
} as const satisfies Calls<SpotPriceActions>;
