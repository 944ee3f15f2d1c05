/** Where clients reach a listener, and whether they can look that up yet. */
import { Resolver } from 'node:dns/promises';
import type { Listener } from '../../../kinds/ports/cloud.ts';

/** Of the load balancer's DNS name and the listener's port. */
export type ResolveEndpoint = (at: { Host: string; Port: number }) => Promise<Listener['Endpoint']>;

/**
 * Asks the name servers, and no cache of this machine. A name that is looked for and not found is an answer, and so is a
 * name server that does not: neither tells a client where to go.
 */
export const resolveByName: ResolveEndpoint = async ({ Host, Port }) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const addresses = await Promise.any([resolver.resolve4(Host), resolver.resolve6(Host)]).catch(() => []);
  return { Host, Port, Resolves: addresses.length > 0 };
};
