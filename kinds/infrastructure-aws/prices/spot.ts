/** The current prices of the spot market. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import type { SpotPrice } from '../../ports/cloud/index.ts';
import { asking } from '../engine/ask.ts';

/** Which of them EC2 uses depends on the age of the account. */
const products = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

export type SpotPrices = {
  /** Dollars an hour by zone. */
  zones: Record<string, number>;
  /** Why they could not be read: action, code, message. */
  refused?: string;
};

/** The newest price of each zone. */
const currentOf = (history: readonly SpotPrice[]): Record<string, number> => {
  const newest = history.toSorted((a, b) => (a.Timestamp < b.Timestamp ? -1 : 1));
  const prices = newest.map(({ AvailabilityZone, SpotPrice: price }) => [AvailabilityZone, Number(price)] as const);
  return Object.fromEntries(prices.filter(([zone, price]) => zone !== '' && price > 0));
};

/** `zones`: in which machines can be; if none is known, in all zones. */
export const readSpotPrices = (
  read: Reader,
  region: string,
  { instanceType, zones, now }: { instanceType: string; zones: readonly string[]; now: number },
): SpotPrices => {
  const cloud = asking(read, region);
  const input = { InstanceTypes: [instanceType], ProductDescriptions: products, StartTime: timestamp(now) };
  const history = cloud.all('DescribeSpotPriceHistory', input, ({ SpotPriceHistory }) => SpotPriceHistory);
  const refused = cloud.unreadable();
  const all = Object.entries(currentOf(history ?? [])).filter(([zone]) => zones.length === 0 || zones.includes(zone));
  return {
    zones: Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(refused !== undefined && { refused }),
  };
};
