/**
 * What a machine of an infrastructure template costs. Its provider reports that in the template's
 * `status.price`, in which core and the autoscaler read it. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** Dollars an hour, as decimal text. */
export type Price = {
  /** Absent if it is unknown: in the dearest zone, where zones differ. */
  dollarsPerHour?: string;
  zones?: Record<string, string>;
  /** Of the spot market: what the same machine costs on demand. */
  onDemand?: string;
  /** Where the price comes from, or why it is unknown. */
  source: string;
};

export const priceOf = (template: KubeObject | undefined): Price | undefined =>
  (template?.status as { price?: Price } | undefined)?.price;
