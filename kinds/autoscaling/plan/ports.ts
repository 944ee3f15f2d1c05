/** Host ports: two pods on one node must not listen on the same one. Pure. */
import type { HostPort } from './types.ts';

const everyAddress = '0.0.0.0';
const addressOf = ({ ip }: HostPort) => ip || everyAddress;

export const conflicts = (a: HostPort, b: HostPort): boolean => {
  if (a.port !== b.port || (a.protocol || 'TCP') !== (b.protocol || 'TCP')) return false;
  const [one, other] = [addressOf(a), addressOf(b)];
  return one === other || one === everyAddress || other === everyAddress;
};

export const anyConflict = (used: readonly HostPort[], wanted: readonly HostPort[] | undefined): boolean =>
  wanted?.some((port) => used.some((other) => conflicts(port, other))) ?? false;
