/**
 * The headroom of a pool: room for a number of pods of one size that its nodes keep free, such as
 * `pods=3 cpu=2 memory=4Gi`. Pure.
 */
import { parseQuantity } from '../quantity.ts';
import { size } from './annotations.ts';
import { pairOf } from './pair.ts';

export type Headroom = {
  pods: number;
  /** Of one pod: quantities by resource. */
  requests: Record<string, string>;
};

const most = 1000;
export const headroomRule = `must be pods=<1 to ${most}> and the requests of one of them, such as "pods=3 cpu=2 memory=4Gi"`;

const resourceName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Undefined for a text that is none. */
export const parseHeadroom = (text: string): Headroom | undefined => {
  const pairs = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(pairOf);
  const { pods: count = '1', ...requests } = Object.fromEntries(pairs);
  const pods = size.parse(count);
  const isRequest = ([name, amount]: [string, string | undefined]) =>
    resourceName.test(name) && (parseQuantity(amount ?? '') ?? 0) > 0;
  const all = Object.entries(requests);
  if (pods === undefined || pods < 1 || pods > most) return undefined;
  if (all.length === 0 || !all.every(isRequest) || new Set(pairs.map(([name]) => name)).size < pairs.length)
    return undefined;
  return { pods, requests: requests as Record<string, string> };
};
