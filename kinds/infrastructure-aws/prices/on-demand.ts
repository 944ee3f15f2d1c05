/** On-demand prices of the Price List service. */
import type { Reader } from '../../../machinery/api/reconcile.ts';
import { asking } from '../engine/ask.ts';

export type OnDemandPrice = {
  /** Dollars an hour; absent if the list does not know the type. */
  price?: number;
  /** Why it could not be read: action, code, message. */
  refused?: string;
};

/** The endpoint of the region's continent; undefined in partitions that have none with prices in dollars. */
const endpointOf = (region: string): string | undefined => {
  if (/^(us-gov|cn|us-iso)/.test(region)) return undefined;
  if (/^(eu|me|il|af)-/.test(region)) return 'eu-central-1';
  return region.startsWith('ap-') ? 'ap-south-1' : 'us-east-1';
};

const filtersOf = (region: string, instanceType: string) => {
  const isMetal = /\.metal/.test(instanceType);
  const wanted = {
    regionCode: region,
    instanceType,
    operatingSystem: 'Linux',
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
    tenancy: isMetal ? 'Dedicated' : 'Shared',
    ...(isMetal && { productFamily: 'Compute Instance (bare metal)' }),
  };
  return Object.entries(wanted).map(([Field, Value]) => ({ Type: 'TERM_MATCH' as const, Field, Value }));
};

type Product = {
  terms?: { OnDemand?: Record<string, { priceDimensions?: Record<string, { pricePerUnit?: { USD?: string } }> }> };
};

const pricesOf = (text: string): number[] => {
  const { terms } = JSON.parse(text) as Product;
  return Object.values(terms?.OnDemand ?? {})
    .flatMap(({ priceDimensions }) => Object.values(priceDimensions ?? {}))
    .map(({ pricePerUnit }) => Number(pricePerUnit?.USD))
    .filter((price) => price > 0);
};

/** Undefined where the service cannot be asked. */
export const readOnDemandPrice = (read: Reader, region: string, instanceType: string): OnDemandPrice | undefined => {
  const endpoint = endpointOf(region);
  if (endpoint === undefined) return undefined;
  const cloud = asking(read, endpoint);
  const input = { ServiceCode: 'AmazonEC2' as const, Filters: filtersOf(region, instanceType) };
  const products = cloud.all('GetProducts', input, ({ PriceList }) => PriceList) ?? [];
  const refused = cloud.unreadable();
  const prices = products.flatMap(pricesOf);
  return {
    ...(prices.length > 0 && { price: Math.max(...prices) }),
    ...(refused !== undefined && { refused }),
  };
};
