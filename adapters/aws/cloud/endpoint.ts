/** The endpoint of a listener, and whether its name resolves yet. */
import { Resolver } from 'node:dns/promises';
import type { Listener } from '../../../kinds/ports/cloud/index.ts';

/** From the load balancer's DNS name and the listener's port. */
export type ResolveEndpoint = (at: { Host: string; Port: number }) => Promise<Listener['Endpoint']>;

/**
 * Queries the name servers directly, without this machine's cache. A missing name and a failing name server
 * both mean that clients cannot resolve it yet.
 */
export const resolveByName: ResolveEndpoint = async ({ Host, Port }) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const addresses = await Promise.any([resolver.resolve4(Host), resolver.resolve6(Host)]).catch(() => []);
  return { Host, Port, Resolves: addresses.length > 0 };
};
