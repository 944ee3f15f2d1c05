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

/** The /64 at this position in an IPv6 block; undefined beyond its end, and of what is no such block. */
export const slash64 = (block: string, index: number): string | undefined => {
  if (!ipaddr.IPv6.isValidCIDR(block)) return undefined;
  const length = ipaddr.IPv6.parseCIDR(block)[1];
  if (length > 64 || index >= 2 ** (64 - length)) return undefined;
  const parts = [...ipaddr.IPv6.networkAddressFromCIDR(block).parts];
  let carry = index;
  for (let at = 3; carry > 0; at--) {
    const sum = parts[at]! + carry;
    parts[at] = sum % 0x1_0000;
    carry = Math.floor(sum / 0x1_0000);
  }
  return `${new ipaddr.IPv6(parts)}/64`;
};
