/** Which addresses a pool may give. Pure. */
import { addressOf, difference, networkOf, only, type Range, rangeOf, union } from './ranges.ts';
import type { PoolSpec } from './schema.ts';

const rangesOf = (texts: readonly string[] = []): Range[] => union(texts.flatMap((text) => rangeOf(text) ?? []));

/** The network of the pool's addresses. */
export const networkOfPool = ({ addresses, prefix }: PoolSpec): Range | undefined => {
  const [first] = rangesOf(addresses);
  return first && networkOf({ family: first.family, value: first.from }, prefix);
};

/** The first address of a network names it (IPv4) or any router (IPv6); the last one of IPv4 is broadcast. */
const reservedIn = ({ family, from, to }: Range): Range[] => [
  { family, from, to: from },
  ...(family === 'ipv4' ? [{ family, from: to, to }] : []),
];

export const allocatable = (spec: PoolSpec): Range[] => {
  const network = networkOfPool(spec);
  const gateway = addressOf(spec.gateway ?? '');
  return difference(rangesOf(spec.addresses), [
    ...rangesOf(spec.excludedAddresses),
    ...(network && !spec.allocateReservedIPAddresses ? reservedIn(network) : []),
    ...(gateway ? [only(gateway)] : []),
  ]);
};
