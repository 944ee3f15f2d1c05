/** IPv6 blocks as arithmetic. Addresses are unsigned 128-bit numbers. */
import ipaddr from 'ipaddr.js';
import type { Random } from '../../machinery/ports.ts';

export interface Block6 {
  base: bigint;
  prefix: number;
  size: bigint;
}

const parse = (address: ipaddr.IPv6): bigint => address.parts.reduce((sum, part) => sum * 0x1_0000n + BigInt(part), 0n);

export const formatAddress6 = (address: bigint): string =>
  String(
    new ipaddr.IPv6([7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n].map((place) => Number((address >> (place * 16n)) & 0xffffn))),
  );

/** The block in canonical form, without host bits. Undefined when malformed. */
export const parseBlock6 = (text: string): Block6 | undefined => {
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const prefix = ipaddr.IPv6.parseCIDR(text)[1];
  return { base: parse(ipaddr.IPv6.networkAddressFromCIDR(text)), prefix, size: 1n << BigInt(128 - prefix) };
};

export const formatBlock6 = ({ base, prefix }: Block6): string => `${formatAddress6(base)}/${prefix}`;
export const overlaps6 = (a: Block6, b: Block6): boolean => a.base < b.base + b.size && b.base < a.base + a.size;
export const contains6 = (outer: Block6, inner: Block6): boolean =>
  inner.base >= outer.base && inner.base + inner.size <= outer.base + outer.size;

/** Below 2 ** (16 * groups). */
const draw = (random: Random, groups: number): bigint =>
  Array.from({ length: groups }).reduce<bigint>(
    (sum) => sum * 0x1_0000n + BigInt(Math.floor(random.next() * 0x1_0000)),
    0n,
  );

/** An address of a subnet; it has too many for two to be equal. */
export const addressIn6 = (cidr: string, random: Random): string =>
  formatAddress6(parseBlock6(cidr)!.base + 0x1_0000n + draw(random, 3));

/** A /56 of Amazon's own addresses. */
export const amazonBlock = (random: Random): string =>
  formatBlock6({ base: (0x2600_1f18n << 96n) + ((draw(random, 2) & ~0xffn) << 64n), prefix: 56, size: 1n << 72n });
