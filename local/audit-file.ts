/** The audit log of a control plane on a laptop: an Event of audit.k8s.io a line, for `capstan audit`. */
import type { Audit } from '../machinery/server/index.ts';
import { rotatingFile } from './rotating-file.ts';

/** Where the audit log of a data directory goes. */
export const auditFileOf = (directory: string): string => `${directory}/audit.log`;

export const fileAudit = (path: string): Audit => {
  const append = rotatingFile(path);
  return (event) => append(JSON.stringify(event));
};
