/** Calls of the Price List service. */
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { list, record, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

/** The SDK wraps JSON in objects that parse it on demand. */
const json = (product: unknown): string => String(product);

export const operations = (config: ClientConfig): Operations<'pricing'> => {
  const client = new PricingClient(config);
  return {
    GetProducts: (input) =>
      client.send(new GetProductsCommand(given(input))).then(record({ PriceList: list(json), NextToken: textIfAny })),
  };
};
