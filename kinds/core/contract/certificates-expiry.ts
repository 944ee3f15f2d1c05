/** When the certificates of a control plane host end, as an annotation says it. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** On the bootstrap config, by its control plane, or on the Machine, by a user; RFC 3339. */
export const certificatesExpiry = 'machine.cluster.x-k8s.io/certificates-expiry';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** In milliseconds since the epoch; undefined without a valid annotation. */
export const expiryIn = ({ metadata }: KubeObject): number | undefined => {
  const text = metadata.annotations?.[certificatesExpiry] ?? '';
  const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
};

export const hasInvalidExpiry = (object: KubeObject): boolean =>
  object.metadata.annotations?.[certificatesExpiry] !== undefined && expiryIn(object) === undefined;
