/** CIDR blocks in EC2's form. */
import ipaddr from 'ipaddr.js';

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** The block as EC2 shows it, whichever address inside it was given. */
export const canonicalBlock = (block: string): string => {
  // Choose the family first: a failed parse in ipaddr.js costs a stack trace.
  const family = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  if (!family.isValidCIDR(block)) return block;
  return `${family.networkAddressFromCIDR(block)}/${family.parseCIDR(block)[1]}`;
};

/** Splits an IPv4 block into equal parts: the smallest power of two that is at least `count`. */
export const splitBlock = (block: string, count: number): string[] => {
  const [address, prefix] = canonicalBlock(block).split('/') as [string, string];
  const bits = Math.ceil(Math.log2(Math.max(count, 1)));
  const length = Number(prefix) + bits;
  const size = 2 ** (32 - length);
  return Array.from({ length: 2 ** bits }, (_, i) => `${toAddress(toNumber(address) + i * size)}/${length}`);
};
