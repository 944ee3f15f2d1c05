/** IP addresses as numbers, and sets of them as sorted, disjoint ranges. Pure. */
import ipaddr from 'ipaddr.js';
import { isCidr, isIp } from '../../../machinery/api/cidr.ts';

export type Family = 'ipv4' | 'ipv6';
export interface Address {
  family: Family;
  value: bigint;
}
/** Both ends belong to it. */
export interface Range {
  family: Family;
  from: bigint;
  to: bigint;
}

export const bitsOf = (family: Family): number => (family === 'ipv4' ? 32 : 128);

const numberOf = (bytes: readonly number[]): bigint => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
const bytesOf = (value: bigint, family: Family): number[] =>
  Array.from({ length: bitsOf(family) / 8 }, (_, i) => Number((value >> BigInt(bitsOf(family) - 8 * (i + 1))) & 0xffn));

/** Undefined for what is not an address. */
export const addressOf = (text: string): Address | undefined => {
  if (!isIp(text)) return undefined;
  const parsed = ipaddr.parse(text);
  return { family: parsed.kind(), value: numberOf(parsed.toByteArray()) };
};
export const textOf = ({ family, value }: Address): string => ipaddr.fromByteArray(bytesOf(value, family)).toString();

/** The network of that many bits around an address. */
export const networkOf = ({ family, value }: Address, bits: number): Range => {
  const host = (1n << BigInt(bitsOf(family) - bits)) - 1n;
  return { family, from: value & ~host, to: value | host };
};

/** Of an address, a range `a-b` or a CIDR block; undefined for anything else. */
export const rangeOf = (text: string): Range | undefined => {
  if (text.includes('/')) {
    const [address = '', bits] = text.split('/');
    return isCidr(text) ? networkOf(addressOf(address)!, Number(bits)) : undefined;
  }
  const [first = '', last = first, ...others] = text.split('-');
  const [from, to] = [addressOf(first), addressOf(last)];
  if (!from || !to || others.length > 0 || from.family !== to.family || from.value > to.value) return undefined;
  return { family: from.family, from: from.value, to: to.value };
};

/** Sorted, with overlapping and adjoining ranges of the same family joined. */
export const union = (ranges: readonly Range[]): Range[] => {
  const sorted = ranges.toSorted((a, b) =>
    a.family === b.family ? Number(a.from > b.from) - Number(a.from < b.from) : a.family < b.family ? -1 : 1,
  );
  const joined: Range[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last?.family !== range.family || range.from > last.to + 1n) joined.push({ ...range });
    else if (range.to > last.to) last.to = range.to;
  }
  return joined;
};

const without = (from: readonly Range[], { family, from: first, to: last }: Range): Range[] =>
  from.flatMap((range) => {
    if (range.family !== family || range.to < first || range.from > last) return [range];
    return [
      ...(range.from < first ? [{ ...range, to: first - 1n }] : []),
      ...(range.to > last ? [{ ...range, from: last + 1n }] : []),
    ];
  });
export const difference = (from: readonly Range[], removed: readonly Range[]): Range[] =>
  removed.reduce(without, [...from]);

export const only = ({ family, value }: Address): Range => ({ family, from: value, to: value });
export const contains = (ranges: readonly Range[], { family, value }: Address): boolean =>
  ranges.some((range) => range.family === family && range.from <= value && value <= range.to);

/** At most the largest integer that all clients read exactly. */
export const countOf = (ranges: readonly Range[]): number => {
  const count = ranges.reduce((sum, { from, to }) => sum + (to - from + 1n), 0n);
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(count);
};

/** The lowest addresses, at most `most`. */
export const lowest = (ranges: readonly Range[], most: number): Address[] => {
  const found: Address[] = [];
  for (const { family, from, to } of ranges)
    for (let value = from; value <= to && found.length < most; value++) found.push({ family, value });
  return found;
};
