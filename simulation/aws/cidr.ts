/** IPv4 blocks as arithmetic. Addresses are unsigned 32-bit numbers. */

export interface Block {
  base: number;
  prefix: number;
  size: number;
}

export const parseAddress = (text: string): number | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
};

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

/** The block in canonical form: host bits are dropped, as EC2 does. Undefined when malformed. */
export const parseBlock = (text: string): Block | undefined => {
  const [address = '', length = '', ...rest] = text.split('/');
  const value = parseAddress(address);
  if (value === undefined || rest.length > 0 || !/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined;
  const prefix = Number(length);
  const size = 2 ** (32 - prefix);
  return { base: Math.floor(value / size) * size, prefix, size };
};

export const formatBlock = (block: Block): string => `${formatAddress(block.base)}/${block.prefix}`;
export const overlaps = (a: Block, b: Block): boolean => a.base < b.base + b.size && b.base < a.base + a.size;
export const contains = (outer: Block, inner: Block): boolean =>
  inner.base >= outer.base && inner.base + inner.size <= outer.base + outer.size;
