/** What providers read from the Cluster that owns their object. Pure. */
import type { Cluster } from '../cluster/schema.ts';

export const isProvisioned = ({ status }: Cluster): boolean =>
  status?.initialization?.infrastructureProvisioned === true;
export const isInitialized = ({ status }: Cluster): boolean => status?.initialization?.controlPlaneInitialized === true;

/** host:port of the API server; undefined until the infrastructure provider sets the endpoint. */
export const serverOf = ({ spec }: Cluster): string | undefined => {
  const { host, port } = spec?.controlPlaneEndpoint ?? {};
  if (!host || !port) return undefined;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
};
