/** Arithmetic on IPv4 blocks. */

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** Cuts a block into the smallest power of two of equal parts that is at least `count`. */
export const splitBlock = (block: string, count: number): string[] => {
  const [address, prefix] = block.split('/') as [string, string];
  const bits = Math.ceil(Math.log2(Math.max(count, 1)));
  const length = Number(prefix) + bits;
  const size = 2 ** (32 - length);
  return Array.from({ length: 2 ** bits }, (_, i) => `${toAddress(toNumber(address) + i * size)}/${length}`);
};
