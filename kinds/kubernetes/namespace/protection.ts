import type { KubeObject } from '../../../machinery/api/object.ts';

/** Namespaces of system objects, which cannot be deleted. */
const permanent = new Set(['default', 'kube-system', 'kube-public']);

export const refuseDelete = ({ metadata }: KubeObject): string | undefined =>
  permanent.has(metadata.name) ? 'this namespace may not be deleted' : undefined;
