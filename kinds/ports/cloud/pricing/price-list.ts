/** The Price List service. */
import type { Calls } from '../call.ts';

export interface PriceListActions {
  /** The Price List service, which a few regions answer for all. Each product is JSON. */
  GetProducts: [
    {
      ServiceCode: 'AmazonEC2';
      Filters: { Type: 'TERM_MATCH'; Field: string; Value: string }[];
      NextToken?: string;
    },
    { PriceList: string[]; NextToken?: string },
  ];
}

export const priceListCalls = {
  GetProducts: {},
} as const satisfies Calls<PriceListActions>;
