/** Which addresses of each subnet are taken; rebuilt from the records at start. */
import type { Random } from '../../machinery/ports.ts';
import { formatAddress, parseAddress, parseBlock } from './cidr.ts';

/** EC2 reserves the first four addresses of a subnet and the last one. */
const reservedLow = 4;
const reserved = 5;

export interface SubnetAddresses {
  /** A free address, or undefined when there is none. */
  take(subnet: { id: string; cidr: string }, random: Random): string | undefined;
  /** Why the address cannot be a new interface's; undefined when it can. */
  fault(subnet: { id: string; cidr: string }, address: string): 'outside' | 'reserved' | 'in use' | undefined;
  claim(subnetId: string, address: string): void;
  release(subnetId: string, address: string): void;
  free(subnet: { id: string; cidr: string }): number;
}

export const createSubnetAddresses = (): SubnetAddresses => {
  const taken = new Map<string, Set<number>>();
  const takenIn = (subnetId: string): Set<number> => {
    const found = taken.get(subnetId) ?? new Set<number>();
    taken.set(subnetId, found);
    return found;
  };
  const free = ({ id, cidr }: { id: string; cidr: string }): number =>
    (parseBlock(cidr)?.size ?? reserved) - reserved - (taken.get(id)?.size ?? 0);
  return {
    free,
    take: (subnet, random) => {
      const block = parseBlock(subnet.cidr);
      if (!block || free(subnet) <= 0) return undefined;
      const used = takenIn(subnet.id);
      const usable = block.size - reserved;
      let offset = Math.floor(random.next() * usable);
      while (used.has(block.base + reservedLow + offset)) offset = (offset + 1) % usable;
      const address = block.base + reservedLow + offset;
      used.add(address);
      return formatAddress(address);
    },
    fault: ({ id, cidr }, address) => {
      const [block, value] = [parseBlock(cidr), parseAddress(address)];
      if (!block || value === undefined || value < block.base || value >= block.base + block.size) return 'outside';
      const offset = value - block.base;
      if (offset < reservedLow || offset === block.size - 1) return 'reserved';
      return taken.get(id)?.has(value) ? 'in use' : undefined;
    },
    claim: (subnetId, address) => {
      const value = parseAddress(address);
      if (value !== undefined) takenIn(subnetId).add(value);
    },
    release: (subnetId, address) => {
      const value = parseAddress(address);
      if (value !== undefined) taken.get(subnetId)?.delete(value);
    },
  };
};
