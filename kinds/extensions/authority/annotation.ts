/** The Secret with the certificates by which an ExtensionConfig verifies its extension. */
import type { ObjectKey } from '../../../machinery/api/object.ts';

/** `NAMESPACE/NAME` of a Secret. */
export const injectAuthority = 'runtime.cluster.x-k8s.io/inject-ca-from-secret';
export const authorityKey = 'ca.crt';

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

/** Undefined without the annotation. */
export const namedSecret = ({ metadata }: Annotated): string | undefined => metadata.annotations?.[injectAuthority];

/** Undefined if the text is no `NAMESPACE/NAME`. */
export const secretKeyOf = (text: string): ObjectKey | undefined => {
  const [namespace, name, ...more] = text.split('/');
  return namespace && name && more.length === 0 ? { namespace, name } : undefined;
};
