/** The group meta.k8s.io: the metadata of lists, and objects as metadata only. */
import type { KubeObject } from '../api/object.ts';
import type { Form } from './negotiate.ts';

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export const metaApiVersion = (form: Form): string => `meta.k8s.io/${form.version ?? 'v1'}`;

export const partialOf = (object: KubeObject, form: Form) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: metaApiVersion(form),
  metadata: object.metadata,
});
