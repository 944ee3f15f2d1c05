/**
 * Divides the requests that the gateway passes among its methods. API Gateway has no limit for all
 * methods of a stage together: a limit of the stage is one of each method.
 */
import { concurrencyOf } from './concurrency.ts';
import { type Method, reportPath, targets } from './routes.ts';
import type { Settings } from './settings.ts';

export interface Throttle {
  /** Requests per second. */
  rate: number;
  /** Requests at once. */
  burst: number;
}

export interface Throttles {
  /** Of each method that `of` does not contain. */
  least: Throttle;
  of: (Throttle & { path: string; method: Method })[];
}

/** Requests per second of a method that clients seldom use. */
const leastRate = 0.25;

const units = targets.reduce((sum, { weight = 0 }) => sum + weight, 0);
const rounded = (rate: number): number => Math.floor(rate * 100) / 100;

export const throttlesOf = (settings: Settings): Throttles => {
  const { requests, reports } = concurrencyOf(settings);
  const { burst } = requests;
  const busy = targets.flatMap(({ path, method, weight }) =>
    weight === undefined ? [] : [{ path, method, rate: rounded(leastRate + (requests.rate * weight) / units), burst }],
  );
  // A flood of reports leaves requests of users their share.
  return { least: { rate: leastRate, burst }, of: [...busy, { path: reportPath, method: 'POST', ...reports }] };
};
