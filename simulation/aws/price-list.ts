/** The Price List service: on-demand prices of the simulated instance types. */
import { refuse } from './errors.ts';
import { type InstanceType, instanceType } from './instance-type.ts';
import { regionNames } from './regions.ts';
import type { AccountState, Handlers } from './state.ts';

const endpoints = new Set(['us-east-1', 'eu-central-1', 'ap-south-1']);
const dollars = { vCPU: 0.032, GiB: 0.004 };
/** Burstable instances are cheaper. */
const discountOf = (name: string): number => (/^t\d/.test(name) ? 0.85 : 1);

export const onDemandPrice = ({ behaviour }: AccountState, { name, vcpus, memoryMiB }: InstanceType): number =>
  behaviour.onDemandPrices[name] ?? discountOf(name) * (vcpus * dollars.vCPU + (memoryMiB / 1024) * dollars.GiB);

/** In the format aws_v1. */
const product = (attributes: Record<string, string>, price: number): string =>
  JSON.stringify({
    product: { productFamily: 'Compute Instance', attributes, sku: 'SKU' },
    serviceCode: 'AmazonEC2',
    terms: {
      OnDemand: {
        'SKU.TERM': {
          sku: 'SKU',
          priceDimensions: { 'SKU.TERM.RATE': { unit: 'Hrs', pricePerUnit: { USD: price.toFixed(10) } } },
        },
      },
    },
  });

export const priceListActions = {
  GetProducts: ({ account, region }, { Filters }) => {
    if (!endpoints.has(region)) refuse('UnknownEndpoint', `Inaccessible host: api.pricing.${region}.amazonaws.com`);
    const attributes = Object.fromEntries(Filters.map(({ Field, Value }) => [Field, Value]));
    const { instanceType: name = '', regionCode = '', tenancy } = attributes;
    const type = instanceType(account, name);
    if (!type || tenancy !== 'Shared' || !regionNames.includes(regionCode)) return { PriceList: [] };
    return { PriceList: [product(attributes, onDemandPrice(account, type))] };
  },
} satisfies Handlers;
